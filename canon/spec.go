package canon

import (
	"strings"
	"unicode/utf8"

	"warcorder/canon/json"
	"warcorder/canon/number"
)

// maxSpecQuery is how long, in bytes, a body may be that stands for itself in Spec, and
// the query that it makes.
const maxSpecQuery = 1 << 20

// specQuery is Query in Spec.
func specQuery(r *Request, budget *budget) string {
	if len(r.Body) == 0 {
		return ""
	}
	if r.whole() && len(r.Body) <= maxSpecQuery {
		q, ok := specParsed(r, budget)
		if !ok {
			q = binaryQuery(r.Body)
		}
		if len(q) <= maxSpecQuery {
			return string(q)
		}
	}
	return longQuery(r.prefix(), r.digest())
}

// longQuery names a body that is too long to stand for itself, of any type, by its beginning and,
// if that is known, the digest of the whole.
func longQuery(prefix []byte, digest string) string {
	q := string(binaryQuery(prefix))
	if digest != "" {
		q += "&__wb_post_sha256=" + digest
	}
	return q
}

// specParsed returns the query of a body of a type that the document has an encoding for; it is
// false if the body counts as binary. The type is what stands before the semicolon, in any case.
func specParsed(r *Request, budget *budget) (q []byte, ok bool) {
	mediaType, _, _ := strings.Cut(r.ContentType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	switch {
	case mediaType == "application/json":
		q, _ = specJSON(r.Body, budget)
		return q, !budget.spent()
	case mediaType == "text/plain":
		return specJSON(r.Body, budget)
	case mediaType == "application/x-amf":
		return amfQuery(r.Body, maxSpecQuery, budget)
	case mediaType == "application/x-www-form-urlencoded":
		return specEncoded(appendDecoded(make([]byte, 0, len(r.Body)), r.Body)), utf8.Valid(r.Body)
	case strings.HasPrefix(mediaType, "multipart/"):
		return specEncoded(r.Body), isFormData(r.ContentType, r.Body)
	}
	return nil, false
}

// specEncoded returns a text as a whole, percent-plus encoded.
func specEncoded(text []byte) []byte {
	return percentPlus.append(append(make([]byte, 0, len(postData)+2*len(text)), postData...), text)
}

// isFormData reports whether body is a multipart/form-data message (RFC 2388, RFC 2046
// section 5.1.1): at least one part, each one a named form-data part, and an end.
// The example in Request Body Canonicalization has LF for line breaks, and so may any.
func isFormData(contentType string, body []byte) bool {
	m, _, begun := openMultipart(contentType, body)
	if !begun {
		return false
	}
	parts := 0
	for p, ok := m.next(); ok; p, ok = m.next() {
		disposition, _ := cutParameter(p.disposition)
		_, named := parameter(p.disposition, "name")
		if !named || !strings.EqualFold(trimSpace(disposition), "form-data") {
			return false
		}
		parts++
	}
	return m.closed && parts > 0
}

// stepsPerTiny is how much of the budget a number takes that number.IsTiny reports.
const stepsPerTiny = 4096

// specRules is RFC 8259, with a limit on depth that it allows for (section 9).
var specRules = json.Rules{Nesting: 990}

// specJSON returns the query of a JSON body, by the algorithm "encode a JSON value", or its
// beginning if it is longer than maxSpecQuery; it is false if the body is no JSON. Where the
// document is silent, names are encoded as values are, of members with the same name the last one
// counts, and half a surrogate pair, which UTF-8 cannot hold, is U+FFFD.
func specJSON(body []byte, budget *budget) (q []byte, ok bool) {
	if !utf8.Valid(body) {
		return nil, false
	}
	text, ok := json.Parse(strings.TrimPrefix(string(body), byteOrderMark), specRules)
	if !ok {
		return nil, false
	}
	counts := make([]int, text.Names.Len()) // by number of name
	ok = text.Each(func(name uint32, literal string) bool {
		if number.IsTiny(literal) && !budget.spend(stepsPerTiny) {
			return false
		}
		counts[name]++
		if len(q) > 0 {
			q = append(q, '&')
		}
		q = percentPlus.appendString(q, json.WithoutSurrogates(text.Names.Text(name)))
		q = append(appendNumber(q, counts[name]), '=')
		q = percentPlus.appendString(q, jsScalar(literal))
		return len(q) <= maxSpecQuery
	})
	return q, ok || !budget.spent()
}

// jsScalar returns a JSON scalar's value as JavaScript prints it.
func jsScalar(literal string) string {
	switch literal[0] {
	case '"':
		return json.WithoutSurrogates(json.Unquote(literal))
	case 't', 'f', 'n':
		return literal
	}
	return number.JS(literal)
}
