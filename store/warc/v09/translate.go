package v09

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"warcorder/store/warc"
)

// subjectURI is the field of a 1.1 warcinfo record for a subject-uri that is no filedesc: URI.
const subjectURI = "Subject-URI"

// names are the fields of 1.1, by the fields of 0.9 that have a single counterpart.
var names = map[string]string{
	ipAddress:       "WARC-IP-Address",
	checksum:        "WARC-Block-Digest",
	segmentOriginID: "WARC-Segment-Origin-ID",
	segmentNumber:   "WARC-Segment-Number",
	endLength:       "WARC-Segment-Total-Length",
	truncated:       "WARC-Truncated",
	warcinfoID:      "WARC-Warcinfo-ID",
}

// reserved reports whether a field of that name means something else in 0.9 than in 1.1.
func reserved(name string) bool {
	return slot(name) != "" || strings.EqualFold(name, relatedRecordID) ||
		strings.EqualFold(name, convertedFrom) || isVerbatim(name)
}

func isVerbatim(name string) bool {
	return len(name) > len(verbatim) && strings.EqualFold(name[:len(verbatim)], verbatim)
}

// slot returns the key of names that equals name in any case, or "".
func slot(name string) string {
	for key := range names {
		if strings.EqualFold(key, name) {
			return key
		}
	}
	return ""
}

// isConverted reports whether a Writer has made the record of a 1.1 record.
func (h *Header) isConverted() bool { return h.Fields.Get(convertedFrom) != "" }

// translate returns the 1.1 header of a record whose block has size bytes. relations are the 1.1
// fields for its Related-Record-IDs, one by one; a Related-Record-ID with "" keeps its name. more
// are the fields that a 0.9 header cannot express.
func (h *Header) translate(size int64, relations []string, more warc.Header) warc.Header {
	meant := h.positional()
	var rest warc.Header
	for _, f := range h.Fields {
		key, name := slot(f.Name), ""
		switch {
		case strings.EqualFold(f.Name, convertedFrom):
			continue
		case strings.EqualFold(f.Name, relatedRecordID):
			name, relations = relations[0], relations[1:]
		case key != "" && meant.Get(names[key]) == "":
			name = names[key]
		}
		value, ok := valueFor(name, f.Value)
		switch {
		case ok:
			meant = append(meant, warc.Field{Name: name, Value: value})
		case isVerbatim(f.Name):
			rest = append(rest, warc.Field{Name: f.Name[len(verbatim):], Value: f.Value})
		default:
			rest = append(rest, f)
		}
	}
	meant = append(meant, more...)
	meant = append(meant,
		warc.Field{Name: "Content-Type", Value: contentType11(h.Type, h.ContentType)},
		warc.Field{Name: "Content-Length", Value: strconv.FormatInt(size, 10)})
	if h.isConverted() {
		return restore(meant, rest)
	}
	return beside(meant, rest)
}

// positional returns the fields of 1.1 for the words of the first line, without the content type.
func (h *Header) positional() warc.Header {
	kind := h.Type
	if kind == "response" && isDNS(h.URI) {
		kind = "resource" // WARC 0.9 section 8.2, WARC 1.1 section 6.4
	}
	out := warc.Header{
		{Name: "WARC-Type", Value: kind},
		{Name: "WARC-Record-ID", Value: id11(h.ID)},
		{Name: "WARC-Date", Value: date11(h.Date)},
	}
	switch name, isFile := cutScheme(h.URI, "filedesc:"); {
	case kind != "warcinfo":
		return append(out, warc.Field{Name: "WARC-Target-URI", Value: h.URI})
	case isFile:
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		return append(out, warc.Field{Name: "WARC-Filename", Value: name})
	}
	// A warcinfo record of 1.1 has no WARC-Target-URI.
	return append(out, warc.Field{Name: subjectURI, Value: h.URI})
}

// valueFor returns a value as the 1.1 field of that name has it; ok is false if name is "" or the
// field cannot have the value.
func valueFor(name, value string) (string, bool) {
	switch name {
	case "":
		return "", false
	case "WARC-IP-Address":
		ip, err := netip.ParseAddr(value)
		return ip.String(), err == nil
	case "WARC-Block-Digest":
		c, ok := parseClaim(value)
		return c.String(), ok
	case "WARC-Concurrent-To", "WARC-Refers-To", "WARC-Warcinfo-ID", "WARC-Segment-Origin-ID":
		return id11(value), true
	}
	return value, true
}

