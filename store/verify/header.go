package verify

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"warcorder/store/warc"
)

// remarks are the findings on one record.
type remarks []Finding

func (f *remarks) add(code Code, format string, args ...any) {
	*f = append(*f, Finding{Code: code, Text: fmt.Sprintf(format, args...)})
}

func (f *remarks) note(code Code, format string, args ...any) {
	*f = append(*f, Finding{Code: code, Text: fmt.Sprintf(format, args...), Note: true})
}

// checkHeader checks the fields of a record (WARC 1.1 section 5).
func checkHeader(version string, h warc.Header, raw []byte, now time.Time) remarks {
	var f remarks
	f.form(version, raw)
	kind := h.Get("WARC-Type")
	rule, known := kinds[strings.ToLower(kind)]
	if kind != "" && !known {
		f.note(Field, "WARC-Type %s is none that WARC 1.1 knows", quote(kind))
	}
	for _, name := range append(slices.Clone(mandatory), rule.needs...) {
		if h.Get(name) == "" {
			f.add(Field, "%s is missing", name)
		}
	}
	for _, name := range rule.without {
		if h.Get(name) != "" {
			f.note(Field, "%s stands in a %s record, where WARC 1.1 does not have it", name, kind)
		}
	}
	if known && h.Get("Content-Type") == "" && h.Get("Content-Length") != "0" &&
		kind != "continuation" {
		f.note(Field, "Content-Type is missing")
	}
	f.values(h)
	f.date(version, h.Get("WARC-Date"), now)
	return f
}

var mandatory = []string{"WARC-Type", "WARC-Record-ID", "WARC-Date", "Content-Length"}

// kinds are the types of records (WARC 1.1 sections 5 and 6): which fields they need beside the
// mandatory ones, and which fields they are without.
var kinds = map[string]struct{ needs, without []string }{
	"warcinfo": {
		nil,
		[]string{
			"WARC-Target-URI", "WARC-Warcinfo-ID", "WARC-Concurrent-To", "WARC-Refers-To", "WARC-Profile",
			"WARC-IP-Address",
		},
	},
	"response": {
		[]string{"WARC-Target-URI"},
		[]string{"WARC-Refers-To", "WARC-Filename", "WARC-Profile"},
	},
	"resource": {
		[]string{"WARC-Target-URI"},
		[]string{"WARC-Refers-To", "WARC-Filename", "WARC-Profile"},
	},
	"request": {
		[]string{"WARC-Target-URI"},
		[]string{"WARC-Refers-To", "WARC-Filename", "WARC-Profile"},
	},
	"metadata": {nil, []string{"WARC-Filename", "WARC-Profile"}},
	"revisit":  {[]string{"WARC-Target-URI", "WARC-Profile"}, []string{"WARC-Filename"}},
	"conversion": {
		[]string{"WARC-Target-URI"},
		[]string{"WARC-Concurrent-To", "WARC-Filename", "WARC-Profile"},
	},
	"continuation": {[]string{"WARC-Target-URI", "WARC-Segment-Origin-ID", "WARC-Segment-Number"},
		[]string{"WARC-Concurrent-To", "WARC-Refers-To", "WARC-Filename", "WARC-Profile"}},
}

// form checks the version line, the line breaks and the folding.
func (f *remarks) form(version string, raw []byte) {
	if version != "WARC/1.1" && version != "WARC/1.0" {
		f.note(Form, "the version is %s", quote(version))
	}
	var bare, folded bool
	for i, line := range bytes.SplitAfter(raw, []byte("\n")) {
		bare = bare || len(line) > 0 && !bytes.HasSuffix(line, []byte("\r\n"))
		folded = folded || i > 0 && len(line) > 0 && (line[0] == ' ' || line[0] == '\t')
	}
	if bare {
		f.note(Form, "lines of the header end in LF without CR")
	}
	if folded {
		f.note(Form, "lines of the header are folded")
	}
}

// values checks each field by itself.
func (f *remarks) values(h warc.Header) {
	seen := make(map[string]bool, len(h))
	for _, field := range h {
		name := strings.ToLower(field.Name)
		if seen[name] && !repeatable[name] && standard(name) {
			f.add(Field, "%s stands there twice", field.Name)
		}
		seen[name] = true
		switch {
		case !utf8.ValidString(field.Value):
			f.add(Field, "%s is not UTF-8", field.Name)
		case strings.ContainsFunc(field.Value, isControl):
			f.add(Field, "%s has control characters: %s", field.Name, quote(field.Value))
		}
		f.value(name, field)
	}
}

func isControl(r rune) bool { return r != '\t' && unicode.IsControl(r) }

// repeatable are the fields that a record may have more than once: by the standard, and by custom
// (iipc/warc-specifications #42).
var repeatable = map[string]bool{
	"warc-concurrent-to":  true,
	"warc-protocol":       true,
	"warc-block-digest":   true,
	"warc-payload-digest": true,
}

