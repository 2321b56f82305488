package collection

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Layout is the number of the layout of a collection's directory that this version writes, and the
// highest one that it knows. A version that puts things where an older one would do harm to them, or
// make sense of them that they do not have, raises it, and writes it into the file layout before all
// else; it does so too where the format of the index alone is another one. A collection without that
// file has layout 1.
//
//	1  all WARC files are in archive/
//	2  files may be away: a version that does not know of that would miss them, and make an index
//	   without their captures
const Layout = 2

// layoutAway is the layout of a collection of which files are away.
const layoutAway = 2

const layoutName = "layout"

// maxLayout is how many bytes of the file are read.
const maxLayout = 32

// Newer is the error of who comes to a collection that a later version has written. Nothing was
// changed.
type Newer struct {
	What         string // whose number it is: "layout", "index format"
	Found, Known uint64
}

func (n *Newer) Error() string {
	return fmt.Sprintf("this collection was written by a newer warcorder (%s %d, this one knows %d): "+
		"use that version, or copy its %s/ into a new collection, of which warcorder rebuild makes the "+
		"index", n.What, n.Found, n.Known, ArchiveName)
}

// CheckLayout returns a *Newer, wrapped, if a later version has made the directory what it is, and
// an error if that cannot be told. A directory that is not there has no layout.
func (d Dir) CheckLayout() error {
	path := filepath.Join(string(d), layoutName)
	number, err := readLayout(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // who opens it says which
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: run this as the user who records", err)
	case err != nil:
		return fmt.Errorf("%s: the layout of the collection cannot be told: %w", path, err)
	case number > Layout:
		return fmt.Errorf("%s: %w", d, &Newer{"layout", number, Layout})
	}
	return nil
}

// RaiseLayout says, durably, that files of the collection may be away, unless that is said already.
func (d Dir) RaiseLayout(mode Mode) error {
	path := filepath.Join(string(d), layoutName)
	number, err := readLayout(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || number >= layoutAway {
		return err
	}
	err = Write(path, mode, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, layoutAway)
		return err
	})
	return errors.Join(err, d.Sync())
}

// readLayout reads the number in the file.
func readLayout(path string) (uint64, error) {
	file, err := OpenRegular(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxLayout))
	if err != nil {
		return 0, err
	}
	number, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || number == 0 {
		return 0, fmt.Errorf("it holds %.20q, which is no number of a layout: put it back from a backup", text)
	}
	return number, nil
}
