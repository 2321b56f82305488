package cdxapi

import (
	"bytes"
	"strconv"
	"strings"

	"warcorder/store"
)

// line is a capture as it is given.
type line struct {
	*store.Capture
	resolved bool      // it has the members orig.*
	original *original // of a revisit, if it is known
	scratch  *[]byte   // that is used again
}

// original is what the line of a revisit says of the capture with the body.
type original struct {
	length, offset int64
	file, mime     string
	status         int
	key            string // the URL key and the second
}

// The fields of a line, by pywb's names, in the order in which they stand there.
var fields = []string{"urlkey", "timestamp", "url", "mime", "status", "digest", "length", "offset",
	"filename", "method", "requestBody", "orig.length", "orig.offset", "orig.filename"}

// plain are those that each line has, as a rule: what output=text has columns of.
var plain = fields[:9]

// foreign are fields that lines of pywb, or of those who index for it, may have, and ours have not.
var foreign = []string{"source", "source-coll", "access", "redirect", "robotflags", "mime-detected",
	"metadata", "is_fuzzy", "load_url", "recordDigest", "referrer", "access_status"}

// value returns what the line has in a field; "" if it has no such.
func (l *line) value(field string) string {
	c := l.Capture
	switch field {
	case "urlkey":
		return c.URLKey
	case "timestamp":
		return store.FourDigitYear(c.Time).Format("20060102150405")
	case "url":
		return c.URL
	case "mime":
		return c.MIME
	case "status":
		if c.Status > 0 {
			return strconv.Itoa(c.Status)
		}
	case "digest":
		return c.Digest
	case "length":
		return l.number(c.Length)
	case "offset":
		return l.number(c.Offset)
	case "filename":
		return c.File
	case "method":
		if method := strings.ToUpper(c.Method); method != "GET" {
			return method
		}
	case "requestBody":
		return c.RequestBody
	case truncated:
		if c.Truncated {
			return "yes"
		}
	case "orig.length", "orig.offset", "orig.filename":
		return l.ofOriginal(field)
	}
	return ""
}

func (l *line) number(n int64) string {
	if l.File == "" {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// ofOriginal returns a field of the original: "-" if there is none.
func (l *line) ofOriginal(field string) string {
	switch {
	case !l.resolved:
		return ""
	case l.original == nil:
		return "-"
	case field == "orig.length":
		return strconv.FormatInt(l.original.length, 10)
	case field == "orig.offset":
		return strconv.FormatInt(l.original.offset, 10)
	}
	return l.original.file
}

// origins are the fields that resolving adds.
var origins = fields[11:]

// appendCDXJ appends the line as an export writes it, with what resolving adds.
func (l *line) appendCDXJ(dst []byte) []byte {
	dst = l.AppendCDXJ(dst)
	if !l.resolved {
		return dst
	}
	dst = dst[:len(dst)-1]
	for _, field := range origins {
		dst = append(append(append(dst, `,"`...), field...), `":`...)
		dst = store.AppendJSON(dst, l.ofOriginal(field))
	}
	return append(dst, '}')
}

// appendJSON appends an object of all fields, or of those that are named.
func (l *line) appendJSON(dst []byte, names []string) []byte {
	if names != nil {
		return l.appendFields(dst, names)
	}
	*l.scratch = l.appendCDXJ((*l.scratch)[:0])
	key, text, _ := bytes.Cut(*l.scratch, []byte(" "))
	timestamp, object, _ := bytes.Cut(text, []byte(" "))
	dst = store.AppendJSON(append(dst, `{"urlkey":`...), string(key))
	dst = append(append(dst, `,"timestamp":"`...), timestamp...)
	return append(append(dst, `",`...), object[1:]...)
}

// appendFields appends an object of those of the fields that the line has.
func (l *line) appendFields(dst []byte, names []string) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for _, name := range names {
		value := l.value(name)
		if value == "" {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = store.AppendJSON(append(store.AppendJSON(dst, name), ':'), value)
	}
	return append(dst, '}')
}

// appendColumns appends values with a space between them, "-" for those that are not there.
func (l *line) appendColumns(dst []byte, names []string) []byte {
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendColumn(dst, l.value(name))
	}
	return dst
}

// appendColumn appends a value without spaces and line breaks: these would end it.
func appendColumn(dst []byte, value string) []byte {
	if value == "" {
		return append(dst, '-')
	}
	const hex = "0123456789ABCDEF"
	for i := range len(value) {
		if c := value[i]; c <= ' ' || c == 0x7f {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}
