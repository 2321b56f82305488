package har

import (
	"slices"
	"strings"
)

// texts are the media types of texts but those that begin with text/ or end in +json or +xml.
var texts = []string{
	"application/json", "application/xml", "application/javascript",
	"application/x-javascript", "application/ecmascript", "application/x-ndjson",
	"application/x-www-form-urlencoded", "application/x-mpegurl", "application/vnd.apple.mpegurl",
	"application/graphql", "multipart/form-data",
}

// isText reports whether a media type, with or without parameters, is that of a text.
func isText(mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") ||
		strings.HasSuffix(kind, "+xml") || slices.Contains(texts, kind)
}
