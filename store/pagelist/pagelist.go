// Package pagelist keeps the pages that other tools have named: what imports have brought of the
// page lists of WACZ files and of HARs. Records cannot tell these pages again, as they can those
// that are derived, so the list is a file of its own in a collection, which no rebuild touches.
// Start with [All].
//
// The file is pages.jsonl in the form of WACZ (json-pages-1.0): a header line, then a line for each
// page, in the order of their times:
//
//	{"format":"json-pages-1.0","id":"pages","title":"Pages of imports"}
//	{"ts":"2026-05-01T12:30:00.000000Z","url":"https://…","id":"…","title":"…","text":"…","from":"crawl.wacz"}
//
// All times have as many digits and the fields stand in this order, so the order of the lines as
// bytes is that of the times, and of one time that of the URLs.
//
// Invariant: the file is replaced as a whole or not at all. It holds no page twice: of the same time,
// URL and id the first one stays. Whatever the lines of a foreign list are, no more than one of them
// is in memory, and of one no more than MaxLine.
package pagelist

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of a page, in bytes. What is longer than that is no address that a browser takes, and no
// title that anybody reads.
const (
	MaxLine  = 4 << 20 // of a line of a list, as which a longer one is read with shorter texts
	maxURL   = 64 << 10
	maxID    = 256
	maxTitle = 4 << 10
	maxText  = 1 << 20 // the visible text, which is cut there
	maxFrom  = 1 << 10
)

// timeForm is how times are written, in UTC.
const timeForm = "2006-01-02T15:04:05.000000Z"

// Page is a page as a list names it.
type Page struct {
	Time  time.Time // when it was loaded
	URL   string
	ID    string // "" if the list gave it none, or one with control characters
	Title string // "" if the list gave it none
	Text  string // what was to be read on it; "" if the list does not say
	From  string // base name of the file that the list was in
}

// line is a Page as it is written.
type line struct {
	Time  string `json:"ts"`
	URL   string `json:"url"`
	ID    string `json:"id"` // never left out: the order of lines is that of pages then
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
	From  string `json:"from,omitempty"`
}

// Line is the page as a line, without its newline. It is nil for what can be no page: one without an
// address, or of a year that has not four digits.
func (p *Page) Line() []byte {
	when := p.Time.UTC()
	url := valid(p.URL)
	if url == "" || len(url) > maxURL || when.Year() < 0 || when.Year() > 9999 {
		return nil
	}
	id := valid(plainID(p.ID))
	if len(id) > maxID {
		id = ""
	}
	l := line{when.Format(timeForm), url, id, cut(p.Title, maxTitle), cut(p.Text, maxText),
		cut(p.From, maxFrom)}
	text := l.encode()
	if len(text) > MaxLine { // text of characters that JSON writes as six
		l.Text = ""
		text = l.encode()
	}
	return text
}

func (l *line) encode() []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(l); err != nil {
		return nil // text alone cannot fail
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// Parse reads a line of a list, ours or another tool's. It is false for a line that is none of a
// page, as the header is none.
func Parse(text []byte) (p Page, ok bool) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil || l.URL == "" {
		return p, false
	}
	when, ok := parseTime(l.Time)
	if !ok {
		return p, false
	}
	return Page{Time: when, URL: l.URL, ID: plainID(l.ID), Title: l.Title, Text: l.Text, From: l.From}, true
}

// parseTime reads the time of a page: of RFC 3339, as WACZ has it, or of 14 digits, as early tools
// wrote it.
func parseTime(text string) (time.Time, bool) {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "20060102150405"} {
		if when, err := time.Parse(form, text); err == nil {
			return when.UTC().Truncate(time.Microsecond), true
		}
	}
	return time.Time{}, false
}

// sameAs is how a line begins that stands for the same page: up to its id.
func sameAs(text []byte) []byte {
	for _, next := range []string{`,"title":`, `,"text":`, `,"from":`} {
		// a quotation mark within a text has a backslash before it: this is the name of a field
		if at := bytes.Index(text, []byte(next)); at >= 0 {
			return text[:at]
		}
	}
	return bytes.TrimSuffix(text, []byte("}"))
}

// key is what the order of the lines goes by: how the line of a page begins, up to its id.
func (p *Page) key() []byte {
	short := Page{Time: p.Time, URL: p.URL, ID: p.ID}
	return sameAs(short.Line())
}

// plainID is an ID, or "" for one with control characters: no tool gives such IDs, and who sorts by
// them ends them with a NUL. A list of an older version may have them.
func plainID(id string) string {
	if strings.ContainsFunc(id, unicode.IsControl) {
		return ""
	}
	return id
}

// valid is a text as JSON can hold it.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// cut is a text of at most so many bytes.
func cut(text string, most int) string {
	if text = valid(text); len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
