package canon

import (
	"slices"
	"strings"
	"unicode/utf8"

	"warcorder/canon/amf"
	"warcorder/canon/json"
	"warcorder/canon/number"
)

// pywbQuery is Query in Pywb. Only the body of a POST or PUT has one.
func pywbQuery(r *Request, budget *budget) string {
	if method := strings.ToUpper(r.Method); method != "POST" && method != "PUT" || len(r.Body) == 0 {
		return ""
	}
	q, ok := pywbParsed(r, maxQuery, budget)
	if !ok {
		q = binaryQuery(r.prefix())
	}
	return string(cutRunes(q, maxQuery))
}

// pywbParsed returns the query of a body of a type that pywb looks into, or at least limit
// characters of it; it is false if the body counts as binary. As in pywb the beginning of the
// header's value decides, untouched: application/jsonp is JSON, Application/JSON is not.
func pywbParsed(r *Request, limit int, budget *budget) (q []byte, ok bool) {
	is := func(prefix string) bool { return strings.HasPrefix(r.ContentType, prefix) }
	switch {
	case r.tooLong():
		return nil, false
	case is("application/x-www-form-urlencoded"):
		if !utf8.Valid(r.Body) {
			return nil, false
		}
		return pywbForm(r.Body, limit), true
	case is("multipart/"):
		return pywbMultipart(r.ContentType, r.Body, limit)
	case is("application/x-amf"):
		return amfQuery(r.Body, limit, budget)
	case is("application/json"):
		q, _ = pywbJSON(r.Body, limit, budget)
		return q, true
	case is("text/plain"):
		return pywbJSON(r.Body, limit, budget)
	}
	return nil, false
}

// pywbForm returns an urlencoded body, decoded and not encoded again. As in Python's unquote, each
// run of ASCII is decoded on its own: an escaped byte makes no character together with a raw byte
// beyond ASCII.
func pywbForm(body []byte, limit int) (q []byte) {
	const longest = 16 // more than a character may take when each byte is escaped
	body = body[:min(len(body), longest*limit)]
	var decoded []byte
	for len(body) > 0 {
		ascii := leading(body, isASCIIByte)
		decoded = appendDecoded(decoded[:0], spaced(body[:ascii]))
		q = appendText(q, decoded)
		body = body[ascii:]
		raw := leading(body, isNotASCIIByte)
		q = appendText(q, body[:raw])
		body = body[raw:]
	}
	return q
}

// spaced returns a copy of s with a space for each plus sign.
func spaced(s []byte) string { return strings.ReplaceAll(string(s), "+", " ") }

func isASCIIByte(c byte) bool    { return c < utf8.RuneSelf }
func isNotASCIIByte(c byte) bool { return c >= utf8.RuneSelf }

// pywbRules is what Python's json module takes, at the depth that its stack leaves.
var pywbRules = json.Rules{Nesting: 990, Digits: 4300}

// pywbJSON returns the query of a JSON body; it is false if the body is no JSON, or if a number or
// a character in it cannot be written. NaN, Infinity and UTF-16, which Python takes beyond RFC
// 8259, are no JSON here. Where the bytes are not UTF-8, pywb fails and cdxj-indexer drops the
// body. The budget is for what is longer than a query of pywb's.
func pywbJSON(body []byte, limit int, budget *budget) (q []byte, ok bool) {
	if !utf8.Valid(body) {
		return nil, false
	}
	text, ok := json.Parse(strings.TrimPrefix(string(body), byteOrderMark), pywbRules)
	if !ok {
		return nil, false
	}
	f := fields{names: &text.Names, limit: limit}
	ok = text.Each(func(name uint32, literal string) bool {
		if name == 0 {
			return true
		}
		if number.IsNumber(literal) && number.Overflows(literal) {
			return false
		}
		if limit > maxQuery && number.IsTiny(literal) && !budget.spend(stepsPerTiny) {
			return false
		}
		if f.put(name, literal) && !utf8.ValidString(text.Names.Text(name)) {
			return false
		}
		return !f.full() || !json.HasSurrogate(literal) // what is not kept cannot be looked at again
	})
	if !ok || slices.ContainsFunc(f.list, func(f field) bool { return json.HasSurrogate(f.literal) }) {
		return nil, false
	}
	return f.encode(percentPlus, pywbScalar), true
}

// amfQuery returns the query of a body in Action Message Format, or at least limit characters of
// it; empty if the body cannot be decoded. It is false if the budget does not suffice.
func amfQuery(body []byte, limit int, budget *budget) (q []byte, ok bool) {
	var text []byte
	text, budget.left = amf.Text(body, limit, budget.left)
	if text == nil {
		return nil, !budget.spent()
	}
	return percentPlus.append([]byte("request="), text), true
}

// pywbScalar returns a JSON scalar's value as pywb writes it.
func pywbScalar(literal string) string {
	switch literal[0] {
	case '"':
		return json.Unquote(literal)
	case 't', 'f', 'n':
		return literal
	}
	return number.Pywb(literal)
}

// pywbMultipart returns the query of a multipart body: name=value for each part, empty if the body
// has no parts. It is false if the media type gives no boundary. A part without a name is called
// None, as Python prints it. A part that is another multipart body is taken as bytes, where pywb
// prints the Python object that it made of the part.
func pywbMultipart(contentType string, body []byte, limit int) (q []byte, ok bool) {
	m, valid, begun := openMultipart(contentType, body)
	if !begun {
		return nil, valid
	}
	for p, more := m.next(); more && len(q) <= limit; p, more = m.next() {
		if len(q) > 0 {
			q = append(q, '&')
		}
		q = percentPlus.append(q, appendText(nil, []byte(p.name())))
		q = append(q, '=')
		q = percentPlus.append(q, p.text(limit))
	}
	return q, true
}

// name returns the part's name.
func (p part) name() string {
	name, named := parameter(p.disposition, "name")
	if !named {
		return "None"
	}
	return name
}

// text returns as much of the part's value as a query of limit characters may hold: the bytes of a
// file, else UTF-8 text.
func (p part) text(limit int) []byte {
	value := p.value[:min(len(p.value), limit)]
	if _, file := parameter(p.disposition, "filename"); file {
		return value
	}
	return appendText(nil, value)
}
