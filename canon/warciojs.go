package canon

import (
	"strings"
	"unicode/utf8"

	"warcorder/canon/json"
)

// warcioJSQuery is Query in WarcioJS (warcio.js, postToGetUrl). The body of any method but GET
// has a query; that of an empty body may be __wb_post_data= without data.
func warcioJSQuery(r *Request) string {
	contentType := strings.Trim(r.ContentType, json.Space) // as Headers does
	mediaType, _, _ := strings.Cut(contentType, ";")
	if r.tooLong() {
		mediaType = ""
	}
	q := ""
	switch mediaType {
	case "application/x-www-form-urlencoded":
		q = browserText(r.Body[:min(len(r.Body), 4*maxQuery)]) // no more is to be seen
	case "application/json", "text/plain":
		q = warcioJSJSON(browserText(r.Body))
	case "multipart/form-data":
		q = warcioJSMultipart(contentType, browserText(r.Body))
	default:
		q = string(binaryQuery(r.prefix()))
	}
	return cutUTF16(q, maxQuery)
}

// warcioJSAppend appends the query without its escapes, as decodeURI gives it: none
// at all if it holds one that is not UTF-8, which a cut may have left.
func warcioJSAppend(url, method, query string) string {
	separator := "?"
	if strings.Index(url, "?") > 0 {
		separator = "&"
	}
	text, _ := decodeURI(query)
	return url + separator + "__wb_method=" + method + "&" + text
}

// decodeURI decodes as JavaScript's function of that name does: escaped UTF-8, but not the
// characters that part a URL. It is false, and the text empty, if an escape is malformed.
func decodeURI(s string) (text string, ok bool) {
	if !strings.Contains(s, "%") {
		return s, true
	}
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		if s[0] != '%' {
			out, s = append(out, s[0]), s[1:]
			continue
		}
		char, size := escapedChar(s)
		if size == 0 {
			return "", false
		}
		if len(char) == 1 && strings.Contains(";/?:@&=+$,#", string(char)) {
			char = []byte(s[:size])
		}
		out, s = append(out, char...), s[size:]
	}
	return string(out), true
}

// escapedChar decodes the character that s begins with, all of whose bytes are escaped,
// and measures the escapes: 0 if they are malformed.
func escapedChar(s string) (char []byte, size int) {
	var room [utf8.UTFMax]byte
	for n := range room {
		c, ok := escaped(s[min(3*n, len(s)):])
		if !ok {
			return nil, 0
		}
		room[n] = c
		if char = room[:n+1]; utf8.Valid(char) {
			return char, 3 * len(char)
		}
	}
	return nil, 0
}

// warcioJSRules is what JSON.parse takes, at the depth that the walk behind it stands.
var warcioJSRules = json.Rules{Nesting: 3000, IntegersFirst: true}

// warcioJSJSON returns the query of a JSON body, empty if the body is no JSON. Empty strings are
// left out, unnamed values are not. A name that every JavaScript object has, such as constructor,
// is numbered when it comes again; warcio.js, which counts in an object, writes constructor.NaN_.
func warcioJSJSON(body string) string {
	text, ok := json.Parse(body, warcioJSRules)
	if !ok {
		return ""
	}
	f := fields{names: &text.Names, limit: maxQuery}
	whole := wholeNames{names: &text.Names}
	text.Each(func(name uint32, literal string) bool {
		if literal != `""` {
			f.put(whole.number(name), literal)
		}
		return true
	})
	return string(f.encode(jsForm, jsScalar))
}

// wholeNames turns the number of a name into that of the same name without halves of surrogate
// pairs. It looks into each name once.
type wholeNames struct {
	names *json.Names
	known []uint32 // by number; 0 is not known
}

func (w *wholeNames) number(name uint32) uint32 {
	if more := w.names.Len() - len(w.known); more > 0 {
		w.known = append(w.known, make([]uint32, more)...)
	}
	if w.known[name] == 0 {
		w.known[name] = w.names.Number(json.WithoutSurrogates(w.names.Text(name)))
	}
	return w.known[name]
}
