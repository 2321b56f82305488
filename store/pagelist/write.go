package pagelist

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"warcorder/store/collection"
	"warcorder/store/extsort"
)

// header is the first line of the list.
const header = `{"format":"json-pages-1.0","id":"pages","title":"Pages of imports"}`

// List is a list while it is made, in any order. Its zero value is ready. Close must be called.
type List struct {
	Dir string // where lines wait that do not fit into memory

	lines *extsort.Sorter
	count int
}

// Add adds a page. It is false for what can be no page.
func (l *List) Add(p Page) (ok bool, err error) {
	text := p.Line()
	if text == nil {
		return false, nil
	}
	if l.lines == nil {
		l.lines = &extsort.Sorter{Dir: l.Dir, Memory: 8 << 20}
	}
	l.count++
	return true, l.lines.Add(text)
}

// Len is the number of pages that were added, and after WriteTo of those that were written.
func (l *List) Len() int { return l.count }

// WriteTo writes the lines in their order, each page once. Nothing can be added then.
func (l *List) WriteTo(w io.Writer) (int64, error) {
	if l.lines == nil {
		return 0, nil
	}
	lines, err := l.lines.Sorted()
	if err != nil {
		return 0, err
	}
	counted := &counter{w: w}
	out := bufio.NewWriterSize(counted, 64<<10)
	l.count = 0
	for last := []byte(nil); lines.More(); {
		text, err := lines.Text()
		if err != nil {
			return counted.n, err
		}
		if same := sameAs(text); last == nil || !bytes.Equal(same, last) {
			l.count, last = l.count+1, append(last[:0], same...)
			if err := lines.Write(out); err != nil {
				return counted.n, err
			}
		}
		if err := lines.Next(); err != nil {
			return counted.n, err
		}
	}
	err = out.Flush()
	return counted.n, err
}

// Close gives up what the list has on disk.
func (l *List) Close() error {
	if l.lines == nil {
		return nil
	}
	return l.lines.Close()
}

// Merge adds the pages of a file that a List has written to those of a collection, durably. To do so
// again changes nothing. Whoever calls it has the collection locked.
func Merge(dir collection.Dir, mode collection.Mode, path string) error {
	more, err := collection.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer more.Close()
	return replace(dir, mode, os.Rename, func(old io.Reader, w *bufio.Writer) error {
		return merge(w, newReader(old), newReader(more))
	})
}

// Prepare takes the pages out of a collection's list for which drop is true, durably, and returns how
// many they were. The new list, if anything was dropped, stays at collection.Dir.NewPages: the caller
// lets it take the place of the old one, or Sweep takes it away. Whoever calls it has the collection
// locked.
func Prepare(dir collection.Dir, mode collection.Mode, drop func(*Page) bool) (dropped int, err error) {
	if _, err := os.Lstat(dir.Pages()); errors.Is(err, fs.ErrNotExist) {
		return 0, Sweep(dir)
	}
	stay := func(string, string) error { return nil }
	err = replace(dir, mode, stay, func(old io.Reader, w *bufio.Writer) error {
		lines := newReader(old)
		for {
			text, err := lines.next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			page, ok := Parse(text)
			if !ok {
				continue
			}
			if drop(&page) {
				dropped++
				continue
			}
			if err := writeLine(w, text); err != nil {
				return err
			}
		}
	})
	if err == nil && dropped == 0 {
		err = Sweep(dir)
	}
	return dropped, err
}

// Sweep removes what a process has left that was killed while it replaced the list. Whoever calls it
// has the collection locked.
func Sweep(dir collection.Dir) error {
	err := os.Remove(dir.NewPages())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// replace makes a new list of the old one. The new one stands beside it under one name, which the
// next replacement takes again, until place puts it into its place.
func replace(dir collection.Dir, mode collection.Mode, place func(from, to string) error,
	write func(old io.Reader, w *bufio.Writer) error) error {
	if err := Sweep(dir); err != nil {
		return err
	}
	old, err := openOld(dir)
	if err != nil {
		return err
	}
	defer old.Close()
	err = makeNew(dir, mode, func(w *bufio.Writer) error { return write(old, w) })
	if err == nil {
		err = place(dir.NewPages(), dir.Pages())
	}
	if err != nil {
		return errors.Join(err, Sweep(dir))
	}
	return dir.Sync()
}

// openOld opens the list of a collection, which is empty if there is none.
func openOld(dir collection.Dir) (io.ReadCloser, error) {
	file, err := collection.OpenRegular(dir.Pages())
	if errors.Is(err, fs.ErrNotExist) {
		return io.NopCloser(bytes.NewReader(nil)), nil
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

// makeNew writes a list beside that of a collection, durably.
func makeNew(dir collection.Dir, mode collection.Mode, write func(*bufio.Writer) error) error {
	made, err := os.OpenFile(dir.NewPages(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(made, 64<<10)
	err = writeLine(out, []byte(header))
	if err == nil {
		err = write(out)
	}
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = errors.Join(mode.Of(dir.Pages()).Set(dir.NewPages()), made.Sync())
	}
	return errors.Join(err, made.Close())
}

// merge writes the pages of two lists in their order, each once. Of the same page the one of a is
// written.
func merge(w *bufio.Writer, a, b *reader) error {
	one, other := &ordered{lines: a}, &ordered{lines: b}
	if err := one.next(); err != nil {
		return err
	}
	if err := other.next(); err != nil {
		return err
	}
	var last []byte
	for first := firstOf(one, other); first.text != nil; first = firstOf(one, other) {
		if same := sameAs(first.text); last == nil || !bytes.Equal(same, last) {
			last = append(last[:0], same...)
			if err := writeLine(w, first.text); err != nil {
				return err
			}
		}
		if err := first.next(); err != nil {
			return err
		}
	}
	return nil
}

// firstOf is the list whose page comes first; at the end of both it has none.
func firstOf(a, b *ordered) *ordered {
	if a.text == nil || b.text != nil && bytes.Compare(sameAs(b.text), sameAs(a.text)) < 0 {
		return b
	}
	return a
}

// ordered is a list of ours at one of its pages; text is nil at its end.
type ordered struct {
	lines *reader
	text  []byte
}

// next goes on to the next page. What is none is passed over: the header, and what somebody has
// written into the file.
func (o *ordered) next() error {
	for {
		text, err := o.lines.next()
		if errors.Is(err, io.EOF) {
			o.text = nil
			return nil
		}
		if err != nil {
			return err
		}
		if page, ok := Parse(text); ok {
			o.text = page.Line()
			if o.text != nil {
				return nil
			}
		}
	}
}

func writeLine(w *bufio.Writer, text []byte) error {
	if _, err := w.Write(text); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