// standard reports whether a field is one of the standard's.
func standard(name string) bool {
	return strings.HasPrefix(name, "warc-") && name != "warc-json-metadata" ||
		name == "content-type" || name == "content-length"
}

// value checks the value of a field for which the standard has a form.
func (f *remarks) value(name string, field warc.Field) {
	switch name {
	case "warc-record-id":
		if !isBracketed(field.Value) {
			f.add(ID, "WARC-Record-ID %s is not a URI in angle brackets", quote(field.Value))
		}
	case "warc-concurrent-to", "warc-refers-to", "warc-warcinfo-id", "warc-segment-origin-id":
		if !isBracketed(field.Value) {
			f.add(Field, "%s %s is not a URI in angle brackets", field.Name, quote(field.Value))
		}
	case "warc-target-uri", "warc-refers-to-target-uri":
		f.uri(field)
	case "warc-profile":
		if !isURI(strings.Trim(field.Value, "<>")) {
			f.add(Field, "WARC-Profile %s is not a URI", quote(field.Value))
		}
	case "warc-ip-address":
		if _, err := netip.ParseAddr(field.Value); err != nil {
			f.add(Field, "WARC-IP-Address %s is not an address", quote(field.Value))
		}
	case "warc-truncated":
		if !slices.Contains([]string{"length", "time", "disconnect", "unspecified"}, field.Value) {
			f.note(Field, "WARC-Truncated is %s", quote(field.Value))
		}
	case "warc-segment-number":
		if n, err := strconv.ParseInt(field.Value, 10, 64); err != nil || n < 1 {
			f.add(Field, "WARC-Segment-Number is %s", quote(field.Value))
		}
	case "warc-refers-to-date":
		if _, err := parseDate(field.Value); err != nil {
			f.add(Date, "WARC-Refers-To-Date: %v", err)
		}
	}
}

// uri checks a target URI: whether it is a URI, and whether all readers take it for one.
func (f *remarks) uri(field warc.Field) {
	uri := field.Value
	if strings.HasPrefix(uri, "<") && strings.HasSuffix(uri, ">") {
		uri = uri[1 : len(uri)-1]
		f.note(Form, "%s stands in angle brackets", field.Name)
	}
	switch {
	case !hasScheme(uri):
		f.add(URI, "%s %s is not a URI", field.Name, quote(field.Value))
	case !isURI(uri):
		f.note(URI, "%s %s has characters that RFC 3986 does not have", field.Name, quote(field.Value))
	}
}

// date checks the WARC-Date.
func (f *remarks) date(version, text string, now time.Time) {
	if text == "" {
		return // reported as missing
	}
	t, err := parseDate(text)
	switch {
	case err != nil:
		f.add(Date, "WARC-Date: %v", err)
	case t.After(now.Add(24 * time.Hour)):
		f.note(Date, "WARC-Date %s lies in the future", text)
	case version == "WARC/1.0" && len(text) != len("2006-01-02T15:04:05Z"):
		f.note(Form, "WARC-Date %s is not as WARC 1.0 has it, to the second", text)
	}
}

// parseDate reads a date of W3CDTF as WARC 1.1 has it: UTC, from the year alone to the nanosecond
// (section 5.4).
func parseDate(text string) (time.Time, error) {
	for _, layout := range []string{
		"2006-01-02T15:04:05Z", "2006-01-02T15:04Z", "2006-01-02", "2006-01", "2006",
	} {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if len(text) > len("2006-01-02T15:04:05.123456789Z") || strings.Contains(text, ",") {
			break // time.Parse takes these, and WARC 1.1 does not
		}
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%s is not YYYY-MM-DDThh:mm:ss[.s]Z", quote(text))
}

// isBracketed reports whether text is <URI>.
func isBracketed(text string) bool {
	return len(text) > 2 && text[0] == '<' && text[len(text)-1] == '>' && isURI(text[1:len(text)-1])
}

// isURI reports whether text has a scheme, and only the characters of RFC 3986.
func isURI(text string) bool {
	if !hasScheme(text) {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return false
		}
		if c == '%' && (i+2 >= len(text) || !isHex(text[i+1]) || !isHex(text[i+2])) {
			return false
		}
	}
	return true
}

// hasScheme reports whether text is the scheme of a URI and more (RFC 3986 section 3.1).
func hasScheme(text string) bool {
	scheme, rest, found := strings.Cut(text, ":")
	if !found || rest == "" {
		return false
	}
	for i := range len(scheme) {
		c := scheme[i] | 0x20
		letter := 'a' <= c && c <= 'z'
		if !letter &&
			(i == 0 || !('0' <= scheme[i] && scheme[i] <= '9' || strings.IndexByte("+-.", scheme[i]) >= 0)) {
			return false
		}
	}
	return scheme != ""
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// quote quotes the beginning of s, bytes of a file, so that no control character reaches a
// terminal.
func quote(s string) string {
	if len(s) > 100 {
		return strconv.QuoteToGraphic(s[:100]) + "…"
	}
	return strconv.QuoteToGraphic(s)
}
