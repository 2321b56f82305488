package v09

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"warcorder/store/warc"
)

// convert returns the 0.9 header of a 1.1 record. warcinfo is the ID of the warcinfo record before
// it, or "". With cut the record becomes the first of several segments; the fields that are true
// only of the whole block are then left out.
func convert(version string, h warc.Header, warcinfo string, cut bool) Header {
	out := positional(h)
	out.Fields = native(h, warcinfo, cut)
	out = out.with(convertedFrom, cmp.Or(version, warc.Version))
	back := out.translate(0, formOf(out.Type, len(out.Fields.Values(relatedRecordID))), nil)
	return out.carry(h, back)
}

// positional returns the words of the first line.
func positional(h warc.Header) Header {
	out := Header{
		Type:        word(cmp.Or(h.Get("WARC-Type"), "unknown")),
		URI:         word(h.Get("WARC-Target-URI")),
		Date:        date09(h.Get("WARC-Date")),
		ContentType: contentType09(h.Get("Content-Type")),
		ID:          word(id09(h.Get("WARC-Record-ID"))),
	}
	if out.Type == "resource" && isDNS(out.URI) {
		out.Type = "response" // WARC 0.9 section 8.2
	}
	if name := h.Get("WARC-Filename"); out.Type == "warcinfo" && name != "" {
		out.URI = "filedesc:" + url.PathEscape(name) // WARC 0.9 appendix B.1
	}
	out.ID = cmp.Or(out.ID, newID())
	out.URI = cmp.Or(out.URI, out.ID) // 0.9 demands a subject-uri
	return out
}

// native returns the fields that 0.9 defines (WARC 0.9 sections 5.2 and 7.2).
func native(h warc.Header, warcinfo string, cut bool) warc.Header {
	var out warc.Header
	add := func(name, value string) {
		if _, ok := valueFor(names[name], value); value != "" && (ok || name == relatedRecordID) {
			out = append(out, warc.Field{Name: name, Value: value})
		}
	}
	for _, id := range related(h) {
		add(relatedRecordID, id09(id))
	}
	add(ipAddress, h.Get("WARC-IP-Address"))
	if h.Get("WARC-Type") != "warcinfo" {
		add(warcinfoID, id09(cmp.Or(h.Get("WARC-Warcinfo-ID"), warcinfo)))
	}
	add(segmentNumber, h.Get("WARC-Segment-Number"))
	add(segmentOriginID, id09(h.Get("WARC-Segment-Origin-ID")))
	add(endLength, h.Get("WARC-Segment-Total-Length"))
	if cut {
		return out
	}
	add(truncated, h.Get("WARC-Truncated"))
	add(checksum, h.Get("WARC-Block-Digest"))
	return out
}

// related returns the IDs of the records that the record belongs to, the one that it depends on
// first (WARC 0.9 section 5.2).
func related(h warc.Header) []string {
	refersTo, concurrentTo := h.Values("WARC-Refers-To"), h.Values("WARC-Concurrent-To")
	return slices.Concat(refersTo, concurrentTo)
}

// carry adds the fields that an Importer needs to make h again. back is what an Importer makes of
// the header without them.
func (out Header) carry(h, back warc.Header) Header {
	for _, f := range h {
		if strings.EqualFold(f.Name, "Content-Length") ||
			slices.Equal(h.Values(f.Name), back.Values(f.Name)) {
			continue
		}
		name := f.Name
		if reserved(name) {
			name = verbatim + name
		}
		out = out.with(name, f.Value)
	}
	for i, f := range back {
		if f.Name != "Content-Length" && h.Values(f.Name) == nil && back[:i].Values(f.Name) == nil {
			out = out.with(f.Name, "")
		}
	}
	return out
}

// id09 spells a record-id as the examples of 0.9 do: <urn:uuid:X> as "uuid:X", any other URI
// without angle brackets.
func id09(id string) string {
	id = word(strings.TrimSuffix(strings.TrimPrefix(id, "<"), ">"))
	if rest, ok := cutScheme(id, "urn:uuid:"); ok {
		return "uuid:" + rest
	}
	return id
}

// date09 returns a WARC-Date as a creation-date. A WARC-Date may have fractions of a second, or be
// a year alone.
func date09(date string) string {
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04Z07:00", time.DateOnly, "2006-01", "2006",
	} {
		if t, err := time.Parse(layout, date); err == nil {
			return t.UTC().Format(dateFormat)
		}
	}
	return "00010101000000" // no record is so old: the date is not known
}

// contentType09 returns a media type without parameters (WARC 0.9 section 5.1), message/http for an
// HTTP message.
func contentType09(contentType string) string {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.TrimSpace(media)
	switch {
	case strings.EqualFold(media, "application/http"):
		return "message/http"
	case !strings.Contains(media, "/"):
		return "application/octet-stream"
	}
	return word(media)
}

// word returns s as a word of the first line: bytes that are not visible ASCII are escaped.
func word(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// newID returns a new record-id: a random UUID (RFC 9562 section 5.4).
func newID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("uuid:%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
