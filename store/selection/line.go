package selection

import (
	"encoding/json"
	"errors"
	"time"
	"unicode/utf8"

	"warcorder/store"
	"warcorder/store/pages"
)

// What a recorder answers is lines of JSON, each of them one of these:
//
//	{"file":{"name":…,"committed":…,"sealed":…,"remote":…}}   a file of the collection
//	{"page":{"id":…,"url":…,…,"resources":…,"capture":{…}}}   a page that is selected
//	{"capture":{"urlkey":…,…,"file":…,"offset":…,"length":…}} a capture, with its original's place
//	{"end":{"orphans":…,"orphan":…}}                          the last line: all is there
//	{"error":…}                                               the last line: the rest cannot be told
//
// Files come first. A text that is no UTF-8 is {"base64":…}.
type line struct {
	File    *fileLine    `json:"file,omitempty"`
	Page    *pageLine    `json:"page,omitempty"`
	Capture *captureLine `json:"capture,omitempty"`
	End     *endLine     `json:"end,omitempty"`
	Error   string       `json:"error,omitempty"`
}

type fileLine struct {
	Name      text  `json:"name"`
	Committed int64 `json:"committed"`
	Sealed    bool  `json:"sealed,omitempty"`
	Missing   bool  `json:"missing,omitempty"`

	Remote *store.Remote `json:"remote,omitempty"` // without its parts
}

type pageLine struct {
	ID        text         `json:"id"`
	First     text         `json:"first"`
	URL       text         `json:"url"`
	Resources int          `json:"resources"`
	Title     text         `json:"title,omitempty"` // that a list gives it
	Listed    time.Time    `json:"listed,omitzero"`
	Capture   *captureLine `json:"capture"`
	Shown     *captureLine `json:"shown,omitempty"` // of a page that was not modified
}

type endLine struct {
	Orphans int64  `json:"orphans,omitempty"`
	Orphan  string `json:"orphan,omitempty"` // the first
}

// captureLine is a Chosen.
type captureLine struct {
	URLKey       text          `json:"urlkey"`
	Time         time.Time     `json:"time"`
	URL          text          `json:"url"`
	MIME         text          `json:"mime,omitempty"`
	Status       int           `json:"status,omitempty"`
	Digest       text          `json:"digest,omitempty"`
	Method       text          `json:"method,omitempty"`
	Truncated    bool          `json:"truncated,omitempty"`
	Whole        bool          `json:"whole,omitempty"`
	Entity       uint32        `json:"entity,omitempty"`
	RequestBody  text          `json:"requestBody,omitempty"`
	SpecBody     text          `json:"specBody,omitempty"`
	WarcioJSBody text          `json:"warciojsBody,omitempty"`
	File         text          `json:"file"`
	Offset       int64         `json:"offset"`
	Length       int64         `json:"length"`
	Page         text          `json:"page,omitempty"`
	Needed       bool          `json:"needed,omitempty"`
	Original     *originalLine `json:"original,omitempty"`
}

// originalLine is where an original lies, and what tells it from another record.
type originalLine struct {
	File   text  `json:"file"`
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
}

// lineOf returns c as it is told.
func lineOf(c *Chosen) *captureLine {
	l := &captureLine{
		URLKey: text(c.URLKey), Time: c.Time, URL: text(c.URL), MIME: text(c.MIME), Status: c.Status,
		Digest: text(c.Digest), Method: text(c.Method), Truncated: c.Truncated, Whole: c.Whole,
		Entity: c.Entity, RequestBody: text(c.RequestBody), SpecBody: text(c.SpecBody),
		WarcioJSBody: text(c.WarcioJSBody), File: text(c.File), Offset: c.Offset, Length: c.Length,
		Page: text(c.Page), Needed: c.Needed,
	}
	if o := c.Original; o != nil {
		l.Original = &originalLine{text(o.File), o.Offset, o.Length}
	}
	return l
}

// chosen is the inverse of lineOf.
func (l *captureLine) chosen() Chosen {
	c := Chosen{Page: string(l.Page), Needed: l.Needed}
	c.Capture = store.Capture{
		URLKey: string(l.URLKey), Time: l.Time.UTC(), URL: string(l.URL), MIME: string(l.MIME),
		Status: l.Status, Digest: string(l.Digest), Method: string(l.Method), Truncated: l.Truncated,
		Whole: l.Whole, Entity: l.Entity, RequestBody: string(l.RequestBody),
		SpecBody: string(l.SpecBody), WarcioJSBody: string(l.WarcioJSBody),
		Location: store.Location{File: string(l.File), Offset: l.Offset, Length: l.Length},
	}
	if o := l.Original; o != nil {
		c.Original = &store.Location{File: string(o.File), Offset: o.Offset, Length: o.Length}
	}
	return c
}

// page is a page as it was told.
func (l *pageLine) page() pages.Page {
	c := l.Capture.chosen().Capture
	page := pages.Page{ID: string(l.ID), URL: string(l.URL), Time: c.Time, Capture: c,
		Resources: l.Resources, Title: string(l.Title), First: string(l.First), Listed: l.Listed}
	if l.Shown != nil {
		shown := l.Shown.chosen().Capture
		page.Shown = &shown
	}
	return page
}

// text is bytes that are UTF-8, as a rule.
type text string

var errText = errors.New("a text is neither a string nor base64")

func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(struct {
		Base64 []byte `json:"base64"`
	}{[]byte(t)})
}

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(t))
	}
	odd := struct {
		Base64 []byte `json:"base64"`
	}{}
	if err := json.Unmarshal(b, &odd); err != nil {
		return errors.Join(errText, err)
	}
	*t = text(odd.Base64)
	return nil
}
