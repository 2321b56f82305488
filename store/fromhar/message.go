package fromhar

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"warcorder/store/warc"
)

// codings are the fields that say how a body was framed and coded, which it is not in a HAR.
var codings = []string{"content-encoding", "transfer-encoding", "content-length"}

// maxHead is how long a head may be, in bytes.
const maxHead = 1 << 20

// appendFields appends fields of HTTP as lines, but for those whose names are left out, and for what
// is no field: what HTTP/2 has beside its fields, and names with characters that HTTP does not know.
// Browsers join fields of one name by line breaks. Soon behind maxHead it ends.
func appendFields(dst []byte, fields []field, without ...string) []byte {
	for _, f := range fields {
		if !isToken(f.Name) || slices.Contains(without, strings.ToLower(f.Name)) {
			continue
		}
		text := f.bytes()
		for value := range strings.SplitSeq(text, "\n") {
			if value = strings.Trim(value, " \t\r"); value == "" && strings.Contains(text, "\n") {
				continue
			}
			if len(dst) > maxHead {
				return dst
			}
			dst = warc.AppendField(dst, f.Name, value)
		}
	}
	return dst
}

// bytes is the value with the bytes that it had: ours say so of a field that was not in UTF-8.
func (f *field) bytes() string {
	if f.Comment != latin1 {
		return f.Value
	}
	b := make([]byte, 0, len(f.Value))
	for _, r := range f.Value {
		if r > 0xff {
			return f.Value
		}
		b = append(b, byte(r))
	}
	return string(b)
}

// latin1 is what a HAR of ours says of such a field.
const latin1 = "read as Latin-1"

// isToken reports whether a text may be the name of a field, or a method (RFC 9110 section 5.6.2).
func isToken(text string) bool {
	return text != "" && len(text) <= 256 && !strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// valueOf returns the value of the first field of that name.
func valueOf(fields []field, name string) string {
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return strings.TrimSpace(f.Value)
		}
	}
	return ""
}

// body is a body as a HAR has it.
type body struct {
	bytes []byte
	file  string // name of the file that is attached, in the place of bytes; "" if there is none
	text  bool   // whether bytes are text that was decoded, and are in UTF-8 now
}

// decoded is the body of a text in the encoding that a HAR gives; false if it has none of it.
func decoded(text, encoding string) (b body, ok bool) {
	if !strings.EqualFold(encoding, "base64") {
		return body{bytes: []byte(text), text: true}, encoding == ""
	}
	bytes, err := base64.StdEncoding.DecodeString(text)
	return body{bytes: bytes}, err == nil
}

// targetOf is what a request line asks for: the path and the query of an address as they are.
// Browsers send characters that an address of a record cannot have. Only what would end the line,
// or was never in one, is escaped: blanks, control characters, and what is not ASCII.
func targetOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	rest, _, _ = strings.Cut(rest, "#")
	at := strings.IndexAny(rest, "/?")
	if at < 0 {
		return "/"
	}
	var target []byte
	if rest[at] == '?' {
		target = append(target, '/')
	}
	for _, b := range []byte(rest[at:]) {
		if b <= ' ' || b >= 0x7f {
			target = fmt.Appendf(target, "%%%02X", b)
		} else {
			target = append(target, b)
		}
	}
	return string(target)
}

// requestHead is the head of a request to a host with a body of so many bytes.
func requestHead(r *request, host string, size int64) []byte {
	head := []byte(r.Method + " " + targetOf(r.URL) + " HTTP/1.1\r\n")
	if valueOf(r.Headers, "Host") == "" {
		head = warc.AppendField(head, "Host", host)
	}
	head = appendFields(head, r.Headers, codings...)
	if size > 0 {
		head = warc.AppendInt(head, "Content-Length", size)
	}
	return append(head, "\r\n"...)
}

// maxForm is how many bytes the names and values of a form may have: escaped it is up to three times as
// long.
const maxForm = 16 << 20

// requestBody is the body of a request; false if a HAR has it in a form that is not known.
func requestBody(p *posted) (b body, ok bool) {
	switch {
	case p == nil:
		return b, true
	case p.File != "":
		return body{file: p.File}, true
	case p.Text != "" || len(p.Params) == 0:
		return decoded(p.Text, p.Encoding)
	}
	kind, _, _ := mime.ParseMediaType(p.Type)
	if kind != "application/x-www-form-urlencoded" {
		return b, false
	}
	left := maxForm
	for _, param := range p.Params {
		left -= len(param.Name) + len(param.Value)
	}
	if left < 0 {
		return b, false
	}
	for i, param := range p.Params {
		if i > 0 {
			b.bytes = append(b.bytes, '&')
		}
		b.bytes = append(b.bytes, url.QueryEscape(param.Name)+"="+url.QueryEscape(param.Value)...)
	}
	return b, true
}

