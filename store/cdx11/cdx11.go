// Package cdx11 writes the lines of an export as CDX with 11 fields, which tools read that are older
// than CDXJ. Start with [New].
//
//	CDX N b a m s k r M S V g
//	key timestamp url type status digest - - length offset file
//
// The first line begins with a space. What is unknown is "-", and so are the target of a redirect and
// the meta tags, which no index of ours has. A digest has no name of its algorithm. Bytes that are
// not '!' to '~' are %XX, so that a line has 11 fields whatever they hold: those of a URL stand so in
// what crossed the wire. Request bodies have no field; a key is made of them.
//
// Invariant: the lines are in the order of `LC_ALL=C sort`, and each is that of one line of the
// export. Memory is that of the longest line, and 4 MiB where many have one key and time: these may
// have another order, and are sorted, in a temporary file if they are more.
package cdx11

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"

	"warcorder/store/cdxline"
	"warcorder/store/extsort"
)

const (
	header     = " CDX N b a m s k r M S V g\n"
	sortMemory = 4 << 20
)

// Writer writes lines. It is for one goroutine.
type Writer struct {
	out     *bufio.Writer
	tempDir string

	line  cdxline.Line
	text  []byte          // of the line that has come
	first []byte          // the line before, of whose key and time no other has come; empty is none
	start int             // the length of its key and time
	run   *extsort.Sorter // the lines of that key and time, if there are several
}

// New returns a Writer to out, which sorts in tempDir; "" is os.TempDir.
func New(out io.Writer, tempDir string) (*Writer, error) {
	w := &Writer{out: bufio.NewWriterSize(out, 1<<18), tempDir: tempDir}
	_, err := w.out.WriteString(header)
	return w, err
}

// Write takes whole lines of an export.
func (w *Writer) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		if err := w.put(line); err != nil {
			return 0, err
		}
	}
	return len(lines), nil
}

// put takes a line.
func (w *Writer) put(line []byte) error {
	if err := w.line.Parse(line); err != nil {
		return err
	}
	w.text = appendLine(w.text[:0], &w.line)
	start := len(w.line.Key) + 1 + len(w.line.Time)
	if len(w.first) > 0 && start == w.start && bytes.Equal(w.first[:start], w.text[:start]) {
		return w.join()
	}
	if err := w.flush(); err != nil {
		return err
	}
	w.first, w.text, w.start = w.text, w.first, start
	return nil
}

// join adds the line that has come to those of the same key and time.
func (w *Writer) join() error {
	if w.run == nil {
		w.run = &extsort.Sorter{Dir: w.tempDir, Memory: sortMemory}
		if err := w.run.Add(w.first); err != nil {
			return err
		}
	}
	return w.run.Add(w.text)
}

// flush writes the lines of a key and time.
func (w *Writer) flush() error {
	if w.run != nil {
		return w.flushRun()
	}
	if len(w.first) == 0 {
		return nil
	}
	w.out.Write(w.first)
	return w.out.WriteByte('\n') // it has the error of the one before, too
}

func (w *Writer) flushRun() (err error) {
	defer func() {
		err = errors.Join(err, w.run.Close())
		w.run = nil
	}()
	lines, err := w.run.Sorted()
	for err == nil && lines.More() {
		if err = lines.Write(w.out); err == nil {
			err = lines.Next()
		}
	}
	return err
}

// Close writes what is left.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.out.Flush()
}

// Abandon removes what is left.
func (w *Writer) Abandon() error {
	if w.run == nil {
		return nil
	}
	return w.run.Close()
}

// appendLine appends a line, without newline.
func appendLine(dst []byte, l *cdxline.Line) []byte {
	dst = append(append(dst, l.Key...), ' ')
	dst = append(append(dst, l.Time...), ' ')
	dst = append(appendField(dst, l.URL), ' ')
	dst = append(appendField(dst, l.MIME), ' ')
	if l.Status > 0 {
		dst = strconv.AppendInt(dst, int64(l.Status), 10)
	} else {
		dst = append(dst, '-')
	}
	dst = append(dst, ' ')
	dst = append(appendField(dst, l.Payload()), " - - "...)
	if len(l.File) == 0 {
		return append(dst, "- - -"...)
	}
	dst = append(strconv.AppendInt(dst, l.Length, 10), ' ')
	dst = append(strconv.AppendInt(dst, l.Offset, 10), ' ')
	return appendField(dst, l.File)
}

const upperHex = "0123456789ABCDEF"

// appendField appends a field.
func appendField(dst, value []byte) []byte {
	if len(value) == 0 {
		return append(dst, '-')
	}
	for _, c := range value {
		if '!' <= c && c <= '~' {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst
}
