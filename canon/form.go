package canon

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"unicode/utf8"
)

// A Pair is a pair of an urlencoded data set.
type Pair struct {
	Name  string
	Value string
	// Defined says that there is a value, be it empty: a= and not a.
	Defined bool
}

// EachPair reads an urlencoded data set (draft-hoehrmann-urlencoded-01, section 3): pairs between ;
// or &, as they come. It calls yield for each pair, until yield returns false, and keeps none of
// them. A % that begins no escape is a character. Only a text whose decoded names and values are
// not UTF-8 is malformed: it represents nothing, and EachPair is false at the first pair that shows
// it. Line breaks, U+0000 and byte order marks are data. The empty text is one pair, of an empty
// name and no value; to an application it may as well be the empty set, as the draft leaves it a
// choice.
func EachPair(text string, yield func(Pair) bool) (ok bool) {
	for more := true; more; {
		field := text
		if end := strings.IndexAny(text, ";&"); end >= 0 {
			field, text = text[:end], text[end+1:]
		} else {
			more = false
		}
		name, value, defined := strings.Cut(field, "=")
		p := Pair{decodeComponent(name), decodeComponent(value), defined}
		if !utf8.ValidString(p.Name) || !utf8.ValidString(p.Value) {
			return false
		}
		if !yield(p) {
			return true
		}
	}
	return true
}

// decodeComponent decodes a name or value.
func decodeComponent(s string) string {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s
	}
	return string(appendDecoded(make([]byte, 0, len(s)), strings.ReplaceAll(s, "+", " ")))
}

// append appends the pair in the one way that FormKey has for it: percent-plus encoded as in a
// request body's query, = only where there is a value.
func (p Pair) append(dst []byte) []byte {
	dst = percentPlus.appendString(dst, p.Name)
	if p.Defined {
		dst = percentPlus.appendString(append(dst, '='), p.Value)
	}
	return dst
}

// maxForm is how long, in bytes, a text may be that FormKey decodes, and the key.
const maxForm = 1 << 20

// FormKey returns a key for an urlencoded body, or a query, that is the same for all spellings of
// the same data set: its pairs with & between them. The draft prefers ;, which few programs read,
// and allows both. A malformed text is keyed as a binary body; and a text that is longer than 1
// MiB, or would have a longer key, by its first 3072 bytes and its SHA-256. The key is printable
// ASCII without spaces, and no part of a URL's own key.
func FormKey(text string) string {
	if text == "" {
		return ""
	}
	if len(text) <= maxForm {
		out := make([]byte, 0, len(text)+1)
		ok := EachPair(text, func(p Pair) bool {
			out = append(p.append(out), '&')
			return len(out)-1 <= maxForm
		})
		if !ok {
			out = append(binaryQuery([]byte(text)), '&')
		}
		if len(out)-1 <= maxForm {
			return string(out[:len(out)-1])
		}
	}
	sum := sha256.New()
	io.WriteString(sum, text)
	return longQuery([]byte(text[:min(len(text), binaryPrefix)]), hex.EncodeToString(sum.Sum(nil)))
}
