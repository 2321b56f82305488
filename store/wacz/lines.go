package wacz

import (
	"bytes"
	"errors"
	"io"
	"os"

	"warcorder/store/scratch"
	"warcorder/store/zipnum"
)

// The paths of the index.
const (
	plainPath   = "indexes/index.cdxj"
	membersPath = "indexes/" + zipnum.WACZPart
	listPath    = "indexes/" + zipnum.WACZList
)

const (
	// maxPlain is how long an index may be that stands in one piece: replayweb.page reads all of it
	// before it shows anything.
	maxPlain = 512 << 10

	// A member of the other form has at most so many lines and, unless it is one line, bytes:
	// replayweb.page reads whole ones.
	blockLines = 1 << 10
	blockBytes = 512 << 10
)

// writeIndex writes the index in one of its forms.
func (w *Writer) writeIndex() error {
	x := indexWriter{writer: w}
	err := w.index.each(x.put)
	if err == nil {
		err = x.finish()
	}
	return errors.Join(step("index", err), x.close())
}

// indexWriter writes lines as they are as long as they are few, then all as members.
type indexWriter struct {
	writer *Writer
	plain  bytes.Buffer
	zipNum *zipnum.Writer // nil while they are few
	list   *os.File       // of its members
}

// put adds a line.
func (x *indexWriter) put(line []byte) error {
	if x.zipNum == nil && x.plain.Len()+len(line) <= maxPlain {
		x.plain.Write(line)
		return nil
	}
	if x.zipNum == nil {
		if err := x.turn(); err != nil {
			return err
		}
	}
	return x.zipNum.Put(line)
}

// turn begins to write members.
func (x *indexWriter) turn() (err error) {
	x.list, err = scratch.Create(x.writer.settings.TempDir, "warcorder-wacz-*")
	if err != nil {
		return err
	}
	x.zipNum = zipnum.New(zipnum.Settings{
		Dialect: zipnum.WACZ,
		Lines:   blockLines,
		Bytes:   blockBytes,
		Begin:   func(string) (io.Writer, error) { return x.writer.begin(membersPath) },
		List:    x.list,
	})
	for line := range bytes.Lines(x.plain.Bytes()) {
		if err := x.zipNum.Put(line); err != nil {
			return err
		}
	}
	x.plain = bytes.Buffer{}
	return nil
}

// finish writes what is left: the lines, or the last members and the list of all.
func (x *indexWriter) finish() error {
	if x.zipNum == nil {
		return x.writer.add(plainPath, &x.plain)
	}
	if err := x.zipNum.Close(); err != nil {
		return err
	}
	if _, err := x.list.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return x.writer.add(listPath, x.list)
}

func (x *indexWriter) close() error {
	if x.zipNum == nil {
		return nil
	}
	x.zipNum.Abandon()
	return x.list.Close()
}

// add writes a resource.
func (w *Writer) add(name string, content io.Reader) error {
	out, err := w.begin(name)
	if err == nil {
		_, err = io.Copy(out, content)
	}
	return err
}
