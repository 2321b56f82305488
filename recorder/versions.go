package recorder

import (
	"cmp"
	"errors"
	"io/fs"
	"net/http"
	"sync"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// version is what a capture in the index tells of a page: a response 200, or a 304 by which the
// origin has confirmed one.
type version struct {
	of       record.Validators
	to       *record.Reference // to its content; nil if that cannot be read
	original string            // the file of its content, if that is another's
}

// unmodified returns what the 304 to a conditional GET for a URL refers to: the latest version of
// the page that it may mean, of those that are in the collection, or will be by then. It is nil if
// there is none.
func (o *originals) unmodified(url string, request, answer []byte,
	out *output) (found *referred, err error) {
	if o.resting.Load() {
		return nil, nil
	}
	latest := true
	if p, serves := o.pendingOf(url, out); p != nil {
		if serves && p.MayMean(request, answer, latest) {
			to := record.Reference{Original: p.Original, NotModified: true, Outside: p.outside}
			return &referred{to, p}, nil
		}
		latest = false
	}
	err = o.versions(url, func(v *version, same bool) bool {
		if v.to != nil && v.of.MayMean(request, answer, latest && same) {
			found = &referred{Reference: *v.to}
		}
		latest = latest && !same
		return found != nil
	})
	if found != nil {
		return found, nil
	}
	return nil, err
}

// has is Recorder.Has for what the workers are through with.
func (o *originals) has(url string, is func(record.Validators) bool) (found bool) {
	if o.resting.Load() {
		return false
	}
	if p, _ := o.pendingOf(url, nil); p != nil && is(p.Validators) {
		return true
	}
	_ = o.versions(url, func(v *version, _ bool) bool { // what cannot be read is not there
		found = v.to != nil && is(v.of)
		return found
	})
	return found
}

// maxVersions is how many versions of a page are read to find one: each takes the opening of a
// file. Whoever looks for an older one in vain gets it once more from the origin, as the latest.
const maxVersions = 16

// versions calls until with the versions of a page that are in the index, under any URL that has
// the same key, the latest first, until it returns true. same says that the URL is the same too.
// The error is the first of those that came with a version.
func (o *originals) versions(url string, until func(v *version, same bool) bool) (failed error) {
	read := 0
	for _, most := range [...]int{1, maxVersions} { // the latest will do, as a rule
		captures, err := o.pages(url, most)
		if err != nil {
			return cmp.Or(failed, err)
		}
		for i := min(read, len(captures)); i < len(captures); i++ {
			v, err := o.versionOf(&captures[i])
			failed = cmp.Or(failed, err)
			same := captures[i].URL == url
			v.of = v.of.Of(same)
			if until(&v, same) {
				return nil
			}
		}
		if read = len(captures); read < most {
			return failed
		}
	}
	return failed
}

// pages returns the captures of the latest versions of a page, at most so many. Of confirmations by
// 304 the latest alone is one of them: it stands in for a version that lies further back than the
// index looks, for a page may be asked for each minute and change once a year.
func (o *originals) pages(url string, most int) ([]store.Capture, error) {
	confirmed := false
	return o.index.Newest(url, most, func(c *store.Capture) bool {
		if c.Status == http.StatusNotModified && c.MIME == record.RevisitMIME && !confirmed {
			confirmed = isGet(c)
			return confirmed
		}
		return c.Status == http.StatusOK && isGet(c)
	})
}

// isGet reports whether a capture is what a GET brought.
func isGet(c *store.Capture) bool { return c.Method == "" || c.Method == "GET" }

// versionOf tells of a capture what versions has read before, or reads it now. What is in object
// storage alone is not read, since clients wait: their condition is taken out, and what comes is then
// known by its content.
func (o *originals) versionOf(c *store.Capture) (v version, err error) {
	if c.Truncated || !o.presence.isHere(c.File) {
		return v, nil
	}
	v, known := o.read.get(c.Location)
	if !known {
		if v, err = o.readVersion(c); err != nil {
			return version{}, err
		}
		o.read.note(c.Location, v)
	}
	if v.original != "" && !o.presence.isThere(v.original) {
		return version{}, nil
	}
	return v, nil
}

// readVersion reads the record of a capture or, if it is a revisit, that of the original that it
// names, for the reference to it.
func (o *originals) readVersion(c *store.Capture) (v version, err error) {
	rec, head, err := o.readHeads(c)
	if err != nil {
		return v, err
	}
	v.of = record.ValidatorsOf(head)
	if rec.Type() != "revisit" {
		v.to = record.ReferenceOf(rec, c)
		return v, nil
	}
	from, found, err := o.originalOf(c, rec)
	if err == nil && !found {
		v.to, err = o.outsideOf(c, rec)
		return v, err
	}
	if err != nil || !o.presence.isHere(from.File) {
		return v, err
	}
	original, head, err := o.readHeads(&from)
	if err != nil {
		return v, err
	}
	if c.Status == http.StatusNotModified {
		v.of = v.of.And(record.ValidatorsOf(head), from.URL == c.URL)
	}
	r := record.ReferenceOf(original, &from)
	if id, ok := record.ParseID(rec.Header.Get("WARC-Refers-To")); r != nil && ok &&
		id != r.RecordID {
		return v, nil
	}
	v.to, v.original = r, from.File
	return v, nil
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
		return same && c.MIME != record.RevisitMIME && c.Time.Equal(date) && c.URL == uri && isGet(c)
	})
}

// outsideOf returns a reference to what a revisit of ours names that another archive has; nil if it
// names none. Other tools write the same fields, and may mean what is lost.
func (o *originals) outsideOf(revisit *store.Capture, rec *warc.Record) (*record.Reference, error) {
	to := record.OutsideOf(rec.Header, revisit)
	if to == nil {
		return nil, nil
	}
	for _, path := range o.dir.WARCPaths(revisit.File) {
		archives, err := collection.DedupFrom(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || len(archives) == 0 {
			return nil, err
		}
		return to, nil
	}
	return nil, nil
}

// readHeads reads the header of the record of a capture, and the HTTP head in it.
func (o *originals) readHeads(c *store.Capture) (*warc.Record, []byte, error) {
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

// readVersions are the versions that have been read, by where they are: a conditional request asks
// for one before it goes out, and the 304 that answers it for the same one again. To read one takes
// a quarter of a millisecond, most of it to inflate the first 32 KiB of its record.
type readVersions struct {
	mu    sync.Mutex
	known map[store.Location]version
}

const (
	// maxKnown is how many versions are kept.
	maxKnown = 2000

	// maxKnownText is the length of the validators and URLs with which a version is kept, in bytes.
	maxKnownText = 2 << 10
)

func (r *readVersions) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = nil
}

func (r *readVersions) get(at store.Location) (v version, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, known = r.known[at]
	return v, known
}

// note keeps a version that is found. One whose content is not there may be found later.
func (r *readVersions) note(at store.Location, v version) {
	if v.to == nil || len(v.of.ETag)+len(v.of.Modified)+len(v.to.URL) > maxKnownText {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= maxKnown {
		r.known = make(map[store.Location]version)
	}
	r.known[at] = v
}
