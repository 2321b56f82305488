package recorder

import (
	"net/http"
	"time"

	"warcorder/store"
)

// lookup is what is found out about a response before its records are made: whether it can refer to
// another, and whether others can refer to it.
type lookup struct {
	uri    string
	whole  bool // it answers a GET, and nothing is missing
	hashed bool // its body goes into the maker's content
	key    store.OriginalKey
	keyed  bool

	to       *reference       // what it refers to; nil if it is stored in full
	original *pendingOriginal // what others refer to; nil if they do not
}

// maxOriginalURL is how long the URL of a response may be that takes part, in bytes: one that is as
// long as a body would have to be written with each revisit.
const maxOriginalURL = 2 << 10

// look finds out about a response that is in memory.
func (m *maker) look(x *Exchange, request, response *message, f *files, s *segment) (l lookup) {
	if content := m.begin(&l, x, request, response); content != nil {
		content.write(response.body)
	}
	m.find(&l, x, request, response, f, s, true)
	return l
}

// begin begins to find out. It returns what the body must then be written to; nil if it need not be
// looked at. A fault that has cut nothing off is of the request.
func (m *maker) begin(l *lookup, x *Exchange, request, response *message) *content {
	if m.dedup.Dedup == dedupOff || x.Truncated != "" || request.length < minBlock ||
		string(request.method()) != "GET" || !headEnds(response.start) {
		return nil
	}
	l.uri = targetURI(x.URL)
	l.whole = len(l.uri) <= maxOriginalURL
	body := response.length - int64(len(response.start))
	if !l.whole || !m.dedup.mayBeOriginal(request.method(), &response.head, body) {
		return nil
	}
	l.hashed = true
	m.content.reset(&response.head, body)
	return &m.content
}

// find looks for what the response can refer to. What goes wrong costs some space on disk.
func (m *maker) find(l *lookup, x *Exchange, request, response *message, f *files, s *segment,
	claims bool) {
	if !l.whole {
		return
	}
	var err error
	switch {
	case l.hashed:
		if l.key, l.keyed = m.content.key(&response.head, response.start, m.dedup.scopeOf(l.uri)); l.keyed {
			m.underway.key, m.underway.claims = l.key, claims
			l.to, err = f.original(l.key, s, claims,
				func(original time.Time) bool { return m.dedup.isFresh(original, x.Started) })
		}
	case response.status() == http.StatusNotModified && len(response.start) == int(response.length) && isConditional(request.start):
		l.to, err = f.unmodified(l.uri, request.start, response.start, s)
	}
	if err != nil {
		m.log.Warn().Err(err).Str("url", Logged(l.uri)).
			Msg("stored in full, as it cannot be found out whether it is in the collection")
	}
}

// note makes the response one that others can refer to, if they may.
func (m *maker) note(l *lookup, r *records, response *message, s *segment) {
	l.original = nil
	if !l.whole || !r.captured {
		return
	}
	keyed, isPage := l.keyed && l.to == nil, response.status() == http.StatusOK
	if !keyed && !isPage {
		return
	}
	p := &pendingOriginal{keyed: keyed, segment: s}
	if isPage { // even without validators: no 304 must refer to an older version
		p.page, p.validators = r.uri, validatorsOf(response.start)
	}
	if keyed {
		r.capture.Original = &p.Original
	}
	if l.to != nil {
		p.Original = l.to.Original
	} else {
		p.Original = store.Original{
			Key: l.key, RecordID: m.ids.response, Time: r.capture.Time, Seconds: m.style.seconds, Digest: r.capture.Digest, URL: r.uri,
		}
	}
	l.original = p
}
