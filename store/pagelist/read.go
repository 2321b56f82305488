package pagelist

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"time"

	"warcorder/store/collection"
)

// All returns the pages that imports have brought to a collection, in the order of their times: those
// from a time on and before another; the zero Time is no bound. No file is no page. It may be called
// while the list is replaced: it then reads the former one to its end.
func All(dir collection.Dir, from, before time.Time) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		file, err := openAt(dir, func(p *Page) bool { return p.Time.Before(from) })
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Page{}, err)
			return
		}
		defer file.Close()
		for page, err := range pagesOf(newReader(file)) {
			switch {
			case err == nil && page.Time.Before(from):
				continue
			case err == nil && !before.IsZero() && !page.Time.Before(before):
				return
			}
			if !yield(page, err) {
				return
			}
		}
	}
}

// openAt opens the list of a collection, at a line before which all pages lie that are before what is
// looked for.
func openAt(dir collection.Dir, before func(*Page) bool) (*os.File, error) {
	file, err := collection.OpenRegular(dir.Pages())
	if err != nil {
		return nil, err
	}
	if err := seek(file, before); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// pagesOf returns the pages of lines, until the first error.
func pagesOf(lines *reader) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for {
			text, err := lines.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Page{}, err)
				return
			}
			if page, ok := Parse(text); ok && !yield(page, nil) {
				return
			}
		}
	}
}

// Find returns the first page of that time and URL that imports have brought to a collection. It
// reads a few pieces of the list, however long that is.
func Find(dir collection.Dir, when time.Time, url string) (page Page, found bool, err error) {
	wanted := Page{Time: when, URL: url}
	key := bytes.TrimSuffix(wanted.key(), []byte(`"id":""`))
	if len(key) == 0 {
		return page, false, nil
	}
	file, err := openAt(dir, func(p *Page) bool { return bytes.Compare(p.key(), key) < 0 })
	if errors.Is(err, fs.ErrNotExist) {
		return page, false, nil
	}
	if err != nil {
		return page, false, err
	}
	defer file.Close()
	for page, err := range pagesOf(newReader(file)) {
		if err != nil {
			return Page{}, false, err
		}
		if bytes.Compare(page.key(), key) >= 0 {
			return page, bytes.HasPrefix(page.key(), key), nil
		}
	}
	return Page{}, false, nil
}

// seek goes to a line of a list of ours before which all pages lie that are before what is looked
// for: not far behind that line there are others.
func seek(file *os.File, before func(*Page) bool) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	low, high := int64(0), info.Size()
	for high-low > 64<<10 {
		middle := low + (high-low)/2
		begin, page, ok, err := lineBehind(file, middle, high)
		switch {
		case err != nil:
			return err
		case ok && before(&page):
			low = begin
		default:
			high = middle
		}
	}
	_, err = file.Seek(low, io.SeekStart)
	return err
}

// lineBehind returns the page of the first line that begins behind a place and before another; false
// if there is none.
func lineBehind(file io.ReaderAt, place, end int64) (begin int64, page Page, ok bool, err error) {
	in := bufio.NewReaderSize(io.NewSectionReader(file, place, end-place), 64<<10)
	begin = place
	for broken := false; !broken; {
		part, err := in.ReadSlice('\n')
		begin += int64(len(part))
		switch {
		case err == nil:
			broken = true
		case errors.Is(err, io.EOF):
			return begin, page, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return begin, page, false, err
		}
	}
	text, err := newReader(io.NewSectionReader(file, begin, MaxLine)).next()
	if errors.Is(err, io.EOF) {
		return begin, page, false, nil
	}
	page, ok = Parse(text)
	return begin, page, ok, err
}

// Read calls page for each page of a list of any tool, and returns how many lines were none that can
// be read: not JSON, without an address or a time, or longer than MaxLine without the rest of its long
// texts. The first line, which is the header, does not count.
func Read(in io.Reader, page func(Page) error) (passed int, err error) {
	lines := newReader(&shortener{in: in})
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
