package removal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"warcorder/store/collection"
)

// errFixed says that no file can take the place of another.
var errFixed = errors.New("the system lets no other file take its place: end that (chattr -i, or -a of its " +
	"directory, chflags nouchg, or the owner of a sticky directory), and remove then")

// replaceable returns an error if nothing can take the place of a file that is here.
func (p *Plan) replaceable(w *work) error {
	if w.away {
		return nil // it is made anew
	}
	return replaceable(p.dir.WARC(w.Name))
}

// replaceable returns an error if no file can take the place of this one, which must be known before a
// removal is decided. Not every system says so without a try: where a file is immutable, or only to be
// appended to, it cannot be opened for writing either, and the error is another one than that of its mode.
func replaceable(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() {
		opened, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			err = opened.Close()
		}
		if isFixed(err, runtime.GOOS) {
			return errors.Join(fmt.Errorf("%s: %w", path, errFixed), err)
		}
	}
	if err := collection.Movable(path); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", path, errFixed), err)
	}
	within, err := os.Stat(filepath.Dir(path))
	if err == nil && within.Mode()&os.ModeSticky != 0 && isAnothers(os.Geteuid(), within, info) {
		err = fmt.Errorf("%s: %w", path, errFixed)
	}
	return err
}

// isFixed reports whether a file that cannot be opened for writing with that error cannot be replaced.
func isFixed(err error, system string) bool {
	return errors.Is(err, syscall.EPERM) || err != nil && system == "windows"
}
