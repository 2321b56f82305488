package fromhar

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"warcorder/store/pagelist"
)

// Bounds of what is kept of the pages of a HAR.
const (
	maxPages = 100_000
	maxTexts = 16 << 20 // bytes of their ids, titles and addresses
)

// page is a page as a HAR has it. Its address is not in the HAR: it is that of its first document.
type page struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// pages are the pages of a HAR. A HAR may name them before its entries or behind them.
type pages struct {
	order  []string // ids
	titles map[string]string
	seen   map[string]document // the document of each page, by id
	texts  int
}

// document is the exchange that brought a page.
type document struct {
	url string
	at  time.Time
}

// add adds a page, as far as there is room.
func (p *pages) add(one page) {
	if p.titles == nil {
		p.titles = make(map[string]string)
	}
	if _, known := p.titles[one.ID]; known || one.ID == "" || !p.fits(len(one.ID)+len(one.Title)) {
		return
	}
	p.titles[one.ID] = one.Title
	p.order = append(p.order, one.ID)
}

// saw takes an exchange that became records.
func (p *pages) saw(x *exchange) {
	if x.Page == "" || x.isCompletion() || !isDocument(x) {
		return
	}
	if p.seen == nil {
		p.seen = make(map[string]document)
	}
	if _, known := p.seen[x.Page]; known || !p.fits(len(x.Page)+len(x.uri)) {
		return
	}
	p.seen[x.Page] = document{x.uri, x.at}
}

// fits reports whether there is room for so many bytes of text more.
func (p *pages) fits(size int) bool {
	if len(p.titles)+len(p.seen) >= 2*maxPages || p.texts+size > maxTexts {
		return false
	}
	p.texts += size
	return true
}

// isDocument reports whether an exchange brought what may be a page.
func isDocument(x *exchange) bool {
	if x.ResourceType != "" && x.ResourceType != "document" {
		return false
	}
	kind, _, _ := strings.Cut(x.Response.Content.Type, ";")
	if kind == "" || kind == "x-unknown" {
		kind, _, _ = strings.Cut(valueOf(x.Response.Headers, "Content-Type"), ";")
	}
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "text/html", "application/xhtml+xml":
		return x.Request.Method == "GET" && x.status/100 != 3
	}
	return false
}

// tellPages tells of the pages that have a document. Their ids get what tells this HAR from others,
// since most HARs have a page_1.
func (h *har) tellPages() error {
	for _, id := range h.pages.order {
		seen, ok := h.pages.seen[id]
		if !ok {
			continue
		}
		title := h.pages.titles[id]
		if at, err := url.Parse(title); err == nil && at.Scheme != "" && at.Host != "" {
			title = "" // Chromium gives the address as the title
		}
		p := pagelist.Page{Time: seen.at, URL: seen.url, ID: fmt.Sprintf("%x-%s", h.sum[:4], id),
			Title: title, From: h.name}
		if err := h.Page(p); err != nil {
			return err
		}
		h.report.Pages++
	}
	return nil
}
