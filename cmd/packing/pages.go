package packing

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"slices"

	"golang.org/x/sync/semaphore"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/pages"
	"warcorder/store/readback"
	"warcorder/store/text"
	"warcorder/store/wacz"
)

// pages adds the pages of a part, with their titles and texts; texts as far as they leave room for
// what else is planned. progress is told how many there are.
func (p *Package) pages(ctx context.Context, report *Report, w *wacz.Writer, s *share,
	progress func(count int64)) error {
	count, planned := int64(0), planned(s.sel, s.plan)
	return p.eachLine(ctx, s, func(line *wacz.Page) error {
		if line.Text != "" && p.mustFit() && w.Size()+planned+perText*int64(len(line.Text)) > p.Split {
			line.Text = ""
			report.Textless++
		}
		count++
		progress(count)
		return w.Page(line)
	})
}

// mustFit reports whether pages may have to do without their texts.
func (p *Package) mustFit() bool { return p.Text && p.Split > 0 }

const (
	// mostAtOnce is how many pages are read at the same time, at most.
	mostAtOnce = 4

	// mostAhead is how many pages are known, but for their titles, before the first of them is: most need
	// not be read, and those that must are to keep all who read them busy.
	mostAhead = 256

	// mostBytesAhead is how many bytes of URLs and titles they have together: each may have a MiB.
	mostBytesAhead = 4 << 20
)

// read is a page that was read.
type read struct {
	line wacz.Page
	err  error
}

// ahead is a page that is read while those before it are: it is to come, and holds so many bytes.
type ahead struct {
	page chan read
	size int64
}

// eachLine calls do with each page of a part, in order. Several are read at the same time: what takes
// long is to inflate them.
func (p *Package) eachLine(all context.Context, s *share, do func(*wacz.Page) error) (err error) {
	ctx, cancel := context.WithCancel(all)
	defer cancel()
	readers := min(runtime.GOMAXPROCS(0), mostAtOnce)
	most := mostAhead
	if p.Text {
		most = readers // each may be of 1 MiB
	}
	lines, room := make(chan ahead, most), semaphore.NewWeighted(mostBytesAhead)
	go func() {
		defer close(lines)
		p.readLines(ctx, s, lines, room, make(chan struct{}, readers))
	}()
	for one := range lines {
		page := <-one.page
		if err == nil {
			err = page.err
		}
		if err == nil {
			err = do(&page.line)
		}
		if err != nil {
			cancel() // and wait for those that are being read
		}
		room.Release(one.size)
	}
	return errors.Join(err, all.Err())
}

// readLines sends the pages of a part to lines, each when it is read. As many are read at the same time
// as there is room in busy, and as many are known ahead as there is room for what they hold.
func (p *Package) readLines(ctx context.Context, s *share, lines chan<- ahead, room *semaphore.Weighted,
	busy chan struct{}) {
	for page, err := range p.Source.Pages(ctx, s.sel) {
		if err == nil && (page.URL == "" || !s.plan.Knew(&page.Capture)) {
			continue // it cannot be read, or it came since the plan was made
		}
		size := min(int64(len(page.Capture.URLKey)+len(page.Capture.URL)+len(page.URL)+len(page.Title)),
			mostBytesAhead)
		if room.Acquire(ctx, size) != nil {
			return
		}
		one := ahead{make(chan read, 1), size}
		select {
		case lines <- one:
		case <-ctx.Done():
			return
		}
		switch {
		case err != nil:
			one.page <- read{err: err}
			return
		case !p.isRead(&page):
			one.page <- read{line: lineOf(&page)}
			continue
		}
		busy <- struct{}{}
		go func() {
			line, err := p.readLine(ctx, page)
			<-busy
			one.page <- read{line, err}
		}()
	}
}

// lineOf returns a page with the title that a list of an import gives it, if one does.
func lineOf(page *pages.Page) wacz.Page {
	return wacz.Page{ID: page.ID, URL: page.URL, Time: page.Time, Status: page.Capture.Status,
		Title: page.Title}
}

// isRead reports whether a page must be read. What is no HTML has neither title nor text, unless a list
// of an import gives it some.
func (p *Package) isRead(page *pages.Page) bool {
	return mayBeHTML(&page.Capture) || p.Text && !page.Listed.IsZero()
}

func mayBeHTML(c *store.Capture) bool {
	isKnown := c.MIME != "" && !c.IsRevisit() && c.Status != http.StatusNotModified
	return !isKnown || record.IsHTML([]byte(c.MIME))
}

// readLine returns a page with its title and text: those of a list of an import, where that has them.
func (p *Package) readLine(ctx context.Context, page pages.Page) (line wacz.Page, err error) {
	line = lineOf(&page)
	if p.Text {
		if line.Text, err = p.Source.Text(page); err != nil {
			return line, err
		}
	}
	if !mayBeHTML(&page.Capture) {
		return line, nil
	}
	if line.Title, err = p.Source.Title(ctx, page); err != nil && !isLacking(err) {
		return line, err
	}
	if p.Text && line.Text == "" {
		line.Text, err = p.textOf(page)
		return line, err
	}
	return line, nil
}

// perText is how many bytes a byte of text takes at most, or nearly so: it may be in both lists, and
// some characters are written as six.
const perText = 3

// textOf returns the visible text of a page; "" if it is not HTML, or cannot be read.
func (p *Package) textOf(page pages.Page) (string, error) {
	if page.Capture.Status == http.StatusNotModified {
		return "", nil
	}
	r, err := p.Source.Files().Response(&page.Capture)
	if isLacking(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer r.Close()
	head := record.ParseHead(r.Head)
	if !record.IsHTML(head.MIME()) {
		return "", nil
	}
	body, err := r.Decoded()
	if isLacking(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	seen, err := text.Of(body, record.Text(head.ContentType))
	if isLacking(err) {
		err = nil
	}
	return seen, err
}

// isLacking reports whether an error is of what was recorded of one capture: it lacks something then,
// and others do not.
func isLacking(err error) bool {
	return err != nil && slices.ContainsFunc([]error{readback.ErrMissing, readback.ErrNoOriginal,
		readback.ErrNoMessage, readback.ErrNoRequest, readback.ErrCoding, io.ErrUnexpectedEOF},
		func(lacks error) bool { return errors.Is(err, lacks) })
}
