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

// Mode is who may read and write the files of a collection: permission bits as chmod takes them.
// What is made gets just these bits, whatever the umask of the process is; what is there keeps its
// own. Where a file system has no such bits, it decides. The zero Mode is 0600.
type Mode fs.FileMode

// DefaultMode keeps cookies, passwords and what was read to the owner.
const DefaultMode Mode = 0o600

// UnmarshalText reads octal digits, with or without a leading 0 or 0o: in YAML 0640, "0640" and 640
// are the same.
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

// MarshalText is the inverse.
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

// dir is the mode of directories: whoever may read what is in them may enter.
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
		// a group's directory hands its group on
		want = m.dir() | info.Mode()&(fs.ModeSetgid|fs.ModeSticky)
	}
	const bits = fs.ModePerm | fs.ModeSetgid | fs.ModeSticky
	if info.Mode()&bits == want {
		return nil
	}
	err = os.Chmod(path, want)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // it is no worse than before, and nothing that the archive could be refused for
	}
	return err
}

// Of is the mode of the file at path, or m if there is none: what replaces a file keeps its mode.
func (m Mode) Of(path string) Mode {
	info, err := os.Stat(path)
	if err != nil {
		return m
	}
	return Mode(info.Mode().Perm())
}
