package recorder

import (
	"errors"
	"io/fs"
	"net/http"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/warc"
)

// referred is what a revisit refers to.
type referred struct {
	record.Reference
	pending *pendingOriginal // nil if it is on disk
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
