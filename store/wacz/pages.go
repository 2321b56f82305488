package wacz

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"warcorder/store"
	"warcorder/store/scratch"
)

// The paths of the page lists.
const (
	pagesPath = "pages/pages.jsonl"
	extraPath = "pages/extraPages.jsonl"
)

// Page is a page of the list.
type Page struct {
	ID     string    `json:"id"`
	URL    string    `json:"url"`
	Time   time.Time `json:"ts"` // of its capture
	Title  string    `json:"title,omitempty"`
	Status int       `json:"status,omitempty"`
	Text   string    `json:"text,omitempty"`
}

// pages gathers pages in a temporary file, each as its line with a byte before it: listed, or extra
// for one of another status than 200.
//
// The extra list has all pages, not those alone that the other list has not: replayweb.page
// searches in that list, and nowhere else, if it is there.
type pages struct {
	dir  string
	file *os.File
	out  *bufio.Writer

	all, others int64
	bytes       int64 // of all lines
	listed      int64 // of those that are in the first list

	mainURL  string
	mainTime time.Time

	err error // of an earlier page
}

const (
	listed = 'l'
	extra  = 'x'
)

// add adds a page.
func (p *pages) add(page *Page) error {
	if p.file == nil {
		file, err := scratch.Create(p.dir, "warcorder-wacz-*")
		if err != nil {
			return err
		}
		p.file, p.out = file, bufio.NewWriterSize(file, 64<<10)
	}
	in := *page
	in.Time = store.FourDigitYear(in.Time.UTC())
	line, err := marshal(in, "")
	if err != nil {
		return err
	}
	p.all++
	p.bytes += int64(len(line))
	kind := byte(extra)
	if page.Status == http.StatusOK || page.Status == 0 {
		kind = listed
		p.listed += int64(len(line))
		if p.mainURL == "" {
			p.mainURL, p.mainTime = in.URL, in.Time
		}
	} else {
		p.others++
	}
	err = p.out.WriteByte(kind)
	if err == nil {
		_, err = p.out.Write(line)
	}
	return err
}

// size is more than what the lists take.
func (p *pages) size() int64 {
	const heads = 400
	if p.others > 0 {
		return heads + p.bytes + p.listed
	}
	return heads + p.bytes
}

func (p *pages) close() error {
	if p.file == nil {
		return nil
	}
	file := p.file
	p.file = nil
	return file.Close()
}

// head is the first line of a list.
type head struct {
	Format  string `json:"format"`
	ID      string `json:"id"`
	Title   string `json:"title"`
	HasText bool   `json:"hasText,omitempty"`
}

// writePages writes the lists.
func (w *Writer) writePages() error {
	h := head{Format: "json-pages-1.0", ID: "pages", Title: "Pages", HasText: w.settings.HasText}
	if w.pages.others == 0 {
		h.Title = "All Pages"
	}
	err := w.writeList(pagesPath, h, func(kind byte) bool { return kind == listed })
	if err != nil || w.pages.others == 0 {
		return err
	}
	h.ID, h.Title = "extra-pages", "All Pages"
	return w.writeList(extraPath, h, func(byte) bool { return true })
}

// writeList writes the pages that are wanted, by their kinds.
func (w *Writer) writeList(name string, h head, wants func(kind byte) bool) error {
	out, err := w.begin(name)
	if err != nil {
		return err
	}
	first, err := marshal(h, "")
	if err == nil {
		_, err = out.Write(first)
	}
	if err == nil && w.pages.file != nil {
		err = w.pages.copy(out, wants)
	}
	return step(name, err)
}

// copy copies the lines of some kinds. A line is copied in pieces, whatever its length.
func (p *pages) copy(out io.Writer, wants func(kind byte) bool) error {
	if err := p.out.Flush(); err != nil {
		return err
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(p.file, 64<<10)
	for {
		kind, err := in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for ended := false; !ended; {
			piece, err := in.ReadSlice('\n')
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return err
			}
			ended = err == nil
			if !wants(kind) {
				continue
			}
			if _, err := out.Write(piece); err != nil {
				return err
			}
		}
	}
}
