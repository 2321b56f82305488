package pagelist

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"iter"
	"time"

	"warcorder/store/collection"
)

// All returns the pages that imports have brought to a collection, in the order of their times: those
// from a time on and before another; the zero Time is no bound. No file is no page. It may be called
// while the list is replaced: it then reads the former one to its end.
func All(dir collection.Dir, from, before time.Time) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		file, err := collection.OpenRegular(dir.Pages())
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Page{}, err)
			return
		}
		defer file.Close()
		lines := newReader(file)
		for {
			text, err := lines.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Page{}, err)
				return
			}
			page, ok := Parse(text)
			if !ok || page.Time.Before(from) {
				continue
			}
			if !before.IsZero() && !page.Time.Before(before) {
				return
			}
			if !yield(page, nil) {
				return
			}
		}
	}
}

// Read calls page for each page of a list of any tool, and returns how many lines were none that can
// be read: not JSON, without an address or a time, or longer than MaxLine. The first line, which is
// the header, does not count.
func Read(in io.Reader, page func(Page) error) (passed int, err error) {
	lines := newReader(in)
	for first := true; ; first = false {
		text, err := lines.next()
		if errors.Is(err, io.EOF) {
			return passed, nil
		}
		if err != nil {
			return passed, err
		}
		p, ok := Parse(text)
		switch {
		case ok:
			if err := page(p); err != nil {
				return passed, err
			}
		case !first && len(text) > 0:
			passed++
		}
	}
}

// reader reads lines.
type reader struct {
	in   *bufio.Reader
	text []byte
}

func newReader(in io.Reader) *reader { return &reader{in: bufio.NewReaderSize(in, 64<<10)} }

// next returns the next line without its newline, good until the next call. Of one that is longer
// than MaxLine it returns the beginning, and skips the rest.
func (r *reader) next() ([]byte, error) {
	r.text = r.text[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		r.text = append(r.text, part[:min(len(part), MaxLine-len(r.text))]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(r.text) == 0, err != nil && !errors.Is(err, io.EOF):
			return nil, err
		}
		for n := len(r.text); n > 0 && (r.text[n-1] == '\n' || r.text[n-1] == '\r'); n-- {
			r.text = r.text[:n-1]
		}
		return r.text, nil
	}
}
