package zipnum

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// The names of the lists in the dialect of pywb, which are those of Common Crawl.
const (
	pywbList  = "cluster.idx"
	pywbPlace = "cluster.loc"
)

// Files writes the lines of an export into the files of a directory. It is for one goroutine.
type Files struct {
	// Create begins a file of the directory.
	Create func(name string) (io.WriteCloser, error)

	dialect Dialect
	writer  *Writer
	list    io.WriteCloser
	rows    *bufio.Writer // of the list
	part    io.WriteCloser
	names   []string // of the parts
}

// NewFiles returns Files in which a part ends behind so many lines, with the next key; in the dialect
// of WACZ there is one part.
func NewFiles(dialect Dialect, part int64, create func(name string) (io.WriteCloser, error)) (*Files, error) {
	f := &Files{Create: create, dialect: dialect}
	name := pywbList
	settings := Settings{Dialect: dialect, Part: part, Begin: f.begin}
	if dialect == WACZ {
		name, settings.Part, settings.Lines, settings.Bytes = WACZList, 0, 1024, 512<<10
	}
	var err error
	if f.list, err = create(name); err != nil {
		return nil, err
	}
	f.rows = bufio.NewWriterSize(f.list, 1<<16)
	settings.List = f.rows
	f.writer = New(settings)
	return f, nil
}

// begin begins a part.
func (f *Files) begin(name string) (io.Writer, error) {
	err := f.end()
	if err == nil {
		f.part, err = f.Create(name)
	}
	f.names = append(f.names, name)
	return f.part, err
}

// end ends a part, if there is one.
func (f *Files) end() error {
	if f.part == nil {
		return nil
	}
	return f.part.Close()
}

// Write takes whole lines.
func (f *Files) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		if err := f.writer.Put(line); err != nil {
			return 0, err
		}
	}
	return len(lines), nil
}

// Close writes what is left, and where the parts are.
func (f *Files) Close() error {
	if err := errors.Join(f.writer.Close(), f.rows.Flush()); err != nil {
		return err
	}
	if err := errors.Join(f.end(), f.list.Close()); err != nil || f.dialect == WACZ {
		return err
	}
	place, err := f.Create(pywbPlace)
	if err != nil {
		return err
	}
	for _, name := range f.names {
		if _, err := fmt.Fprintf(place, "%s\t%s\n", name, name); err != nil {
			return err
		}
	}
	return place.Close()
}

// Abandon returns when nothing is done any more. The files are whoever's who has created them.
func (f *Files) Abandon() { f.writer.Abandon() }
