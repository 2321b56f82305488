// Package wayback answers over HTTP what collections hold: their index, their WARC files and what
// was recorded, as the tools do that people have. Start with [New].
//
//	/NAME/cdx               the index, as pywb's server has it; also /NAME/index
//	/NAME/cdx/search/cdx    the same, as the Wayback Machine has it
//	/NAME/web/timemap/…     the captures of a URL
//	/NAME/web/TSid_/URL     what was recorded of a URL, nearest to a time: web.go
//	/NAME/warc/FILE         a WARC file, or parts of it, under its final name: files.go
//	/NAME/warc/index.cdxj   all lines of the index: lines.go
//
// One collection is also found without its name: /cdx, /web/…, /warc/….
//
// Paths are judged as they were sent, since a URL in one keeps its slashes. Who may ask is judged
// by whoever mounts a Site, and whoever hands the collections in has their indexes open; what the
// handlers of the index (package cdxapi) answer is theirs.
//
// Invariant: no byte of a file is given that the index does not know to be on disk, and what is
// given of a file is of one file, also while others take its place. What was recorded acts on
// nothing of our origin. No transaction is open while a client reads; one that does not read loses
// its place, and none has all places: places.go.
package wayback

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
)

// Collection is one that is served.
type Collection struct {
	Name string // "" if it is found without one alone
	Dir  collection.Dir

	// Open returns what the collection is read by at this moment. Its error is for the client, who
	// gets 503.
	Open func() (Reader, error)

	// Settle, if it is not nil, brings the index of a collection that is being recorded up to date in what
	// a question may find, and waits for nothing once the context is done.
	Settle func(context.Context, store.Question)

	// The handlers of the index. They get paths without the name of the collection. Check, if it is
	// not nil, is called before them: its error is one of Open.
	Pywb, Search, TimeMap http.Handler
	Check                 func() error
}

// Reader is what a collection is read by. Whoever made it closes it.
type Reader struct {
	Index *store.Bolt
	Files *readback.Files
}

// Site answers for some collections.
type Site struct {
	all   []Collection
	alone *Collection // that is found without its name; nil if none is

	places   places
	patience time.Duration // for a client to take a piece of an answer
}

// patience is long: a player of films may pause for some time, and asks again after it.
const patience = 2 * time.Minute

// New returns the site of some collections, of which no two have one name. A single one is found
// without its name too.
func New(all ...Collection) *Site {
	s := &Site{all: all, patience: patience}
	if len(all) == 1 {
		s.alone = &s.all[0]
	}
	return s
}

// Has reports whether a path, as it was sent, is one of the site's, also if nothing is there.
func (s *Site) Has(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return isKind(first) || s.named(first) != nil
}

// EndsInURL reports whether a path of the site ends with a URL, whose query is the path's then.
func (s *Site) EndsInURL(path string) bool {
	_, rest := s.of(path)
	return s.Has(path) && strings.HasPrefix(rest, webPath) && !isTimeMapQuery(rest)
}

// The paths of a collection, behind its name.
const (
	cdxPath     = "/cdx"
	indexPath   = "/index"
	searchPath  = "/cdx/search/cdx"
	webPath     = "/web/"
	timeMapPath = "/web/timemap/"
	warcPath    = "/warc/"
	linesPath   = "/warc/index.cdxj"
)

// isKind reports a first segment of the paths that have no name of a collection.
func isKind(segment string) bool { return segment == "cdx" || segment == "web" || segment == "warc" }

// isTimeMapQuery reports a time map whose URL stands in the query.
func isTimeMapQuery(rest string) bool {
	output, found := strings.CutPrefix(rest, timeMapPath)
	return found && !strings.Contains(output, "/")
}

// named returns the collection whose name a segment of a path is; nil if it is none's.
func (s *Site) named(segment string) *Collection {
	name, err := url.PathUnescape(segment)
	if err != nil || name == "" { // a collection may be served without a name
		return nil
	}
	for i := range s.all {
		if s.all[i].Name == name {
			return &s.all[i]
		}
	}
	return nil
}

// of returns the collection that a path is of, and the rest of the path; nil if it does not tell.
func (s *Site) of(path string) (c *Collection, rest string) {
	first, behind, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if isKind(first) {
		return s.alone, path
	}
	return s.named(first), "/" + behind
}

