package canon

import (
	"bytes"
	"strings"
	"unicode"
)

// warcioJSMultipart returns the query of a multipart body as warcio.js finds it (mfdToQueryString),
// by pattern and not by grammar: a part ends wherever the boundary stands, in upper or lower case;
// and of a part the first name="…" counts behind which a blank line and a value of one line follow.
// Of parts with the same name the last one counts. A part with a new name is passed over when the
// query is full.
func warcioJSMultipart(contentType, body string) string {
	var names, values []string
	at := map[string]int{}
	for chunks := openChunks(contentType, body); chunks.more; {
		name, value, ok := nameAndValue(strings.TrimFunc(chunks.next(), isJSSpace))
		if !ok {
			continue
		}
		if i, again := at[name]; again {
			values[i] = value
		} else if len(names) < maxQuery/2 {
			at[name] = len(names)
			names, values = append(names, name), append(values, value)
		}
	}
	var q []byte
	for i, name := range names {
		if len(q) > maxQuery {
			break
		}
		if i > 0 {
			q = append(q, '&')
		}
		q = append(jsForm.appendString(q, name[:min(len(name), maxQuery)]), '=')
		q = jsForm.appendString(q, values[i][:min(len(values[i]), maxQuery)])
	}
	return string(q)
}

// chunks are what lies between the boundaries and the dashes beside them.
//
// warcio.js makes a regular expression of the boundary. Here the boundary stands for itself: to
// search for any expression may take forever, and browsers send no boundary that would mean
// something else as an expression.
type chunks struct {
	boundary []byte // in lower case
	body     string // what is left of it
	folded   []byte // body in lower case
	more     bool
}

// openChunks finds the boundary: all that stands behind boundary= in the header's value, with its
// quotes. Without a boundary the body is one chunk; an empty boundary parts it into characters,
// none of which is a part.
func openChunks(contentType, body string) chunks {
	_, boundary, ok := strings.Cut(contentType, "boundary=")
	if !ok {
		return chunks{body: body, more: true}
	}
	return chunks{folded(boundary), body, folded(body), boundary != ""}
}

// next returns the next chunk.
func (c *chunks) next() string {
	at := -1
	if len(c.boundary) > 0 {
		at = bytes.Index(c.folded, c.boundary)
	}
	if c.more = at >= 0; !c.more {
		return c.body
	}
	chunk, end := strings.TrimRight(c.body[:at], "-"), at+len(c.boundary)
	c.folded, c.body = c.folded[end:], c.body[end:]
	return chunk
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

// firstLine returns s up to what JavaScript takes for the end of a line.
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
