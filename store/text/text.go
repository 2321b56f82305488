// Package text makes the text of an HTML document that a person sees: what a page list is searched
// by. Start with [Of]; [Title] is what the document calls itself.
//
// Nothing is laid out and no script runs. What is out is what every browser hides whatever the
// style sheets say: scripts, styles, templates, the title and what else is in no box; and elements
// with the attribute hidden, or whose own style says so. Text that a style sheet hides, or that a
// script would have made, is as the document has it.
//
// Invariant: time is linear in what is read, memory has a bound, whatever the document holds. What is
// read and what is given end at the limits below, and what stands before them is given.
package text

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

const (
	// MaxInput is how many bytes of a document are read.
	MaxInput = 16 << 20

	// MaxText is how many bytes of text are given.
	MaxText = 1 << 20

	// maxToken is how many bytes one tag, or what a script or style holds, may have. The text ends
	// before a longer one.
	maxToken = 4 << 20
)

// Of returns the visible text of the HTML document that in holds, in UTF-8: words with one space
// between them, and lines where the document has blocks. contentType is that of its head; without a
// charset there the document's own counts, as in browsers. With an error of in it returns what was
// there before.
func Of(in io.Reader, contentType string) (string, error) {
	decoded, err := decode(io.LimitReader(in, MaxInput), contentType)
	if err != nil {
		return "", err
	}
	d := document{tokens: html.NewTokenizer(decoded), isXML: isXML(contentType)}
	d.tokens.SetMaxBuf(maxToken)
	err = d.read()
	return d.text(), err
}

// decode returns a document as UTF-8.
func decode(in io.Reader, contentType string) (io.Reader, error) {
	near := bufio.NewReaderSize(in, 1<<12)
	start, _ := near.Peek(1 << 10)
	decoded, err := charset.NewReader(near, withCharset(contentType, start))
	if errors.Is(err, io.EOF) { // it is empty
		return strings.NewReader(""), nil
	}
	return decoded, err
}

// Charset returns the encoding of a text that begins so, of which 1024 bytes are looked at, and its
// name: that of a mark of the order of bytes, of contentType, or of the text itself, as browsers find
// it. A text that does not say is in UTF-8 if all of start is, which breaks no character, else in
// windows-1252.
func Charset(start []byte, contentType string) (encoding.Encoding, string) {
	found, name, sure := charset.DetermineEncoding(start, withCharset(contentType, start))
	if !sure && name == "windows-1252" && utf8.Valid(start) {
		found, name = encoding.Nop, "utf-8"
	}
	if found == encoding.Nop {
		found = unicode.UTF8 // which replaces what is none
	}
	return found, name
}

// isXML reports whether a document of that type is read by the rules of XML.
func isXML(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	return strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "/xml")
}

// withCharset returns a content type with the charset that an XML declaration at the start names, if
// it has none. What else names a charset is known to the package charset.
func withCharset(contentType string, start []byte) string {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil && kind == "" {
		kind = "text/html"
	}
	if parameters["charset"] != "" || !bytes.HasPrefix(start, []byte("<?xml")) {
		return contentType
	}
	declaration, _, is := bytes.Cut(start, []byte("?>"))
	_, value, named := bytes.Cut(declaration, []byte("encoding="))
	if !is || !named || len(value) == 0 {
		return contentType
	}
	name, _, ended := bytes.Cut(value[1:], value[:1])
	if !ended {
		return contentType
	}
	return mime.FormatMediaType(kind, map[string]string{"charset": string(name)})
}

// document is one that is being read.
type document struct {
	tokens *html.Tokenizer
	isXML  bool
	open   elements

	out   strings.Builder
	space byte // what stands before the next word: 0, ' ' or '\n'
}

// text returns what has been seen.
func (d *document) text() string { return strings.ToValidUTF8(d.out.String(), "\uFFFD") }

// read reads to the end of the document, or to one of the limits.
func (d *document) read() error {
	for d.out.Len() < MaxText {
		switch kind := d.tokens.Next(); kind {
		case html.ErrorToken:
			err := d.tokens.Err()
			if errors.Is(err, io.EOF) || errors.Is(err, html.ErrBufferExceeded) {
				err = nil
			}
			return err
		case html.TextToken:
			if d.open.hidden == 0 {
				d.words(d.tokens.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			d.start(kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			d.end()
		}
	}
	return nil
}

// start takes a start tag.
func (d *document) start(selfClosing bool) {
	name, more := d.tokens.TagName()
	e := element{name: string(name)}
	e.hidden = hiddenElements[e.name]
	isOpen := false
	for more {
		var key, value []byte
		key, value, more = d.tokens.TagAttr()
		e.hidden = e.hidden || hides(key, value)
		isOpen = isOpen || string(key) == "open"
	}
	if e.name == "dialog" && !isOpen {
		e.hidden = true
	}
	d.apart(e.name)
	if selfClosing && (d.isXML || d.open.foreign > 0) {
		d.tokens.NextIsNotRawText()
		return
	}
	d.open.start(e)
}

// end takes an end tag.
func (d *document) end() {
	tag, _ := d.tokens.TagName()
	name := string(tag)
	wasSeen := d.open.hidden == 0
	if (d.open.end(name) || name == "br" || name == "p") && wasSeen {
		d.apart(name)
	}
}

// hides reports whether an attribute hides its element.
func hides(key, value []byte) bool {
	switch string(key) {
	case "hidden":
		return !bytes.EqualFold(value, []byte("until-found"))
	case "style":
		if len(value) > maxStyle {
			value = value[:maxStyle]
		}
		style := strings.ToLower(strings.Join(strings.Fields(string(value)), ""))
		return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
	}
	return false
}

// maxStyle is how much of the style of an element is looked at.
const maxStyle = 4 << 10

// apart notes what a tag puts between words.
func (d *document) apart(name string) {
	switch {
	case d.open.hidden > 0 || d.out.Len() == 0:
	case blocks[name]:
		d.space = '\n'
	case d.space == 0 && cells[name]:
		d.space = ' '
	}
}

// words appends the words of a text.
func (d *document) words(text []byte) {
	for len(text) > 0 && d.out.Len() < MaxText {
		rest := bytes.TrimLeftFunc(text, isSpace)
		if len(rest) < len(text) && d.space == 0 && d.out.Len() > 0 {
			d.space = ' '
		}
		end := bytes.IndexFunc(rest, isSpace)
		if end < 0 {
			end = len(rest)
		}
		d.word(rest[:end])
		text = rest[end:]
	}
}

// word appends a word, or a part of one that goes on behind a tag, as far as there is room; without
// what no browser shows: zeros, and marks of the order of bytes.
func (d *document) word(word []byte) {
	word = bytes.ReplaceAll(word, []byte{0}, nil)
	word = bytes.ReplaceAll(word, []byte("\uFEFF"), nil)
	if len(word) == 0 {
		return
	}
	if d.space != 0 {
		d.out.WriteByte(d.space)
		d.space = 0
	}
	if room := MaxText - d.out.Len(); len(word) > room {
		word = bytes.ToValidUTF8(word[:max(0, room)], nil)
	}
	d.out.Write(word)
}

// isSpace reports whether a character stands between words.
func isSpace(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r', 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return 0x2000 <= r && r <= 0x200a
}
