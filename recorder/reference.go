package recorder

import (
	"bytes"
	"cmp"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/warc"
)

// reference is what a revisit says of the response that has its payload (WARC 1.1 section 6.7).
type reference struct {
	store.Original
	// WARC-Date as it stands in the record, if it is not the one that we write for Time
	date        string
	notModified bool             // an origin has said so with 304; else the payloads are the same
	pending     *pendingOriginal // nil if it is on disk
}

// The profiles of revisits are these, behind the version of the standard (WARC 1.1 sections 6.7.2
// and 6.7.3; its annex B lacks "revisit/").
const (
	profile11         = "http://netpreserve.org/warc/1.1/revisit/"
	profile10         = "http://netpreserve.org/warc/1.0/revisit/"
	identicalPayload  = "identical-payload-digest"
	serverNotModified = "server-not-modified"
)

// append appends the fields of the reference, as a continuation of a header. The two that name the
// original by its URL and date are of WARC 1.1; readers of 1.0 know them too.
func (r *reference) append(dst []byte, s *style) []byte {
	profile, name := profile11, identicalPayload
	if s.seconds {
		profile = profile10
	}
	if r.notModified {
		name = serverNotModified
	}
	dst = append(append(append(dst, "\r\nWARC-Profile: "...), profile...), name...)
	dst = (*recordID)(&r.RecordID).append(append(dst, "\r\nWARC-Refers-To: "...))
	dst = append(append(dst, "\r\nWARC-Refers-To-Target-URI: "...), r.URL...)
	dst = append(dst, "\r\nWARC-Refers-To-Date: "...)
	if r.date != "" {
		dst = append(dst, r.date...)
	} else {
		dst = appendDate(dst, r.Time, r.Seconds)
	}
	return append(append(dst, "\r\nWARC-Payload-Digest: "...), r.Digest...)
}

// validators are what tells the versions of a page apart (RFC 9110 section 8.8).
type validators struct {
	etag, modified string
	varies         bool // the page is another one for other requests: only a tag says which is meant
}

// validatorsOf returns those in a head.
func validatorsOf(head []byte) validators {
	vary := string(appendCodings(nil, head, "Vary"))
	return validators{
		string(fieldOf(head, "ETag")),
		string(fieldOf(head, "Last-Modified")),
		vary != "" && vary != "accept-encoding",
	}
}

// isConditional reports whether a request may be answered by 304.
func isConditional(head []byte) bool {
	return fieldOf(head, "If-None-Match") != nil || fieldOf(head, "If-Modified-Since") != nil
}

// mayMean reports whether the 304 that answers a request means the version that has those
// validators: a browser's cache may hold another version than the archive. One validator at least
// must say so.
func (v validators) mayMean(request, answer []byte) bool {
	told := weak(string(fieldOf(answer, "ETag")))
	if v.etag != "" && told != "" && weak(v.etag) != told {
		return false
	}
	tags := string(fieldOf(request, "If-None-Match"))
	if tags != "" && tags != "*" {
		return v.etag != "" && hasTag(tags, weak(v.etag))
	}
	if v.etag != "" && told != "" {
		return true
	}
	return tags == "" && !v.varies && v.isSince(string(fieldOf(request, "If-Modified-Since")))
}

// isSince reports whether what was not modified since then is the version.
func (v validators) isSince(since string) bool {
	if v.modified == "" || since == v.modified {
		return v.modified != ""
	}
	then, err := http.ParseTime(since)
	modified, err2 := http.ParseTime(v.modified)
	return err == nil && err2 == nil && !modified.After(then)
}

// weak returns a tag as it is compared here (RFC 9110 section 8.8.3.2).
func weak(etag string) string { return strings.TrimPrefix(etag, "W/") }

// hasTag reports whether a list has the tag. A tag in quotes may hold commas.
func hasTag(list, tag string) bool {
	if len(tag) > 2 && tag[0] == '"' && tag[len(tag)-1] == '"' {
		return strings.Contains(list, tag)
	}
	for one := range strings.SplitSeq(list, ",") {
		if weak(strings.TrimSpace(one)) == tag {
			return true
		}
	}
	return false
}