// restore lets the fields of rest, which stood in a 1.1 header, outrank meant, which was made of
// the words of 0.9.
func restore(meant, rest warc.Header) warc.Header {
	var out warc.Header
	for i, f := range meant {
		values := rest.Values(f.Name)
		switch {
		case len(values) == 0 || f.Name == "Content-Length":
			out = append(out, f)
		case meant[:i].Values(f.Name) == nil:
			out = appendValues(out, rest, f.Name)
		}
	}
	for _, f := range rest {
		if len(meant.Values(f.Name)) == 0 {
			out = append(out, warc.Field{Name: strings.Map(tokenRune, f.Name), Value: f.Value})
		}
	}
	return out
}

// appendValues appends the fields of that name. A single empty one means that there is no such
// field.
func appendValues(out, rest warc.Header, name string) warc.Header {
	if values := rest.Values(name); len(values) == 1 && values[0] == "" {
		return out
	}
	for _, f := range rest {
		if strings.EqualFold(f.Name, name) {
			out = append(out, f)
		}
	}
	return out
}

// beside adds the fields that 0.9 does not define, under names that 1.1 allows and does not use.
func beside(meant, rest warc.Header) warc.Header {
	end := len(meant) - 2 // Content-Type and Content-Length stay last
	out := slices.Clone(meant[:end])
	for _, f := range rest {
		name := strings.Map(tokenRune, f.Name)
		if len(meant.Values(name)) > 0 {
			name = verbatim + name
		}
		out = append(out, warc.Field{Name: name, Value: f.Value})
	}
	return append(out, meant[end:]...)
}

// tokenRune returns r, or '-' if the name of a field cannot contain r (WARC 1.1 section 4).
func tokenRune(r rune) rune {
	if r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r) {
		return '-'
	}
	return r
}

// id11 spells a record-id as 1.1 does: "uuid:X" as <urn:uuid:X>, any other URI in angle brackets.
func id11(id string) string {
	id = strings.TrimSuffix(strings.TrimPrefix(id, "<"), ">")
	if rest, ok := cutScheme(id, "uuid:"); ok {
		id = "urn:uuid:" + rest
	}
	return "<" + strings.NewReplacer("<", "%3C", ">", "%3E").Replace(id) + ">"
}

// date11 returns a creation-date as W3CDTF.
func date11(date string) string {
	t, err := time.Parse(dateFormat, date)
	if err != nil {
		return date // cannot happen: parseHead lets no such date pass
	}
	return t.Format("2006-01-02T15:04:05Z")
}

// contentType11 returns "application/http; msgtype=…" for message/http (WARC 0.9 section 8.1), and
// contentType itself for all others.
func contentType11(kind, contentType string) string {
	media, parameters, _ := strings.Cut(contentType, ";")
	if !strings.EqualFold(strings.TrimSpace(media), "message/http") {
		return contentType
	}
	parameters = strings.ToLower(strings.ReplaceAll(parameters, " ", ""))
	switch {
	case strings.HasPrefix(parameters, "msgtype=request"), parameters == "" && kind == "request":
		return "application/http; msgtype=request"
	case strings.HasPrefix(parameters, "msgtype=response"),
		parameters == "" && (kind == "response" || kind == "revisit"):
		return "application/http; msgtype=response"
	}
	return contentType
}

func isDNS(uri string) bool {
	_, ok := cutScheme(uri, "dns:")
	return ok
}

// cutScheme is strings.CutPrefix for a scheme, in any case.
func cutScheme(uri, scheme string) (rest string, ok bool) {
	if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
		return uri, false
	}
	return uri[len(scheme):], true
}

// formOf returns the fields of 1.1 for the n Related-Record-IDs of a record that a Writer has made.
func formOf(kind string, n int) []string {
	relations := slices.Repeat([]string{"WARC-Concurrent-To"}, n)
	if n > 0 && (kind == "revisit" || kind == "conversion") {
		relations[0] = "WARC-Refers-To"
	}
	return relations
}
