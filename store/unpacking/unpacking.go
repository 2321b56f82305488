// Package unpacking takes apart what others hand on, WACZ files and lists of them, into the directory
// of an import. Start with [FormOf], which tells by its bytes what a file is, and [Unpacking].
//
// WARC files come out as they went in. The digests that a WACZ file gives are checked while its files
// are copied. Its indexes are not looked at: they may be of any form, and say anything; captures are
// read from the WARC files. Who has signed it is not judged.
//
// Invariant: whatever the file is, nothing is written outside the directory of the import, no more
// than was declared and than there is room for, and no byte of the file is read as part of two of its
// members. Memory holds the directory of one zip file, of at most maxDirectory bytes, and one
// datapackage.json, of at most maxPackage.
package unpacking

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"

	"warcorder/store/collection"
	"warcorder/store/fault"
	"warcorder/store/pagelist"
	"warcorder/store/warc"
)

// Unpacking takes files apart, one after another.
type Unpacking struct {
	Dir      collection.Import // where files are put
	Pages    *pagelist.List    // takes the pages that they name
	Note     func(text string) // takes what a person should know of a file, which is no error
	Progress Progress          // nil for nobody

	warcs []WARC
	done  int64 // bytes copied
	total int64 // bytes to be copied, as far as is known
}

// Progress is called with how far the unpacking has come: done of total bytes, the last ones of what
// has that name.
type Progress func(name string, done, total int64)

// WARC is a WARC file that has been taken out.
type WARC struct {
	Path string // where it lies now
	Said string // what it is called in messages
	Name string // base name that it had
	From string // of which file it is, as a part of a name
}

// WARCs returns the WARC files that have been taken out.
func (u *Unpacking) WARCs() []WARC { return u.warcs }

// note says something about a file.
func (u *Unpacking) note(path, format string, args ...any) {
	if u.Note != nil {
		u.Note(filepath.Base(path) + ": " + fmt.Sprintf(format, args...))
	}
}

// needs makes sure that there is room for so many bytes, which are then to be copied.
func (u *Unpacking) needs(path string, size uint64) error {
	u.total += int64(size)
	free, err := collection.FreeSpace(string(u.Dir))
	if err != nil {
		return nil // the system does not tell: who needs more than there is gets its error when it writes
	}
	if size > uint64(max(free, 0)) {
		return fmt.Errorf("%s: its WARC files and lists of pages have %s, and %s are free on the disk of the "+
			"collection: make room, and import it again", path, humanize.Bytes(size), humanize.Bytes(uint64(max(free, 0))))
	}
	return nil
}

// put copies a WARC file into the directory of the import.
func (u *Unpacking) put(w WARC, in io.Reader) error {
	if err := fault.At(fault.ImportUnpack); err != nil {
		return err
	}
	w.Path = filepath.Join(string(u.Dir), fmt.Sprintf("unpacked-%d", len(u.warcs)+1))
	out, err := os.OpenFile(w.Path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(&counting{out, u, w.Said}, in, make([]byte, 256<<10))
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	u.warcs = append(u.warcs, w)
	return nil
}

// counting reports what is written.
type counting struct {
	out  io.Writer
	u    *Unpacking
	name string
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.out.Write(b)
	c.u.done += int64(n)
	if c.u.Progress != nil {
		c.u.Progress(c.name, c.u.done, max(c.u.total, c.u.done))
	}
	return n, err
}

// maxNamed is how many bytes of a name are kept: numbers and endings follow.
const maxNamed = 150

// FileName is the base name for a WARC file that was called so elsewhere: as it is, where it can be
// one on any system, else with '_' for each character that cannot stand in it.
func FileName(name string) string {
	return clean(name, maxNamed)
}

// Stem is the name of a file without its ending, as a part of other names.
func Stem(path string) string {
	name := filepath.Base(path)
	for _, suffix := range []string{".gz", ".wacz", ".zip", ".json", ".har"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return clean(name, maxNamed/3)
}

// clean is a name of at most so many bytes, its ending kept.
func clean(name string, most int) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\uFFFD' || strings.ContainsRune(`/\:*?"<>|`, r) ||
			!unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	if strings.HasPrefix(name, ".") {
		name = "_" + name
	}
	if len(name) > most {
		end := ""
		for _, suffix := range warc.Suffixes() {
			if strings.HasSuffix(name, suffix) {
				end = suffix
			}
		}
		name = strings.ToValidUTF8(name[:most-len(end)], "") + end
	}
	if name == "" {
		return "_"
	}
	return name
}
