package record

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"warcorder/store/refusal"
	"warcorder/store/warc"
)

// MaxHead is how far into a message, in bytes, its head is looked for. What has no end of head by
// then is all head: a proxy lets no longer one pass.
const MaxHead = 1<<20 + 64<<10

// Head is what the records need to know of an HTTP head. It is read with the eyes of those who will
// read the archive (cdxj-indexer, warcio): any line end, folded lines, 8-bit bytes, lines without a
// colon; nothing is refused.
type Head struct {
	Size        int    // bytes up to and with the empty line; of all the message if it has none
	startLine   []byte // without its line end
	ContentType []byte // of the first field of that name; nil if there is none
	encoded     bool   // whether there is a Content-Encoding other than identity
	Chunked     bool   // whether the last transfer coding is chunked
	signed      bool   // whether a field may say that the other side refuses

	etag, modified []byte // of the first ETag and Last-Modified; nil if there is none
	contentRange   []byte // of the last Content-Range
	ranges         int    // how many lines of Content-Range there are

	visit visit
}

// ParseHead reads the head at the start of a message. The fields of the result lie in b.
func ParseHead(b []byte) Head {
	var h Head
	h.startLine, h.Size = line(b, 0)
	if len(h.startLine) == 0 {
		return h
	}
	var field fieldName
	for h.Size < len(b) {
		l, next := line(b, h.Size)
		h.Size = next
		switch {
		case len(l) == 0:
			return h
		case l[0] == ' ' || l[0] == '\t':
			h.take(field, l) // a folded line (RFC 9112 section 5.2)
		default:
			name, value, _ := bytes.Cut(l, []byte(":"))
			name = bytes.TrimRight(name, " \t")
			if field = nameOf(name); field == otherField || field >= firstOfVisit {
				h.signed = h.signed || refusal.IsSign(name, value)
			}
			h.take(field, value)
		}
	}
	return h
}

// line returns the line that begins at from, without its line end, and where the next one begins.
func line(b []byte, from int) (text []byte, next int) {
	end := bytes.IndexByte(b[from:], '\n')
	if end < 0 {
		return b[from:], len(b)
	}
	return bytes.TrimSuffix(b[from:from+end], []byte("\r")), from + end + 1
}

type fieldName int

const (
	otherField fieldName = iota
	contentType
	contentEncoding
	transferEncoding
	etag
	lastModified
	contentRange

	firstOfVisit // the fields behind it tell of the page: visit.go
	referer
	origin
	userAgent
	acceptLanguage
	fetchMode
	fetchDest
	fetchSite
	purpose
	upgrades
	requestedWith
	location
	disposition
	referrerPolicy
)

// fieldNames are the fields that a head is read for, in lower case, by their length.
var fieldNames = func() (byLength [32][]namedField) {
	for field, name := range map[fieldName]string{
		contentType: "content-type", contentEncoding: "content-encoding",
		transferEncoding: "transfer-encoding", etag: "etag", lastModified: "last-modified",
		contentRange: "content-range", referer: "referer", origin: "origin", userAgent: "user-agent",
		acceptLanguage: "accept-language",
		fetchMode:      "sec-fetch-mode", fetchDest: "sec-fetch-dest", fetchSite: "sec-fetch-site",
		upgrades: "upgrade-insecure-requests", requestedWith: "x-requested-with",
		location: "location", disposition: "content-disposition",
		referrerPolicy: "referrer-policy",
	} {
		byLength[len(name)] = append(byLength[len(name)], namedField{[]byte(name), field})
	}
	for _, name := range []string{"sec-purpose", "purpose", "x-moz"} {
		byLength[len(name)] = append(byLength[len(name)], namedField{[]byte(name), purpose})
	}
	return byLength
}()

type namedField struct {
	name []byte
	is   fieldName
}

