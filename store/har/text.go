package har

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"warcorder/store/readback"
)

// latin1 is the comment on a field whose bytes are not UTF-8.
const latin1 = "read as Latin-1"

// text is what a message or a URL holds, as JSON can: what is valid UTF-8 stands as it is, and of
// all else each byte is a character (Latin-1). Which of both it was is told of fields alone: pairOf.
func text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return fromLatin1(s)
}

func fromLatin1(s string) string {
	var b strings.Builder
	b.Grow(2 * len(s))
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

// pairOf is a field of a head. If one of its halves is not UTF-8, both are read as Latin-1.
func pairOf(name, value string) pair {
	if utf8.ValidString(name) && utf8.ValidString(value) {
		return pair{Name: name, Value: value}
	}
	return pair{Name: fromLatin1(name), Value: fromLatin1(value), Comment: latin1}
}

// pieces reads in to its end, or to its error, and calls take with pieces of it, none of which
// breaks a character in two but the last. buf has room for some characters.
func pieces(in io.Reader, buf []byte, take func([]byte) error) error {
	kept := 0
	for {
		n, end := in.Read(buf[kept:])
		have := buf[:kept+n]
		whole := len(have)
		if end == nil {
			whole = readback.WholeRunes(have)
		}
		if err := take(have[:whole]); err != nil {
			return err
		}
		kept = copy(buf, have[whole:])
		switch {
		case end == io.EOF:
			return nil
		case end != nil:
			return end
		}
	}
}

// quoter writes a text as what stands between the quotation marks of a string of JSON.
type quoter struct {
	buf     bytes.Buffer
	encoder *json.Encoder
}

func newQuoter() *quoter {
	q := new(quoter)
	q.encoder = json.NewEncoder(&q.buf)
	q.encoder.SetEscapeHTML(false)
	return q
}

// value returns v as JSON. It is good until the next call.
func (q *quoter) value(v any) ([]byte, error) {
	q.buf.Reset()
	err := q.encoder.Encode(v)
	return bytes.TrimSuffix(q.buf.Bytes(), []byte("\n")), err
}

// inner returns p, whole characters, as it stands within a string.
func (q *quoter) inner(p []byte) ([]byte, error) {
	quoted, err := q.value(string(p))
	if err != nil {
		return nil, err
	}
	return quoted[1 : len(quoted)-1], nil
}