// fieldOf returns the value of the first field of that name in a head; nil if there is none. It
// lies in head.
func fieldOf(head []byte, name string) []byte {
	for at := 0; at < len(head); {
		var l []byte
		l, at = line(head, at)
		if len(l) < len(name) || l[0]|0x20 != name[0]|0x20 {
			continue
		}
		field, value, ok := bytes.Cut(l, []byte(":"))
		if ok && bytes.EqualFold(bytes.TrimRight(field, " \t"), []byte(name)) {
			return bytes.TrimSpace(value)
		}
	}
	return nil
}

// unmodified returns what the 304 to a conditional GET for a URL refers to: the latest version of
// the page that is in the collection, or will be by then. It is nil if there is none, or if that is
// another version than the 304 means.
func (f *files) unmodified(url string, request, answer []byte, s *segment) (*reference, error) {
	if p, serves := f.pendingOf(url, s); p != nil {
		if !serves || !p.mayMean(request, answer) {
			return nil, nil
		}
		return &reference{Original: p.Original, notModified: true, pending: p}, nil
	}
	c, found, err := f.newestPage(url)
	if err != nil || !found {
		return nil, err
	}
	r, of, err := f.referTo(&c)
	if err != nil || r == nil || !of.mayMean(request, answer) {
		return nil, err
	}
	return r, nil
}

// newestPage returns the latest version of a page. Where the index looks at nothing but
// confirmations by 304, it is the latest of those: that names the version.
func (f *files) newestPage(url string) (c store.Capture, found bool, err error) {
	c, found, err = f.index.Newest(url,
		func(c *store.Capture) bool { return c.Status == http.StatusOK && isGet(c, url) })
	if err != nil || found {
		return c, found, err
	}
	return f.index.Newest(url, func(c *store.Capture) bool {
		return c.Status == http.StatusNotModified && c.MIME == revisitMIME && isGet(c, url)
	})
}

// isGet reports whether a capture is what a GET for that URL brought.
func isGet(c *store.Capture, url string) bool {
	return c.URL == url && (c.Method == "" || c.Method == "GET")
}

// referTo reads the record of a capture for a reference to it, or, if it is a revisit, to the
// original that it names, and for the validators of the version. The reference is nil if there is
// nothing that can be referred to.
func (f *files) referTo(c *store.Capture) (*reference, validators, error) {
	record, head, err := f.readHeads(c)
	if err != nil || record == nil {
		return nil, validators{}, err
	}
	of := validatorsOf(head)
	if record.Type() != "revisit" {
		return referenceOf(record, c), of, nil
	}
	o, found, err := f.originalOf(c, record)
	if err != nil || !found {
		return nil, of, err
	}
	original, head, err := f.readHeads(&o)
	if err != nil || original == nil {
		return nil, of, err
	}
	if c.Status == http.StatusNotModified {
		of = of.and(validatorsOf(head), o.URL == c.URL)
	}
	r := referenceOf(original, &o)
	if id, ok := parseRecordID(record.Header.Get("WARC-Refers-To")); r != nil && ok &&
		id != r.RecordID {
		return nil, of, nil
	}
	return r, of, nil
}

// and adds to the validators of a 304 those of its original, which are of the same page only if
// that has the same URL.
func (v validators) and(original validators, same bool) validators {
	v.varies = v.varies || original.varies
	if same {
		v.etag, v.modified = cmp.Or(v.etag, original.etag), cmp.Or(v.modified, original.modified)
	}
	return v
}

// originalOf looks for the original that the record of a revisit names: other tools name such as
// nobody has.
func (f *files) originalOf(revisit *store.Capture,
	record *warc.Record) (store.Capture, bool, error) {
	uri, ok := bareURI(record.Header.Get("WARC-Refers-To-Target-URI"))
	date, known := parseW3CDTF(record.Header.Get("WARC-Refers-To-Date"))
	if !ok || !known {
		return store.Capture{}, false, nil
	}
	return f.index.At(uri, date, func(c *store.Capture) bool {
		// a 304 may give the digest of its own, empty payload
		same := c.Digest == revisit.Digest || revisit.Status == http.StatusNotModified
		return same && c.MIME != revisitMIME && c.Time.Equal(date) && isGet(c, uri)
	})
}

