package wacz

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/klauspost/compress/gzip"

	"warcorder/store/scratch"
)

// The paths of the index.
const (
	plainPath   = "indexes/index.cdxj"
	membersPath = "indexes/index.cdx.gz"
	listPath    = "indexes/index.idx"
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
	zipNum *zipNum // nil while they are few
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
	return x.zipNum.put(line)
}

// turn begins to write members.
func (x *indexWriter) turn() error {
	out, err := x.writer.begin(membersPath)
	if err != nil {
		return err
	}
	list, err := scratch.Create(x.writer.settings.TempDir, "warcorder-wacz-*")
	if err != nil {
		return err
	}
	x.zipNum = &zipNum{out: out, list: list, gzip: gzip.NewWriter(io.Discard)}
	for line := range bytes.Lines(x.plain.Bytes()) {
		if err := x.zipNum.put(line); err != nil {
			return err
		}
	}
	x.plain = bytes.Buffer{}
	return nil
}

// finish writes what is left: the lines, or the last member and the list of all.
func (x *indexWriter) finish() error {
	if x.zipNum == nil {
		return x.writer.add(plainPath, &x.plain)
	}
	if err := x.zipNum.flush(); err != nil {
		return err
	}
	if _, err := x.zipNum.list.Seek(0, io.SeekStart); err != nil {
		return err
	}
	meta := `!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}` + "\n"
	return x.writer.add(listPath, io.MultiReader(bytes.NewReader([]byte(meta)), x.zipNum.list))
}

func (x *indexWriter) close() error {
	if x.zipNum == nil {
		return nil
	}
	return x.zipNum.list.Close()
}

// add writes a resource.
func (w *Writer) add(name string, content io.Reader) error {
	out, err := w.begin(name)
	if err == nil {
		_, err = io.Copy(out, content)
	}
	return err
}

// zipNum writes lines as gzip members, and to list a line for each of them: the key and time of its
// first line and
//
//	{"offset":…,"length":…,"digest":"sha256:…","filename":"index.cdx.gz"}
//
// If the member before has that key and time too, " ~" and a number of nine digits stand behind the
// time: replayweb.page would take one for the other otherwise. The lines of the list are sorted.
type zipNum struct {
	out  io.Writer
	list *os.File
	gzip *gzip.Writer

	block  bytes.Buffer
	member bytes.Buffer
	lines  int
	offset int64

	last  []byte // key and time of the member before
	again int    // how many before it had the same
	row   []byte // of the list, about this member
}

// put adds a line.
func (z *zipNum) put(line []byte) error {
	if z.lines == blockLines || z.lines > 0 && z.block.Len()+len(line) > blockBytes {
		if err := z.flush(); err != nil {
			return err
		}
	}
	z.lines++
	z.block.Write(line)
	return nil
}

// flush writes a member.
func (z *zipNum) flush() error {
	if z.lines == 0 {
		return nil
	}
	z.member.Reset()
	z.gzip.Reset(&z.member)
	if _, err := z.gzip.Write(z.block.Bytes()); err != nil {
		return err
	}
	if err := z.gzip.Close(); err != nil {
		return err
	}
	first, _, _ := bytes.Cut(z.block.Bytes(), []byte(" {"))
	z.row = append(z.row[:0], first...)
	if z.again++; !bytes.Equal(first, z.last) {
		z.last, z.again = append(z.last[:0], first...), 0
	}
	if z.again > 0 {
		z.row = fmt.Appendf(z.row, " ~%09d", z.again)
	}
	sum := sha256.Sum256(z.member.Bytes())
	z.row = strconv.AppendInt(append(z.row, ` {"offset":`...), z.offset, 10)
	z.row = strconv.AppendInt(append(z.row, `,"length":`...), int64(z.member.Len()), 10)
	z.row = hex.AppendEncode(append(z.row, `,"digest":"sha256:`...), sum[:])
	z.row = append(z.row, `","filename":"index.cdx.gz"}`+"\n"...)
	if _, err := z.list.Write(z.row); err != nil {
		return err
	}
	z.offset += int64(z.member.Len())
	z.block.Reset()
	z.lines = 0
	_, err := z.out.Write(z.member.Bytes())
	return err
}