// responseHead is the head of a response with that status and body. A size below 0 is for a response
// that has none.
func responseHead(r *response, status int, b *body, size int64) []byte {
	reason := strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return -1
		}
		return c
	}, r.StatusText)
	if reason == "" || status != r.Status {
		reason = http.StatusText(status)
	}
	head := []byte("HTTP/1.1 " + strconv.Itoa(status) + " " + reason + "\r\n")
	without := slices.Clone(codings)
	if r.Content.Coded {
		without = without[1:] // the body has its content coding
	}
	if size < 0 && valueOf(r.Headers, "Transfer-Encoding") == "" {
		without = []string{"content-encoding"} // what a HEAD is told of the length
	}
	kind := contentType(r, b)
	if kind != "" {
		without = append(without, "content-type")
	}
	head = appendFields(head, r.Headers, without...)
	if kind != "" {
		head = warc.AppendField(head, "Content-Type", kind)
	}
	if size >= 0 {
		head = warc.AppendInt(head, "Content-Length", size)
	}
	return append(head, "\r\n"...)
}

// contentType is the Content-Type that a response is to have in the place of its own; "" if it keeps
// that. Text is in UTF-8, whatever it was when it came.
func contentType(r *response, b *body) string {
	said := valueOf(r.Headers, "Content-Type")
	kind := said
	if kind == "" && r.Content.Type != "x-unknown" {
		kind = strings.TrimSpace(r.Content.Type)
	}
	if b.text && kind != "" {
		kind = inUTF8(kind, b.bytes)
	}
	if kind == said {
		return ""
	}
	return kind
}

// inUTF8 is a media type with which a text is read as UTF-8.
func inUTF8(kind string, text []byte) string {
	bare, params, err := mime.ParseMediaType(kind)
	switch {
	case isASCII(text) && !isUTF16(params["charset"]), strings.EqualFold(params["charset"], "utf-8"):
		return kind
	case err != nil:
		bare, _, _ = strings.Cut(kind, ";")
		return strings.TrimSpace(bare) + "; charset=utf-8"
	case params == nil:
		params = map[string]string{}
	}
	params["charset"] = "utf-8"
	return mime.FormatMediaType(bare, params)
}

func isASCII(b []byte) bool {
	return bytes.IndexFunc(b, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// isUTF16 reports whether a charset is UTF-16, the one of browsers in which a text of ASCII has other
// bytes. The names are those of the Encoding Standard, section 4.2.
func isUTF16(charset string) bool {
	switch strings.ToLower(charset) {
	case "utf-16", "utf-16le", "utf-16be", "unicode", "csunicode", "unicodefeff", "unicodefffe",
		"ucs-2", "iso-10646-ucs-2":
		return true
	}
	return false
}

// hasNoBody reports whether a response of that status never has a body (RFC 9110 section 6.4.1).
func hasNoBody(status int) bool { return status < 200 || status == 204 || status == 304 }

// isWanting reports whether a response has a body that the HAR does not have.
func isWanting(method string, r *response) bool {
	if r.Content.Text != "" || r.Content.File != "" || method == "HEAD" || hasNoBody(r.Status) ||
		r.Status/100 == 3 { // the body of a redirect is read by nobody
		return false
	}
	length, err := strconv.ParseInt(valueOf(r.Headers, "Content-Length"), 10, 64)
	return r.Content.Size > 0 || err == nil && length > 0
}

// isCut reports whether a HAR has only the beginning of a body. Of text in another charset than UTF-8
// the length tells nothing.
func isCut(r *response, b *body) bool {
	if b.file != "" {
		return false
	}
	const mark = 3 // a byte order mark, which is no part of the text
	short := float64(len(b.bytes)+mark) < r.Content.Size
	if !b.text {
		return short
	}
	_, params, err := mime.ParseMediaType(valueOf(r.Headers, "Content-Type"))
	return short && err == nil && strings.EqualFold(params["charset"], "utf-8")
}
