// Package selection is a part of a collection that people hand on or remove: by URL, time, page and
// file. Start with a [Selection], and a [Source] that gives its captures: New makes one of an index
// that is at rest.
//
// What is selected cannot always be read alone: the body of a revisit lies in another record, of
// another URL or in another file. A Source gives the captures of these originals too, as Needed.
//
// Invariant: each capture comes once, in the order of the CDXJ lines, and with each revisit that has
// an original that original. All that comes was committed when the reading began; what is committed
// later is as if it were not there. However many captures there are, no more than a few thousand are
// in memory, the rest is sorted in temporary files.
package selection

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"warcorder/store"
	"warcorder/store/warc"
)

// Selection selects captures: those to which all of it applies. The zero Selection selects all.
type Selection struct {
	URL   string
	Match store.Match // how URL selects; "" is Exact, which selects all that was asked of the URL

	// From and To are the first and the last moment, as store.CheckPeriod takes them.
	From, To string

	Page  string   // the ID of a page, or the URL of pages: they and their resources
	Files []string // base names of WARC files; none selects every file
}

// IsAll reports whether s selects every capture.
func (s Selection) IsAll() bool {
	return s.URL == "" && s.From == "" && s.To == "" && s.Page == "" && len(s.Files) == 0
}

// Check returns an error unless captures can be selected so.
func (s Selection) Check() error {
	switch {
	case s.URL == "" && s.Match != "" && s.Match != store.Exact:
		return fmt.Errorf("match %s is for a URL: name one", string(s.Match))
	case s.Match == store.AnyBody:
		return errors.New("match any-body is no match of a selection: exact has what was posted too")
	case s.URL != "" && !isWhole(s.URL):
		return fmt.Errorf("url %q: write the whole of it, such as https://example.com/", s.URL)
	}
	for _, name := range s.Files {
		if name == "" || name == "." || name != filepath.Base(name) {
			return fmt.Errorf("file %q: it is no base name of a WARC file", name)
		}
	}
	if err := store.CheckPeriod(s.From, s.To); err != nil {
		return err
	}
	return s.query().Check()
}

// isWhole reports whether a URL has its scheme: no host alone, nor one with a port. Files of other
// tools have captures of other schemes than http too, such as dns:example.com.
func isWhole(text string) bool {
	scheme, rest, _ := strings.Cut(text, ":")
	scheme = strings.ToLower(scheme)
	if scheme == "http" || scheme == "https" {
		host, slashes := strings.CutPrefix(rest, "//")
		return slashes && strings.Trim(host, "/?# ") != "" && !strings.ContainsAny(host[:1], "/?#:")
	}
	if strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+-") != "" || scheme == "" {
		return false
	}
	port, _, _ := strings.Cut(rest, "/")
	return strings.Trim(port, "0123456789") != "" || strings.HasPrefix(rest, "//")
}

// query is s without page and files.
func (s Selection) query() store.Query {
	return store.Query{URL: s.URL, Match: s.Match, From: s.From, To: s.To, All: true}
}

// posted is the query of what was asked of the URL by other methods than GET, which query does not
// select; false if it selects all of that.
func (s Selection) posted() (q store.Query, is bool) {
	q = s.query()
	if s.URL == "" || s.Match != store.Exact && s.Match != "" {
		return q, false
	}
	q.Match = store.AnyBody
	return q, true
}

// FileName is the name under which a file is known that somebody names: by its path, or as it is
// called while it is written.
func FileName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), warc.OpenSuffix)
}

// The parameters of a selection.
const (
	paramURL   = "url"
	paramMatch = "match"
	paramFrom  = "from"
	paramTo    = "to"
	paramPage  = "page"
	paramFile  = "file"
)

// IsParam reports whether a parameter of that name is one of a selection.
func IsParam(name string) bool {
	return slices.Contains([]string{paramURL, paramMatch, paramFrom, paramTo, paramPage, paramFile}, name)
}

// Repeats reports whether a parameter may be given more than once.
func Repeats(name string) bool { return name == paramFile }

// Values returns the selection as the parameters of a request.
func (s Selection) Values() url.Values {
	values := url.Values{}
	for name, text := range map[string]string{
		paramURL:   s.URL,
		paramMatch: string(s.Match),
		paramFrom:  s.From,
		paramTo:    s.To,
		paramPage:  s.Page,
	} {
		if text != "" {
			values.Set(name, text)
		}
	}
	if len(s.Files) > 0 {
		values[paramFile] = s.Files
	}
	return values
}

// Of is the inverse of Values. The error is that of Check.
func Of(values url.Values) (Selection, error) {
	s := Selection{
		URL:   values.Get(paramURL),
		Match: store.Match(values.Get(paramMatch)),
		From:  values.Get(paramFrom),
		To:    values.Get(paramTo),
		Page:  values.Get(paramPage),
		Files: values[paramFile],
	}
	return s, s.Check()
}
