package canon

import (
	"regexp"
	"strings"
	"unicode"
)

// warcioJSMultipart is the query of a multipart body as warcio.js finds it, by pattern
// and not by grammar: wherever the boundary stands, in any case, a part ends; and of
// a part the first name="…" counts behind which a blank line and a value of one line
// follow. Of parts with the same name the last one counts.
func warcioJSMultipart(contentType, body string) string {
	var f fields
	at := map[string]int{}
	for _, chunk := range chunks(contentType, body) {
		name, value, ok := nameAndValue(strings.TrimFunc(chunk, isJSSpace))
		if !ok {
			continue
		}
		if i, again := at[name]; again {
			f.list[i].value = value
			continue
		}
		at[name] = len(f.list)
		f.list = append(f.list, field{name: name, value: value})
	}
	return string(f.encode(jsForm))
}

// chunks is what lies between the boundaries, and the dashes beside them. The boundary
// is all that is behind boundary= in the header's value, quotes too; without one the
// body is one chunk.
//
// warcio.js makes a regular expression of it, and there is none if that is malformed.
// Here a boundary longer than RFC 2046 allows, one with a repetition count and one in a
// body above 1 MiB stands for itself: to search for any expression may take forever.
func chunks(contentType, body string) []string {
	_, boundary, ok := strings.Cut(contentType, "boundary=")
	switch {
	case !ok:
		return []string{body}
	case isPattern(boundary) && len(body) <= 1<<20:
		pattern, err := regexp.Compile("(?i)-*" + boundary + "-*")
		if err != nil {
			return nil
		}
		return pattern.Split(body, -1)
	}
	return splitAt(boundary, body)
}

// isPattern reports whether boundary means something else as a regular expression, one
// that can be searched for.
func isPattern(boundary string) bool {
	return len(boundary) <= 70 && !strings.Contains(boundary, "{") &&
		(boundary == "" || regexp.QuoteMeta(boundary) != boundary)
}

// splitAt splits body at boundary, in upper or lower case.
func splitAt(boundary, body string) (split []string) {
	folded, boundary := lowerASCII(body), lowerASCII(boundary)
	for {
		at := strings.Index(folded, boundary)
		if at < 0 {
			return append(split, body)
		}
		end := at + len(boundary)
		split = append(split, strings.TrimRight(body[:at], "-"))
		folded, body = folded[end:], body[end:]
	}
}

func lowerASCII(s string) string {
	folded := []byte(s)
	for i, c := range folded {
		folded[i] = lower(c)
	}
	return string(folded)
}

// nameAndValue finds name="NAME", a blank line and the rest of the line behind it.
func nameAndValue(chunk string) (name, value string, ok bool) {
	const behind = "\"\r\n\r\n"
	for from := 0; ; from++ {
		at := strings.Index(chunk[from:], behind)
		if at < 0 {
			return "", "", false
		}
		from += at
		quote := strings.LastIndexByte(chunk[:from], '"')
		if quote >= 5 && quote+1 < from && strings.EqualFold(chunk[quote-5:quote], "name=") {
			return chunk[quote+1 : from], firstLine(chunk[from+len(behind):]), true
		}
	}
}

// firstLine is s up to what JavaScript takes for the end of a line.
func firstLine(s string) string {
	if end := strings.IndexAny(s, "\n\r\u2028\u2029"); end >= 0 {
		return s[:end]
	}
	return s
}

// isJSSpace reports whether JavaScript's trim drops r.
func isJSSpace(r rune) bool {
	return r == '\ufeff' || unicode.IsSpace(r) && r != '\u0085'
}
