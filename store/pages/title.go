package pages

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/pagelist"
	"warcorder/store/readback"
	"warcorder/store/text"
	"warcorder/store/warc"
)

// Title returns the title of a page: that of a list, else from its HTML as it was recorded; "" if it
// has none. What a script has made of it later is not known. A page that was not modified has the
// title of the capture that it stands for.
func (p *Pages) Title(ctx context.Context, page Page) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if page.Title != "" {
		return page.Title, nil
	}
	c, err := p.Shown(page)
	if err != nil {
		return "", err
	}
	r, err := p.files.Response(&c)
	if err != nil {
		return "", err
	}
	defer r.Close()
	h := record.ParseHead(r.Head)
	if !record.IsHTML(h.MIME()) {
		return "", nil
	}
	body, err := r.Decoded()
	if err != nil {
		return "", err
	}
	return text.Title(body, record.Text(h.ContentType))
}

// Text returns the text that a list gives a page; "" if none does. That is what was seen of it, with
// what scripts had made.
func (p *Pages) Text(page Page) (string, error) {
	if page.Listed.IsZero() {
		return "", nil
	}
	listed, found, err := pagelist.Find(p.files.Dir(), page.Listed, page.URL)
	if err != nil || !found || listed.ID != page.ID && listed.ID != "" {
		return "", err
	}
	return listed.Text, nil
}

// mostShown is how many captures of a URL are looked at for what a 304 stands for.
const mostShown = 100

// Shown returns the capture with the body that a client shows: of a 304 the nearest of status 200, or
// itself if there is none. Pages without an index know no other than the page's own Shown.
func (p *Pages) Shown(page Page) (store.Capture, error) {
	c := page.Capture
	if page.Shown != nil {
		return *page.Shown, nil
	}
	if c.Status != http.StatusNotModified || p.index == nil {
		return c, nil
	}
	err := p.index.Nearest(store.URLKey, c.URLKey, c.Time, mostShown, func(near *store.Capture) bool {
		if near.Status == http.StatusOK {
			c = *near
		}
		return near.Status != http.StatusOK
	})
	return c, err
}

// Line is a page as a line of JSON.
type Line struct {
	URL       string `json:"url"`
	Time      string `json:"ts"` // RFC 3339, in UTC
	Title     string `json:"title"`
	ID        string `json:"id"`
	Resources int    `json:"resources"`
}

// AppendLine appends a page as a line of JSON, with its line break. A page whose file is missing or
// damaged has no title.
func (p *Pages) AppendLine(ctx context.Context, dst []byte, page Page) ([]byte, error) {
	title, err := p.Title(ctx, page)
	if err != nil && !IsOfRecord(err) {
		return dst, err
	}
	line, err := json.Marshal(Line{page.URL, page.Time.UTC().Format(time.RFC3339Nano), title, page.ID,
		page.Resources})
	return append(append(dst, line...), '\n'), err
}

// IsOfRecord reports whether an error is of what was recorded, and says nothing of other records.
func IsOfRecord(err error) bool {
	for _, of := range []error{readback.ErrMissing, readback.ErrNoOriginal, readback.ErrNoMessage,
		readback.ErrCoding} {
		if errors.Is(err, of) {
			return true
		}
	}
	return errors.As(err, new(*warc.Damage))
}