func nameOf(name []byte) fieldName {
	if len(name) >= len(fieldNames) {
		return otherField
	}
	for _, known := range fieldNames[len(name)] {
		if bytes.EqualFold(name, known.name) {
			return known.is
		}
	}
	return otherField
}

// take notes a field's value, or the continuation of one that was empty so far.
func (h *Head) take(field fieldName, value []byte) {
	if field == otherField {
		return
	}
	value = bytes.TrimSpace(value)
	switch {
	case field == contentType && len(h.ContentType) == 0:
		h.ContentType = value
	case field == contentEncoding && len(value) > 0 && !bytes.EqualFold(value, []byte("identity")):
		h.encoded = true
	case field == transferEncoding:
		last := value[bytes.LastIndexByte(value, ',')+1:]
		h.Chunked = bytes.EqualFold(bytes.TrimSpace(last), []byte("chunked"))
	case field == etag && len(h.etag) == 0:
		h.etag = value
	case field == lastModified && len(h.modified) == 0:
		h.modified = value
	case field == contentRange:
		h.contentRange, h.ranges = value, h.ranges+1
	case field > firstOfVisit:
		h.visit.take(field, value)
	}
}

// Status is the code of a status line: its second word, if that is three digits; else 0.
func (h *Head) Status() int {
	_, rest, _ := bytes.Cut(h.startLine, []byte(" "))
	code, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
	if len(code) != 3 {
		return 0
	}
	status := 0
	for _, c := range code {
		if c < '0' || c > '9' {
			return 0
		}
		status = 10*status + int(c-'0')
	}
	return status
}

// Method is the first word of a request line.
func (h *Head) Method() []byte {
	method, _, _ := bytes.Cut(h.startLine, []byte(" "))
	return method
}

// protocol is the version that a status line begins with, or a request line ends with, as
// WARC-Protocol spells it (iipc/warc-specifications #42); "" if there is none.
func (h *Head) protocol() string {
	switch {
	case bytes.HasPrefix(h.startLine, []byte("HTTP/1.1")),
		bytes.HasSuffix(h.startLine, []byte(" HTTP/1.1")):
		return "http/1.1"
	case bytes.HasPrefix(h.startLine, []byte("HTTP/1.0")),
		bytes.HasSuffix(h.startLine, []byte(" HTTP/1.0")):
		return "http/1.0"
	}
	return ""
}

// MIME is the media type without its parameters, as cdxj-indexer prints it: up to the first
// semicolon or space.
func (h *Head) MIME() []byte {
	end := bytes.IndexFunc(h.ContentType, func(r rune) bool { return r == ';' || r <= ' ' })
	if end < 0 {
		return h.ContentType
	}
	return h.ContentType[:end]
}

// contentLength is the value of the first Content-Length field of a head; -1 if there is none that
// is a number.
func contentLength(head []byte) int64 {
	for at := 0; at < len(head); {
		var l []byte
		l, at = line(head, at)
		name, value, ok := bytes.Cut(l, []byte(":"))
		if ok && bytes.EqualFold(bytes.TrimRight(name, " \t"), []byte("Content-Length")) {
			n, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			if err != nil {
				return -1
			}
			return n
		}
	}
	return -1
}

// Text is b as UTF-8. Bytes that are not UTF-8 count as Latin-1, as in warcio.
func Text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

// isText reports whether s is one line of UTF-8 text.
func isText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// ReadStart reads the beginning of a record's block: all of its HTTP head, up to MaxHead bytes, and
// what of the body comes with it. What follows is still to be read from the block.
func ReadStart(record *warc.Record) ([]byte, error) {
	var start []byte
	for _, size := range []int64{4 << 10, 64 << 10, MaxHead} {
		more := make([]byte, min(size, record.Size)-int64(len(start)))
		n, err := io.ReadFull(record.Block, more)
		if start = append(start, more[:n]...); err != nil {
			return nil, err
		}
		if h := ParseHead(start); h.Size < len(start) || int64(len(start)) == record.Size {
			break
		}
	}
	return start, nil
}
