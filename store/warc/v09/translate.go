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

// subjectURI is the 1.1 field that keeps a warcinfo record's subject-uri that is no filedesc: URI.
const subjectURI = "Subject-URI"

// names are the fields of 1.1 for those of 0.9 that have one counterpart each.
var names = map[string]string{
	ipAddress:       "WARC-IP-Address",
	checksum:        "WARC-Block-Digest",
	segmentOriginID: "WARC-Segment-Origin-ID",
	segmentNumber:   "WARC-Segment-Number",
	endLength:       "WARC-Segment-Total-Length",
	truncated:       "WARC-Truncated",
	warcinfoID:      "WARC-Warcinfo-ID",
}

// reserved reports whether name has a meaning in a 0.9 header that it does not have in a 1.1
// header.
func reserved(name string) bool {
	return slot(name) != "" || strings.EqualFold(name, relatedRecordID) ||
		strings.EqualFold(name, convertedFrom) || isVerbatim(name)
}

func isVerbatim(name string) bool {
	return len(name) > len(verbatim) && strings.EqualFold(name[:len(verbatim)], verbatim)
}

// slot returns the key in names that is name but for its case, or "".
func slot(name string) string {
	for key := range names {
		if strings.EqualFold(key, name) {
			return key
		}
	}
	return ""
}

// isConverted reports whether a Writer of ours has made the record from one of 1.1.
func (h *Header) isConverted() bool { return h.Fields.Get(convertedFrom) != "" }

// translate returns the 1.1 header of a record whose block has size bytes. Relations are the 1.1
// fields for its Related-Record-IDs, one by one; with "" it stays what it is. More is what a header
// of 0.9 does not say.
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

// positional returns what the words of the first line are in 1.1, up to the content type.
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
	return append(out, warc.Field{Name: subjectURI, Value: h.URI}) // a 1.1 warcinfo has no target URI
}

// valueFor returns the value of the 1.1 field of that name, which may be ""; ok is false if the
// field cannot have it.
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

// restore puts what stood in a 1.1 header above what has been made of 0.9's words.
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

// appendValues appends the fields of that name, unless there is one only, and empty: it says that
// there is none.
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

// beside adds the fields that 0.9 does not define under names that 1.1 can have and does not use.
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

// tokenRune is r, or '-' if no field's name can have it (WARC 1.1 section 4).
func tokenRune(r rune) rune {
	if r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r) {
		return '-'
	}
	return r
}

// id11 spells a record-id as 1.1 does: "uuid:X" is <urn:uuid:X>, any other URI stands in angle
// brackets.
func id11(id string) string {
	id = strings.TrimSuffix(strings.TrimPrefix(id, "<"), ">")
	if rest, ok := cutScheme(id, "uuid:"); ok {
		id = "urn:uuid:" + rest
	}
	return "<" + strings.NewReplacer("<", "%3C", ">", "%3E").Replace(id) + ">"
}

// date11 is a creation-date as W3CDTF.
func date11(date string) string {
	t, err := time.Parse(dateFormat, date)
	if err != nil {
		return date // parseHead lets none pass
	}
	return t.Format("2006-01-02T15:04:05Z")
}

// contentType11 is "application/http; msgtype=…" for message/http (WARC 0.9 section 8.1), else what
// it is.
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

// formOf returns the 1.1 fields for the Related-Record-IDs, n of them, of a record that a Writer
// has made.
func formOf(kind string, n int) []string {
	relations := slices.Repeat([]string{"WARC-Concurrent-To"}, n)
	if n > 0 && (kind == "revisit" || kind == "conversion") {
		relations[0] = "WARC-Refers-To"
	}
	return relations
}
