package recorder

import (
	"net/http"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
)

// lookup is what is found out about a response before its records are made: whether it can refer to
// another, and whether others can refer to it.
//
//	begin  decides from the heads whether the body is worth a look, and takes it in if so
//	find   looks for an original: among those that wait for the index, in the index, and then in
//	       other archives (outside.go)
//	note   after the records are made: makes the response an original itself
//
// Between find and note of a response nobody knows it yet. Of several equal ones that come at once
// each worker would find nothing, and store its own. So find claims the key if it finds nothing:
// the others wait until the claim's owner has added its original to a batch (originals.await), or
// until a panic gives the claim up (maker.undo). Only small workers claim: a large exchange may
// take minutes from find to note, and small ones must not wait for it.
type lookup struct {
	uri    string
	whole  bool // it answers a GET, and nothing is missing
	hashed bool // its body goes into the maker's content
	key    store.OriginalKey
	keyed  bool

	to       *referred        // what it refers to; nil if it is stored in full
	original *pendingOriginal // what others refer to; nil if they do not

	rules *record.DedupConfig // that it was begun with
	scope string
	ended bool // the key was made
}

// look finds out about a response that is in memory.
func (m *maker) look(x *Exchange, request, response *record.Message, out *output) (l lookup) {
	if content := m.begin(&l, x, request, response); content != nil {
		content.Write(response.Body)
	}
	m.find(&l, x, request, response, out, true)
	return l
}

// end makes the key, when the body is in the maker's content.
func (m *maker) end(l *lookup, response *record.Message) {
	if l.ended = true; l.hashed {
		l.scope = l.rules.ScopeOf(l.uri, &response.Head)
		l.key, l.keyed = m.content.Key(&response.Head, response.Start, l.scope)
	}
}

// begin looks at the heads. It returns what the body must then be written to; nil if the body need
// not be looked at. A truncated exchange refers to nothing; one with a fault but without truncation
// may, since what went wrong then was the request.
func (m *maker) begin(l *lookup, x *Exchange, request, response *record.Message) *record.Content {
	l.rules = m.rules.Load()
	if x.Truncated != "" || request.Length < record.MinBlock ||
		string(request.Method()) != "GET" || !record.HeadEnds(response.Start) {
		return nil
	}
	l.uri = record.TargetURI(x.URL)
	l.whole = len(l.uri) <= record.MaxOriginalURL
	body := response.Length - int64(len(response.Start))
	if !l.whole || !l.rules.MayBeOriginal(request.Method(), &response.Head, body) {
		return nil
	}
	l.hashed = true
	m.content.Reset(&response.Head, body)
	m.content.Outside(m.outside.Collections(), m.outside.Servers())
	return &m.content
}

// find looks for what the response can refer to. An error is logged and no more: the response is
// then stored in full, which costs some space on disk.
func (m *maker) find(l *lookup, x *Exchange, request, response *record.Message, out *output,
	claims bool) {
	if !l.ended {
		m.end(l, response)
	}
	if !l.whole {
		return
	}
	var err error
	switch {
	case l.hashed:
		if l.keyed {
			m.underway.key, m.underway.claims = l.key, claims
			l.to, err = m.originals.find(l.key, out, claims,
				func(original time.Time) bool { return l.rules.IsFresh(original, x.Started) })
			if l.to == nil && err == nil {
				if l.to = m.findShared(l, x, response); l.to == nil {
					l.to = m.findOutside(l, x, response)
				}
				m.unclaim(l, claims)
			}
		}
	case l.rules.Dedup != record.DedupOff && response.Status() == http.StatusNotModified &&
		len(response.Start) == int(response.Length) && record.IsConditional(request.Start):
		m.turns.await(x)
		l.to, err = m.originals.unmodified(l.uri, request.Start, response.Start, out)
	}
	if err != nil {
		m.log.Warn().Err(err).Str("url", Logged(l.uri)).
			Msg("stored in full, as it cannot be found out whether it is in the collection")
	}
}

// note makes the response one that others can refer to, if they may.
func (m *maker) note(l *lookup, r *record.Records, response *record.Message, out *output) {
	l.original = nil
	if !l.whole || !r.Captured {
		return
	}
	keyed, isPage := l.keyed && l.to == nil, response.Status() == http.StatusOK
	if !keyed && !isPage {
		return
	}
	p := &pendingOriginal{keyed: keyed, output: out, outside: l.to != nil && l.to.Outside}
	if isPage { // even without validators: no 304 must refer to an older version
		p.page, p.Validators = r.URI, record.ValidatorsOf(response.Start)
	}
	if keyed {
		r.Capture.Original = &p.Original
	}
	if l.to != nil {
		p.Original = l.to.Original
	} else {
		p.Original = store.Original{
			Key: l.key, RecordID: m.ids.Response, Time: r.Capture.Time, Seconds: m.style.Seconds,
			Digest: r.Capture.Digest, URL: r.URI,
		}
	}
	l.original = p
}
