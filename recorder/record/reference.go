package record

import (
	"bytes"
	"cmp"
	"encoding/base32"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/warc"
)

// Reference is what a revisit says of the response that has its payload (WARC 1.1 section 6.7).
type Reference struct {
	store.Original
	date        string // WARC-Date as it stands in the original, if another tool wrote it; else ""
	NotModified bool   // whether the origin has answered 304; else the payloads are the same
	Outside     bool   // whether the response is in another archive
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
// original by its URL and date are of WARC 1.1; readers of 1.0 know them too. A record of another
// archive is named by them alone: so whoever reads a revisit of ours can tell without the other
// archive that its original is not lost, but outside (IsOutside).
func (r *Reference) append(dst []byte, s *Style) []byte {
	profile, name := profile11, identicalPayload
	if s.Seconds {
		profile = profile10
	}
	if r.NotModified {
		name = serverNotModified
	}
	dst = append(append(append(dst, "\r\nWARC-Profile: "...), profile...), name...)
	if !r.Outside {
		dst = (*ID)(&r.RecordID).Append(append(dst, "\r\nWARC-Refers-To: "...))
	}
	dst = append(append(dst, "\r\nWARC-Refers-To-Target-URI: "...), r.URL...)
	dst = append(dst, "\r\nWARC-Refers-To-Date: "...)
	if r.date != "" {
		dst = append(dst, r.date...)
	} else {
		dst = AppendDate(dst, r.Time, r.Seconds)
	}
	return append(append(dst, "\r\nWARC-Payload-Digest: "...), r.Digest...)
}

// Validators are what tells the versions of a page apart (RFC 9110 section 8.8).
type Validators struct {
	ETag, Modified string // values of ETag and Last-Modified; "" without the field
	varies         bool   // the page differs by request: only a tag says which one is meant
}

// ValidatorsOf returns the validators in a head.
func ValidatorsOf(head []byte) Validators {
	vary := string(appendCodings(nil, head, "Vary"))
	return Validators{
		string(fieldOf(head, "ETag")),
		string(fieldOf(head, "Last-Modified")),
		vary != "" && vary != "accept-encoding",
	}
}

// IsConditional reports whether a request may be answered by 304.
func IsConditional(head []byte) bool {
	return fieldOf(head, "If-None-Match") != nil || fieldOf(head, "If-Modified-Since") != nil
}

// Of returns the validators of a version of a page, whose URL is the same as that of the page; else
// only the key is. Pages that differ in the spelling of their URL may have been put there at the
// same time, so that of these only a tag says which one is meant.
func (v Validators) Of(same bool) Validators {
	v.varies = v.varies || !same
	return v
}

// Are reports whether an answer with that ETag and that Last-Modified has the version that has
// those validators. Where one of them has a tag, both must have it.
func (v Validators) Are(etag, modified string) bool {
	if v.ETag != "" || etag != "" {
		return v.ETag == etag
	}
	return v.Modified != "" && v.Modified == modified && !v.varies
}

// MayMean reports whether the 304 that answers a request means the version that has those
// validators: a browser's cache may hold another version than the archive. One validator at least
// must say so. Only the latest version is meant by a date that is later than its own.
func (v Validators) MayMean(request, answer []byte, latest bool) bool {
	told := weak(string(fieldOf(answer, "ETag")))
	if v.ETag != "" && told != "" && weak(v.ETag) != told {
		return false
	}
	tags := string(fieldOf(request, "If-None-Match"))
	if tags != "" && tags != "*" {
		return v.ETag != "" && hasTag(tags, weak(v.ETag))
	}
	if v.ETag != "" && told != "" {
		return true
	}
	return tags == "" && !v.varies && v.isSince(string(fieldOf(request, "If-Modified-Since")), latest)
}

// isSince reports whether what was not modified since then is the version: one that was modified at
// that time or, if it is the latest, before.
func (v Validators) isSince(since string, latest bool) bool {
	if v.Modified == "" || since == v.Modified {
		return v.Modified != ""
	}
	then, err := http.ParseTime(since)
	modified, err2 := http.ParseTime(v.Modified)
	return err == nil && err2 == nil && (modified.Equal(then) || latest && modified.Before(then))
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

// And adds to the validators of a 304 those of its original, which are of the same page only if
// that has the same URL.
func (v Validators) And(original Validators, same bool) Validators {
	v.varies = v.varies || original.varies
	if same {
		v.ETag, v.Modified = cmp.Or(v.ETag, original.ETag), cmp.Or(v.Modified, original.Modified)
	}
	return v
}

// ReferenceOf makes a reference to the response of a capture. It is nil if that is not whole, or if
// its header, which other tools may have written, has what must not get into ours.
func ReferenceOf(record *warc.Record, c *store.Capture) *Reference {
	h := record.Header
	if record.Type() != "response" || h.Get("WARC-Truncated") != "" ||
		h.Get("WARC-Segment-Number") != "" {
		return nil
	}
	r := &Reference{date: h.Get("WARC-Date"), NotModified: true}
	uri, isURI := BareURI(record.TargetURI())
	id, isID := ParseID(h.Get("WARC-Record-ID"))
	date, isDate := ParseW3CDTF(r.date)
	if !isURI || !isID || !isDate || !isDigest(c.Digest) {
		return nil
	}
	r.URL, r.RecordID, r.Time, r.Digest = uri, id, date, c.Digest
	if !IsSound(&r.Original, time.Now()) {
		return nil
	}
	return r
}

// OutsideOf makes a reference to what a revisit of ours refers to outside of the collection. It is nil
// if the revisit does not say.
func OutsideOf(h warc.Header, c *store.Capture) *Reference {
	if !IsOutside(h) || !isDigest(c.Digest) {
		return nil
	}
	r := &Reference{date: h.Get("WARC-Refers-To-Date"), NotModified: true, Outside: true}
	uri, isURI := BareURI(h.Get("WARC-Refers-To-Target-URI"))
	date, isDate := ParseW3CDTF(r.date)
	r.URL, r.Time, r.Digest = uri, date, c.Digest
	if !isURI || !isDate || !IsSound(&r.Original, time.Now()) {
		return nil
	}
	return r
}

// IsOutside reports whether a revisit, which must be ours, refers to a record of another archive.
func IsOutside(h warc.Header) bool {
	return h.Get("WARC-Refers-To") == "" && h.Get("WARC-Refers-To-Target-URI") != "" &&
		h.Get("WARC-Refers-To-Date") != ""
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

// HeadEnds reports whether a head ends with its empty line.
func HeadEnds(start []byte) bool {
	return bytes.HasSuffix(start, []byte("\n\r\n")) || bytes.HasSuffix(start, []byte("\n\n"))
}

// firstHTTP is when there was nothing to record yet.
var firstHTTP = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)

// IsSound reports whether a record of ours, of that time, may refer to an original. The index may
// hold what an earlier version took as it stood in a file, or be another's.
func IsSound(o *store.Original, now time.Time) bool {
	_, isURI := BareURI(o.URL)
	return isURI && IsHTTP(o.URL) && isDigest(o.Digest) && o.Time.After(firstHTTP) &&
		o.Time.Before(now.Add(24*time.Hour))
}

// RevisitMIME is the media type of a revisit in the index, as cdxj-indexer has it.
const RevisitMIME = "warc/revisit"
