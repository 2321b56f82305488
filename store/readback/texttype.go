package readback

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// textTypes are the media types of texts but those that begin with text/ or end in +json or +xml.
var textTypes = []string{
	"application/json", "application/xml", "application/javascript",
	"application/x-javascript", "application/ecmascript", "application/x-ndjson",
	"application/x-www-form-urlencoded", "application/x-mpegurl", "application/vnd.apple.mpegurl",
	"application/graphql", "multipart/form-data",
}

// IsTextType reports whether a media type, with or without parameters, is that of a text.
func IsTextType(mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") ||
		strings.HasSuffix(kind, "+xml") || slices.Contains(textTypes, kind)
}

// WholeRunes returns how much of p is left without the beginning of a character at its end, of
// which the rest may follow.
func WholeRunes(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		at := len(p) - n
		if !utf8.RuneStart(p[at]) {
			continue
		}
		if !utf8.FullRune(p[at:]) {
			return at
		}
		break
	}
	return len(p)
}