// readHeads reads the header of the record of a capture, and the HTTP head in it. The record is nil
// if its file is gone.
func (f *files) readHeads(c *store.Capture) (*warc.Record, []byte, error) {
	if !f.isThere(c.File) {
		return nil, nil, nil
	}
	record, reader, err := f.openRecord(&c.Location)
	if err != nil {
		return nil, nil, err
	}
	defer reader.Close()
	start, err := readStart(record)
	if err != nil {
		return nil, nil, err
	}
	return record, start[:parseHead(start).size], nil
}

// referenceOf makes a reference to the response of a capture. It is nil if that is not whole, or if
// its header, which other tools may have written, has what must not get into ours.
func referenceOf(record *warc.Record, c *store.Capture) *reference {
	h := record.Header
	if record.Type() != "response" || h.Get("WARC-Truncated") != "" ||
		h.Get("WARC-Segment-Number") != "" {
		return nil
	}
	r := &reference{date: h.Get("WARC-Date"), notModified: true}
	uri, isURI := bareURI(record.TargetURI())
	id, isID := parseRecordID(h.Get("WARC-Record-ID"))
	date, isDate := parseW3CDTF(r.date)
	if !isURI || !isID || !isDate || !isDigest(c.Digest) {
		return nil
	}
	r.URL, r.RecordID, r.Time, r.Digest = uri, id, date, c.Digest
	if !isSound(&r.Original, time.Now()) {
		return nil
	}
	return r
}

// bareURI returns a URI without the angle brackets that wget puts around it. It is false if it
// cannot stand in our header.
func bareURI(uri string) (string, bool) {
	if strings.HasPrefix(uri, "<") && strings.HasSuffix(uri, ">") {
		uri = uri[1 : len(uri)-1]
	}
	good := len(uri) <= maxOriginalURL && !strings.ContainsFunc(uri, isOdd) && checkURI(uri) == nil
	return uri, good
}

// isOdd reports what no URI in our headers has. What checkURI makes good stands in no record of
// ours before that.
func isOdd(r rune) bool { return r <= ' ' || r >= 0x7f || r == '<' || r == '>' }

// parseW3CDTF reads a date that is as WARC 1.1 has it (section 5.4), as the index keeps it.
func parseW3CDTF(text string) (time.Time, bool) {
	date, ok := parseDate(text)
	strict := strings.Trim(text, "0123456789-:.TZ") == "" &&
		strings.Contains(text, "T") == strings.HasSuffix(text, "Z") &&
		len(text) <= len("2006-01-02T15:04:05.999999999Z")
	return date.UTC().Truncate(time.Microsecond), ok && strict
}

// digestSizes are the lengths of the digests that records may have, in bytes.
var digestSizes = map[string]int{"md5": 16, "sha1": 20, "sha256": 32, "sha384": 48, "sha512": 64}

// isDigest reports whether text is a labelled digest in base32 or in hexadecimal digits.
func isDigest(text string) bool {
	label, value, _ := strings.Cut(text, ":")
	size, known := digestSizes[strings.ReplaceAll(strings.ToLower(label), "-", "")]
	if !known {
		return false
	}
	if len(value) == hex.EncodedLen(size) {
		_, err := hex.DecodeString(value)
		return err == nil
	}
	encoding := base32.StdEncoding
	if !strings.HasSuffix(value, "=") {
		encoding = encoding.WithPadding(base32.NoPadding)
	}
	_, err := encoding.DecodeString(strings.ToUpper(value))
	return err == nil && len(value) == encoding.EncodedLen(size)
}

// openRecord opens the record at a location, in a file that may be given its final name at this
// moment.
func (f *files) openRecord(at *store.Location) (*warc.Record, *warc.Reader, error) {
	var failed error
	for _, suffix := range []string{warc.OpenSuffix, "", warc.OpenSuffix} {
		reader, err := warc.OpenForeign(filepath.Join(f.dir, at.File+suffix), at.Offset)
		if errors.Is(err, fs.ErrNotExist) {
			failed = err
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		record, err := reader.Next()
		if err != nil {
			return nil, nil, errors.Join(err, reader.Close())
		}
		return record, reader, nil
	}
	return nil, nil, failed
}

// headEnds reports whether a head ends with its empty line.
func headEnds(start []byte) bool {
	return bytes.HasSuffix(start, []byte("\n\r\n")) || bytes.HasSuffix(start, []byte("\n\n"))
}
