package collection

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// Mode says who may read and write the files of a collection, in permission bits as chmod takes
// them. A file that we make gets just these bits, whatever the umask of the process is; a file that
// exists keeps its own. The zero Mode is DefaultMode.
type Mode fs.FileMode

// DefaultMode lets only the owner read what was recorded: cookies and passwords are among it.
const DefaultMode Mode = 0o600

// UnmarshalText reads three octal digits, with or without a leading 0 or 0o: in YAML 0640, "0640"
// and 640 are the same.
func (m *Mode) UnmarshalText(text []byte) error {
	digits := strings.TrimPrefix(strings.TrimPrefix(string(text), "0o"), "0")
	bits, err := strconv.ParseUint(digits, 8, 32)
	if err != nil || len(digits) != 3 {
		return fmt.Errorf("%q is no mode: write it as chmod takes it, such as 0600, or 0640 for a "+
			"group that may read", text)
	}
	read := Mode(bits)
	if err := read.Check(); err != nil {
		return err
	}
	*m = read
	return nil
}

// MarshalText is the inverse of UnmarshalText.
func (m Mode) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%04o", m), nil }

// Check refuses modes that cannot be meant.
func (m Mode) Check() error {
	said := fmt.Sprintf("%04o", m)
	switch {
	case m&0o600 != 0o600:
		return errors.New(said + " keeps the recorder from its own files: the owner must be able to " +
			"read and write (0600)")
	case m&0o111 != 0:
		return errors.New(said + " lets the files be executed: WARC files are no programs (was a " +
			"decimal number meant? write octal digits)")
	case m&0o002 != 0:
		return errors.New(said + " lets everybody change the archive: 0664 lets a group do so, and " +
			"all others read")
	case m&^0o777 != 0:
		return errors.New(said + " has more than permission bits")
	}
	return nil
}

// dir is the mode of directories: whoever may read the files may enter.
func (m Mode) dir() fs.FileMode {
	m = cmp.Or(m, DefaultMode)
	return fs.FileMode(m | m&0o444>>2)
}

// Set gives a file that we have made its mode. On a file system that has no modes the file keeps
// what it has.
func (m Mode) Set(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	want := fs.FileMode(cmp.Or(m, DefaultMode))
	if info.IsDir() {
		// these two bits hand the group of a directory on, and protect its files
		want = m.dir() | info.Mode()&(fs.ModeSetgid|fs.ModeSticky)
	}
	const bits = fs.ModePerm | fs.ModeSetgid | fs.ModeSticky
	if info.Mode()&bits == want {
		return nil
	}
	err = os.Chmod(path, want)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // the file is no worse than before, and recording goes on
	}
	return err
}

// Of returns the mode of the file at path, which a file that replaces it should have, or m if there
// is no file.
func (m Mode) Of(path string) Mode {
	info, err := os.Stat(path)
	if err != nil {
		return m
	}
	return Mode(info.Mode().Perm())
}
