package recorder

import (
	"errors"
	"io/fs"
	"net/http"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/warc"
)

// lookup is what is found out about a response before its records are made: whether it can refer to
// another, and whether others can refer to it.
//
//	begin  decides from the heads whether the body is worth a look, and takes it in if so
//	find   looks for an original: among those that wait for the index, then in the index
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
}

// look finds out about a response that is in memory.
func (m *maker) look(x *Exchange, request, response *record.Message, out *output) (l lookup) {
	if content := m.begin(&l, x, request, response); content != nil {
		content.Write(response.Body)
	}
	m.find(&l, x, request, response, out, true)
	return l
}

// begin looks at the heads. It returns what the body must then be written to; nil if the body need
// not be looked at. A truncated exchange refers to nothing; one with a fault but without truncation
// may, since what went wrong then was the request.
func (m *maker) begin(l *lookup, x *Exchange, request, response *record.Message) *record.Content {
	if m.dedup.Dedup == record.DedupOff || x.Truncated != "" || request.Length < record.MinBlock ||
		string(request.Method()) != "GET" || !record.HeadEnds(response.Start) {
		return nil
	}
	l.uri = record.TargetURI(x.URL)
	l.whole = len(l.uri) <= record.MaxOriginalURL
	body := response.Length - int64(len(response.Start))
	if !l.whole || !m.dedup.MayBeOriginal(request.Method(), &response.Head, body) {
		return nil
	}
	l.hashed = true
	m.content.Reset(&response.Head, body)
	return &m.content
}

// find looks for what the response can refer to. An error is logged and no more: the response is
// then stored in full, which costs some space on disk.
func (m *maker) find(l *lookup, x *Exchange, request, response *record.Message, out *output,
	claims bool) {
	if !l.whole {
		return
	}
	var err error
	switch {
	case l.hashed:
		scope := m.dedup.ScopeOf(l.uri)
		if l.key, l.keyed = m.content.Key(&response.Head, response.Start, scope); l.keyed {
			m.underway.key, m.underway.claims = l.key, claims
			l.to, err = m.originals.find(l.key, out, claims,
				func(original time.Time) bool { return m.dedup.IsFresh(original, x.Started) })
		}
	case response.Status() == http.StatusNotModified && len(response.Start) == int(response.Length) &&
		record.IsConditional(request.Start):
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
	p := &pendingOriginal{keyed: keyed, output: out}
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

// unmodified returns what the 304 to a conditional GET for a URL refers to: the latest version of
// the page that is in the collection, or will be by then. It is nil if there is none, or if that is
// another version than the 304 means.
func (o *originals) unmodified(url string, request, answer []byte, out *output) (*referred, error) {
	if p, serves := o.pendingOf(url, out); p != nil {
		if !serves || !p.MayMean(request, answer) {
			return nil, nil
		}
		return &referred{record.Reference{Original: p.Original, NotModified: true}, p}, nil
	}
	c, found, err := o.newestPage(url)
	if err != nil || !found {
		return nil, err
	}
	r, of, err := o.referTo(&c)
	if err != nil || r == nil || !of.MayMean(request, answer) {
		return nil, err
	}
	return &referred{Reference: *r}, nil
}

// newestPage returns the latest version of a page. Where the index looks at nothing but
// confirmations by 304, it is the latest of those: that names the version.
func (o *originals) newestPage(url string) (c store.Capture, found bool, err error) {
	c, found, err = o.index.Newest(url,
		func(c *store.Capture) bool { return c.Status == http.StatusOK && isGet(c, url) })
	if err != nil || found {
		return c, found, err
	}
	return o.index.Newest(url, func(c *store.Capture) bool {
		return c.Status == http.StatusNotModified && c.MIME == record.RevisitMIME && isGet(c, url)
	})
}

// isGet reports whether a capture is what a GET for that URL brought.
func isGet(c *store.Capture, url string) bool {
	return c.URL == url && (c.Method == "" || c.Method == "GET")
}

// referTo reads the record of a capture for a reference to it, or, if it is a revisit, to the
// original that it names, and for the validators of the version. The reference is nil if there is
// nothing that can be referred to.
func (o *originals) referTo(c *store.Capture) (*record.Reference, record.Validators, error) {
	rec, head, err := o.readHeads(c)
	if err != nil || rec == nil {
		return nil, record.Validators{}, err
	}
	of := record.ValidatorsOf(head)
	if rec.Type() != "revisit" {
		return record.ReferenceOf(rec, c), of, nil
	}
	from, found, err := o.originalOf(c, rec)
	if err != nil || !found {
		return nil, of, err
	}
	original, head, err := o.readHeads(&from)
	if err != nil || original == nil {
		return nil, of, err
	}
	if c.Status == http.StatusNotModified {
		of = of.And(record.ValidatorsOf(head), from.URL == c.URL)
	}
	r := record.ReferenceOf(original, &from)
	if id, ok := record.ParseID(rec.Header.Get("WARC-Refers-To")); r != nil && ok &&
		id != r.RecordID {
		return nil, of, nil
	}
	return r, of, nil
}

// originalOf looks for the original that the record of a revisit names: other tools name such as
// nobody has.
func (o *originals) originalOf(revisit *store.Capture,
	rec *warc.Record) (store.Capture, bool, error) {
	uri, ok := record.BareURI(rec.Header.Get("WARC-Refers-To-Target-URI"))
	date, known := record.ParseW3CDTF(rec.Header.Get("WARC-Refers-To-Date"))
	if !ok || !known {
		return store.Capture{}, false, nil
	}
	return o.index.At(uri, date, func(c *store.Capture) bool {
		// a 304 may give the digest of its own, empty payload
		same := c.Digest == revisit.Digest || revisit.Status == http.StatusNotModified
		return same && c.MIME != record.RevisitMIME && c.Time.Equal(date) && isGet(c, uri)
	})
}

// readHeads reads the header of the record of a capture, and the HTTP head in it. The record is nil
// if its file is gone.
func (o *originals) readHeads(c *store.Capture) (*warc.Record, []byte, error) {
	if !o.presence.isThere(c.File) {
		return nil, nil, nil
	}
	rec, reader, err := o.openRecord(&c.Location)
	if err != nil {
		return nil, nil, err
	}
	defer reader.Close()
	start, err := record.ReadStart(rec)
	if err != nil {
		return nil, nil, err
	}
	return rec, start[:record.ParseHead(start).Size], nil
}

// openRecord opens the record at a location, in a file that may be given its final name at this
// moment.
func (o *originals) openRecord(at *store.Location) (*warc.Record, *warc.Reader, error) {
	var failed error
	for _, path := range o.dir.WARCPaths(at.File) {
		reader, err := warc.OpenForeign(path, at.Offset)
		if errors.Is(err, fs.ErrNotExist) {
			failed = err
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		rec, err := reader.Next()
		if err != nil {
			return nil, nil, errors.Join(err, reader.Close())
		}
		return rec, reader, nil
	}
	return nil, nil, failed
}
