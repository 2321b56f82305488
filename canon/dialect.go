package canon

import (
	"fmt"
	"strings"
)

// A Dialect is a way of writing a request's method and body into the URL that its key is made of,
// so that a response to a POST is found again by what was posted. The empty Dialect is Pywb. An
// unknown one acts as Pywb too; let UnmarshalText refuse it first.
type Dialect string

const (
	// Pywb writes what pywb (warcserver/inputrequest.py) and its indexer write. It is the dialect of
	// the index itself.
	Pywb Dialect = "pywb"
	// Spec follows the text of Request Body Canonicalization to the letter.
	Spec Dialect = "spec"
	// WarcioJS writes what warcio.js (postToGetUrl and getSurt), and the browser tools built on
	// it, write.
	WarcioJS Dialect = "warciojs"
)

// UnmarshalText reads a dialect's name, as a configuration or a command line has it.
func (d *Dialect) UnmarshalText(text []byte) error {
	switch name := Dialect(text); name {
	case Pywb, Spec, WarcioJS:
		*d = name
		return nil
	}
	return fmt.Errorf("dialect %q: use %s, %s or %s", text, Pywb, Spec, WarcioJS)
}

// Query returns the query that stands for the request's body (Request Body Canonicalization,
// "Encoding the request body"): what an index line calls requestBody. It is cut where the dialect
// cuts it: at 4096 code points in Pywb, at 4096 UTF-16 units in WarcioJS. In Spec a body of more
// than 1 MiB, or one whose query would be longer than that, is named by its first 3072 bytes and
// its SHA-256. The query is empty for a GET and for a body that the dialect passes over. Query
// cannot fail.
func (d Dialect) Query(r *Request) string {
	q, _ := d.QueryWithin(r)
	return q
}

// QueryWithin is Query. It is false for a body that asks for more work than a body of its length
// may. Only a hostile program makes such a body, and it counts as binary.
func (d Dialect) QueryWithin(r *Request) (query string, within bool) {
	if r.isGET() {
		return "", true
	}
	b := budgetOf(r.Body)
	switch d {
	case Spec:
		query = specQuery(r, &b)
	case WarcioJS:
		query = warcioJSQuery(r)
	default:
		query = pywbQuery(r, &b)
	}
	return query, !b.spent()
}

// Append returns url with the request's method and its body's query appended as arguments (Request
// Body Canonicalization, "Encoding the request method"). For a GET it returns url itself.
func (d Dialect) Append(url, method, requestBody string) string {
	if method == "" || method == "GET" {
		return url
	}
	switch d {
	case Spec:
		return appendArguments(url, method, requestBody)
	case WarcioJS:
		return warcioJSAppend(url, method, requestBody)
	}
	if strings.EqualFold(method, "GET") {
		return url
	}
	return appendArguments(url, strings.ToUpper(method), requestBody)
}

// Key returns the key of a URL that Append gave: its SURT, or in WarcioJS what warcio.js calls a
// SURT. It is false when the URL has none; the key is then the URL, which WarcioJS may give back
// without its "www.".
func (d Dialect) Key(url string) (key string, ok bool) {
	if d == WarcioJS {
		return warcioJSKey(url)
	}
	return SURT(url)
}

// Keys returns all that the dialect makes of a request.
func (d Dialect) Keys(r *Request) Keys {
	k := Keys{Method: d.method(r)}
	k.RequestBody, k.Within = d.QueryWithin(r)
	k.URL = d.Append(r.URL, r.Method, k.RequestBody)
	k.URLKey, k.OK = d.Key(k.URL)
	return k
}

// method returns the request's method as the dialect writes it.
func (d Dialect) method(r *Request) string {
	switch {
	case r.isGET():
		return "GET"
	case d == Spec || d == WarcioJS:
		return r.Method
	}
	return strings.ToUpper(r.Method)
}

// Keys is what a dialect makes of a request. For every request in Pywb and Spec,
// URLKey is SURT of URL, and URL is Append of the request's URL, Method and
// RequestBody.
type Keys struct {
	Method      string // "GET" if the request names none
	RequestBody string // what Query returns
	URL         string // what Append returns
	URLKey      string // what Key returns
	OK          bool   // false: URL cannot be parsed and URLKey is URL
	Within      bool   // what QueryWithin returns
}
