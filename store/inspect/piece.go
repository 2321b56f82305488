package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"warcorder/store/readback"
	"warcorder/store/warc"
)

// piece is a part of a body, as text. Of a text From, To and Size count the bytes of that text in
// UTF-8; in hexadecimal those of the body.
type piece struct {
	Text    string `json:"text"`
	Charset string `json:"charset,omitempty"`
	From    int64  `json:"from"`
	To      int64  `json:"to"`
	Size    int64  `json:"size"` // of all; -1 if that is not known
	More    bool   `json:"more"` // something follows
	Coding  string `json:"coding,omitempty"`
	Why     string `json:"why,omitempty"`
}

const (
	pieceSize = 64 << 10 // bytes of a text
	hexSize   = 12 << 10 // bytes of a body, each of which takes some five of the text
	hexLine   = 16
)

// textFrom is the piece of the body that begins at a byte of its text.
func (o *opened) textFrom(from int64) (*piece, error) {
	in, name := o.text()
	b, p, err := o.read(in, from, pieceSize)
	if err != nil {
		return nil, err
	}
	p.Charset = name
	for len(b) > 0 && b[0]&0xC0 == 0x80 { // within a character, which nobody asks for who has asked before
		b, p.From = b[1:], p.From+1
	}
	if p.More {
		b = b[:readback.WholeRunes(b)]
	}
	p.To = p.From + int64(len(b))
	if p.From == 0 {
		b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	}
	p.Text = strings.ToValidUTF8(string(b), "\uFFFD")
	if !p.More {
		p.Size = p.To
	}
	return p, nil
}

// hexFrom is the piece of the body that has that byte, in hexadecimal.
func (o *opened) hexFrom(from int64) (*piece, error) {
	from -= from % hexLine
	b, p, err := o.read(o.Reader, from, hexSize)
	if err != nil {
		return nil, err
	}
	p.Text, p.To, p.Size = hexOf(b, from), p.From+int64(len(b)), o.size
	if !p.More {
		p.Size = p.To
	}
	return p, nil
}

// read reads a piece that begins at a byte, of up to so many bytes. A body that breaks off, as it was
// recorded, ends there, and the piece says so.
func (o *opened) read(in io.Reader, from int64, most int) ([]byte, *piece, error) {
	p := &piece{From: from, Size: -1, Coding: o.coding, Why: o.why}
	skipped, err := io.CopyN(io.Discard, in, from)
	b := make([]byte, most+1)
	n := 0
	if err == nil {
		n, err = io.ReadFull(in, b)
	} else {
		p.From = skipped
	}
	p.More = n > most
	b = b[:min(n, most)]
	var damage *warc.Damage
	switch {
	case err == nil, err == io.EOF, err == io.ErrUnexpectedEOF && o.ended():
	case errors.As(err, &damage):
		p.Why = "the record is damaged behind this: " + damage.Reason.Error()
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, readback.ErrCoding):
		p.Why = "the body breaks off here, as it was recorded"
	case isBudget(err) && n > 0:
		p.Why, p.More = errBudget.Error(), true
	default:
		return nil, nil, err
	}
	return b, p, nil
}

// isBudget reports whether an error says that no more is read of a body.
func isBudget(err error) bool {
	return errors.Is(err, errBudget) || errors.Is(err, readback.ErrLong)
}

// ended reports whether the body has come to its end, rather than broken off.
func (o *opened) ended() bool {
	_, err := o.ReadByte()
	return err == io.EOF
}

// hexOf is b in lines of 16 bytes, of which the first one lies at an offset.
func hexOf(b []byte, offset int64) string {
	var out strings.Builder
	for len(b) > 0 {
		line := b[:min(len(b), hexLine)]
		b = b[len(line):]
		fmt.Fprintf(&out, "%08x  %-48s |", offset, fmt.Sprintf("% x", line))
		for _, c := range line {
			if c < ' ' || c > '~' {
				c = '.'
			}
			out.WriteByte(c)
		}
		out.WriteString("|\n")
		offset += hexLine
	}
	return out.String()
}

// The bounds of an indented text: a page may nest its JSON as deep as it likes, and each line of it
// would be as long as that is deep.
const (
	mostDeep = 20      // levels that are seen in the indentation
	mostMade = 8 << 20 // bytes; what would be longer is not indented
)

// indent indents JSON: its blanks are others then, and all else is as it was: numbers, escapes, the
// order of members and those that are there twice. It is false for what is no JSON.
func indent(b []byte) (indented []byte, is bool) {
	if !json.Valid(b) {
		return nil, false
	}
	out := make([]byte, 0, min(2*len(b), mostMade))
	depth := 0
	line := func() {
		out = append(out, '\n')
		out = append(out, blanks[:2*min(max(depth, 0), mostDeep)]...)
	}
	for i := 0; i < len(b) && len(out) < mostMade; i++ {
		switch c := b[i]; c {
		case ' ', '\t', '\r', '\n':
		case '"':
			end := endOfString(b, i)
			out = append(out, b[i:end]...)
			i = end - 1
		case '{', '[':
			out = append(out, c)
			if next := bytes.TrimLeft(b[i+1:], " \t\r\n"); next[0] == c+2 { // it is empty
				out = append(out, next[0])
				i = len(b) - len(next)
				continue
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			out = append(out, c)
		case ',':
			out = append(out, c)
			line()
		case ':':
			out = append(out, ':', ' ')
		default:
			out = append(out, c)
		}
	}
	return append(out, '\n'), len(out) < mostMade
}

const blanks = "                                        " // of mostDeep levels

// endOfString returns where a string of JSON ends that begins at a quotation mark.
func endOfString(b []byte, at int) int {
	for i := at + 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// isJSON reports whether a media type is that of JSON.
func isJSON(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json")
}
