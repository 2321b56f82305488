// Package conversion makes WARC 1.1 files of WARC 0.9 files, for a collection that they are then
// added to.
//
// Each file becomes one file, in a directory of the collection that is removed at the end. The new
// name is like the old one, with a number if the collection has another file of that name, so that
// v.warc and v.warc.gz can both be imported. A file of that name with the same content is what was
// to be made.
//
// The package stands beside the command, and not beside package v09: it names files by what a
// collection has, of which a format knows nothing.
//
// Invariant: no file of the user's, and none of the collection's, is changed or replaced.
package conversion

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warcorder/store/collection"
	"warcorder/store/warc"
	"warcorder/store/warc/v09"
)

// suffix ends the names of the files that are made.
const suffix = "-from-0.9" + warc.Suffix

// Conversion converts files. Its Remove must be called at the end.
type Conversion struct {
	dir        collection.Dir
	temp       string
	release    func() error
	finish     func(path string) error // called for each file that is made
	importer   v09.Importer
	compressor *warc.Compressor

	file *warc.Writer // nil until its first record
	from string       // the file that is read
	made []string
	same [][2]string
}

// New begins a conversion for a collection. finish is called with each file that is made, report
// with whatever is wrong.
func New(dir collection.Dir, finish func(path string) error,
	report func(v09.Finding)) (*Conversion, error) {
	temp, release, err := dir.NewImport()
	if err != nil {
		return nil, err
	}
	c := &Conversion{dir: dir, temp: string(temp), release: release, finish: finish,
		compressor: warc.NewCompressor()}
	c.importer = v09.Importer{Temp: c.temp, Out: c.write, Report: report}
	return c, nil
}

// Remove removes the directory of the conversion.
func (c *Conversion) Remove() error {
	return errors.Join(collection.Import(c.temp).Remove(), c.release())
}

// Run converts the files and returns those that were made. Segments whose rest does not come go
// into the last one.
func (c *Conversion) Run(paths []string) (made []string, err error) {
	for _, path := range paths {
		if err := c.end(); err != nil {
			return nil, err
		}
		c.from = path
		r, err := v09.Open(path)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(c.importer.Read(r), r.Close()); err != nil {
			return nil, err
		}
	}
	err = errors.Join(c.importer.Close(), c.end())
	return c.made, err
}

// Same lists the files of which nothing was kept, since another file of the same run had become the
// same content: each with the name of what that one became.
func (c *Conversion) Same() [][2]string { return c.same }

// unnamed is the name of a file while it is made.
const unnamed = "unnamed" + warc.Suffix

// write appends a record to the file.
func (c *Conversion) write(header []byte, block io.Reader, size int64) (err error) {
	if c.file == nil {
		if c.file, err = warc.Create(c.temp, unnamed); err != nil {
			return err
		}
	}
	_, err = c.file.AppendStream(func(t *warc.Tail) error {
		_, err := c.compressor.Stream(t, t.Offset(), [][]byte{header}, block, size, false)
		return err
	})
	return err
}

// end closes the file and gives it its name.
func (c *Conversion) end() error {
	if c.file == nil {
		return nil
	}
	err := c.file.Close()
	c.file = nil
	if err != nil {
		return err
	}
	path := filepath.Join(c.temp, unnamed)
	if err := c.finish(path); err != nil {
		return err
	}
	name, twin, err := c.name(path)
	if err != nil {
		return err
	}
	if twin {
		c.same = append(c.same, [2]string{c.from, name})
		return os.Remove(path)
	}
	named := filepath.Join(c.temp, name)
	c.made = append(c.made, named)
	return warc.Move(path, named)
}

// name is the first name that nothing else has, or that of a file of the same content. It is a twin
// if that was made by this conversion.
func (c *Conversion) name(path string) (name string, twin bool, err error) {
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(c.from), ".gz"), ".warc")
	for n := 1; ; n++ {
		if name = base + suffix; n > 1 {
			name = fmt.Sprintf("%s-%d%s", base, n, suffix)
		}
		twin, taken, err := sameContent(path, filepath.Join(c.temp, name))
		if err != nil || twin {
			return name, twin, err
		}
		if taken {
			continue
		}
		same, taken, err := sameContent(path, c.dir.WARC(name))
		if err != nil || same || !taken {
			return name, false, err
		}
	}
}

// sameContent reports whether something has the other name, and whether it is a file of the same
// content.
func sameContent(path, other string) (same, taken bool, err error) {
	if _, err := os.Lstat(other); errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	a, err := os.Open(path)
	if err != nil {
		return false, true, err
	}
	defer a.Close()
	b, err := os.Open(other)
	if errors.Is(err, fs.ErrNotExist) { // a link that leads nowhere
		return false, true, nil
	}
	if err != nil {
		return false, true, err
	}
	defer b.Close()
	same, err = sameFile(a, b)
	return same, true, err
}

// sameFile reports whether two files give the same, and reads neither if their lengths tell.
func sameFile(a, b *os.File) (bool, error) {
	x, err := a.Stat()
	if err != nil {
		return false, err
	}
	y, err := b.Stat()
	if err != nil || x.Size() != y.Size() {
		return false, err
	}
	return warc.SameBytes(a, b)
}