// ServeHTTP answers a request for a path that the site has.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "These pages are read: ask by GET.")
		return
	}
	leave, no := s.places.take(r.RemoteAddr)
	if leave == nil {
		w.Header().Set("Retry-After", "1")
		refuse(w, no.status, no.why)
		return
	}
	defer leave()
	path, query, asks := strings.Cut(r.RequestURI, "?")
	one, rest := s.of(path)
	if one == nil && strings.HasPrefix(path, warcPath) {
		one = s.holder(r.Context(), strings.TrimPrefix(path, warcPath))
	}
	if one == nil {
		refuse(w, http.StatusNotFound, s.whichOne(path))
		return
	}
	a := answering{one, r, &pacer{ResponseWriter: w, patience: s.patience}, base(path, rest)}
	a.answer(rest, query, asks)
}

// base is what stands before the rest of a path: nothing, or the name of the collection.
func base(path, rest string) string { return strings.TrimSuffix(path, rest) }

// whichOne says why a path without the name of a collection is of none.
func (s *Site) whichOne(path string) string {
	if len(s.all) == 0 {
		return "No collection is served here."
	}
	return "There are several collections here, and this path says of none: put its name first, /" +
		url.PathEscape(s.all[0].Name) + path[:min(len(path), 40)] + "…, say."
}

// answering is the answer to one request.
type answering struct {
	of   *Collection
	r    *http.Request
	w    http.ResponseWriter
	base string // of the paths of the collection, as the client has them
}

// answer answers for what stands behind the name of the collection.
func (a *answering) answer(rest, query string, asks bool) {
	switch {
	case rest == cdxPath, rest == indexPath && a.base != "":
		a.pass(a.of.Pywb, rest)
	case rest == searchPath:
		a.pass(a.of.Search, rest)
	case strings.HasPrefix(rest, timeMapPath):
		a.pass(a.of.TimeMap, rest)
	case strings.HasPrefix(rest, webPath):
		if asks {
			rest += "?" + query
		}
		a.open(func(in Reader) { a.web(in, strings.TrimPrefix(rest, webPath)) })
	case rest == linesPath:
		a.open(a.lines)
	case strings.HasPrefix(rest, warcPath):
		a.open(func(in Reader) { a.file(in, strings.TrimPrefix(rest, warcPath)) })
	default:
		refuse(a.w, http.StatusNotFound, "Nothing is here. "+Routes)
	}
}

// open opens the collection for an answer.
func (a *answering) open(answer func(Reader)) {
	in, err := a.of.Open()
	if err != nil {
		a.unreadable(err)
		return
	}
	answer(in)
}

// settle brings the index up to date in what is asked.
func (c *Collection) settle(ctx context.Context, q store.Question) {
	if c.Settle != nil {
		c.Settle(ctx, q)
	}
}

// unreadable says why a collection cannot be read now.
func (a *answering) unreadable(err error) {
	a.w.Header().Set("Retry-After", "5")
	refuse(a.w, http.StatusServiceUnavailable, err.Error())
}

// Routes is what there is, in a sentence.
const Routes = "A collection has /cdx?url=…, /cdx/search/cdx?url=…, /web/timemap/json/URL, " +
	"/web/YYYYMMDDhhmmssid_/URL, /warc/FILE and /warc/index.cdxj, and with its name before them " +
	"/NAME/cdx, /NAME/index and so on."

// pass has a handler answer that knows nothing of the name of the collection.
func (a *answering) pass(to http.Handler, rest string) {
	if a.of.Check != nil {
		if err := a.of.Check(); err != nil {
			a.unreadable(err)
			return
		}
	}
	if a.base == "" {
		to.ServeHTTP(a.w, a.r)
		return
	}
	bare, address := *a.r, *a.r.URL
	bare.URL, bare.RequestURI = &address, strings.TrimPrefix(a.r.RequestURI, a.base)
	address.Path = rest
	address.RawPath = ""
	if plain, err := url.PathUnescape(rest); err == nil {
		address.Path, address.RawPath = plain, rest
	}
	to.ServeHTTP(a.w, &bare)
}

// refuse answers that there is no other answer, and why, as JSON: error is for our clients, message
// for those of pywb.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.Encode(map[string]string{"error": why, "message": why})
}

// pacer gives a client some time for each piece of an answer: whoever reads nothing loses the
// connection, and the place.
type pacer struct {
	http.ResponseWriter
	patience time.Duration
}

// pieceSize is how many bytes a client has that time for.
const pieceSize = 128 << 10

// Write is that of http.ResponseWriter.
func (p *pacer) Write(b []byte) (n int, err error) {
	control := http.NewResponseController(p.ResponseWriter)
	for {
		control.SetWriteDeadline(time.Now().Add(p.patience))
		m, err := p.ResponseWriter.Write(b[:min(len(b), pieceSize)])
		if n, b = n+m, b[m:]; err != nil || len(b) == 0 {
			return n, err
		}
	}
}

// Unwrap is for http.ResponseController.
func (p *pacer) Unwrap() http.ResponseWriter { return p.ResponseWriter }
