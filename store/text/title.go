package text

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

const (
	maxTitleInput = 256 << 10 // bytes of a document in which its title is looked for
	maxTitle      = 4 << 10   // bytes of a title
)

// Title returns the title of the HTML document that in holds, as browsers show it: the text of the
// first element title that is none of an image (SVG) or a formula, in UTF-8, with one space between
// words and without control characters; "" if there is none. contentType is as for [Of]. What it
// reads and what it gives have bounds. With an error of in it returns what was there before.
func Title(in io.Reader, contentType string) (string, error) {
	buf := titleBuffers.Get().(*[maxTitleInput]byte)
	defer titleBuffers.Put(buf)
	near := &failing{in: io.LimitReader(in, maxTitleInput)}
	n, _ := io.ReadFull(near, buf[:sampled])
	start := buf[:n]
	coding, name, _ := charset.DetermineEncoding(start, withCharset(contentType, start))
	if keepsTags(name) {
		if start = untilTag(near, start, "title"); start == nil {
			return "", near.err
		}
	}
	document := io.MultiReader(bytes.NewReader(start), near)
	if coding != encoding.Nop {
		document = transform.NewReader(document, coding.NewDecoder())
	}
	t := titleReader{tokens: html.NewTokenizer(document), isXML: isXML(contentType)}
	title := t.read()
	return title, near.err
}

// keepsTags reports whether in a charset a tag has the bytes that it has in ASCII, and no others.
func keepsTags(charset string) bool {
	return !strings.HasPrefix(charset, "utf-16") && charset != "iso-2022-jp" // whose shifts may stand in one
}

// sampled is how much of a document is looked at for its charset.
const sampled = 1 << 10

// titleBuffers hold documents up to their titles.
var titleBuffers = sync.Pool{New: func() any { return new([maxTitleInput]byte) }}

// untilTag reads up to behind the first start tag of that name, in lower case and wherever it stands,
// and returns what it has read behind start, in the same array; nil if there is none, or no room for
// more. It takes much less time than to read the tags before it, or to decode them first.
func untilTag(in io.Reader, start []byte, name string) []byte {
	at := 0
	for ended := false; ; {
		for {
			next := bytes.IndexByte(start[at:], '<')
			if next < 0 {
				at = len(start)
				break
			}
			if at += next; len(start) < at+1+len(name) {
				break
			}
			if tag := start[at+1 : at+1+len(name)]; tag[0]|0x20 == name[0] &&
				strings.EqualFold(string(tag), name) {
				return start
			}
			at++
		}
		room := start[len(start):cap(start)]
		if ended || len(room) == 0 {
			return nil
		}
		n, err := in.Read(room[:min(len(room), titlePiece)])
		start, ended = start[:len(start)+n], err != nil // what came with the end is looked at too
	}
}

// titlePiece is how much is read at once: most titles stand near the beginning.
const titlePiece = 16 << 10

// failing remembers the error of a reader, as opposed to its end. After either nothing more is read.
type failing struct {
	in    io.Reader
	err   error
	ended error
}

func (f *failing) Read(p []byte) (n int, err error) {
	if f.ended != nil {
		return 0, f.ended
	}
	if n, f.ended = f.in.Read(p); f.ended != nil && !errors.Is(f.ended, io.EOF) {
		f.err = f.ended
	}
	return n, f.ended
}

// titleReader looks for the title.
type titleReader struct {
	tokens *html.Tokenizer
	isXML  bool
	apart  int // elements that are open whose titles are none of the document
}

// read returns the title.
func (t *titleReader) read() string {
	for {
		switch kind := t.tokens.Next(); kind {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := t.tokens.TagName()
			isClosed := kind == html.SelfClosingTagToken && (t.isXML || t.apart > 0)
			switch {
			case isClosed || t.apart > 0:
				t.tokens.NextIsNotRawText()
				if !isClosed && isApart(name) {
					t.apart++
				}
			case isApart(name):
				t.apart++
			case string(name) == "title":
				return t.title()
			}
		case html.EndTagToken:
			if name, _ := t.tokens.TagName(); t.apart > 0 && isApart(name) {
				t.apart--
			}
		}
	}
}

// isApart reports whether the titles in an element are none of the document.
func isApart(name []byte) bool {
	switch string(name) {
	case "svg", "math", "template":
		return true
	}
	return false
}

// title returns the text of the title that has begun.
func (t *titleReader) title() string {
	if t.tokens.Next() != html.TextToken {
		return ""
	}
	return Line(string(t.tokens.Text()), maxTitle)
}

// Line returns a text as one line, as document.title does: with one space where there are several, or
// line breaks, and without control characters; of at most so many bytes.
func Line(text string, most int) string {
	var out strings.Builder
	space := ""
	for _, r := range text {
		switch {
		case r == ' ' || r == '\t' || r == '\n' || r == '\f' || r == '\r':
			if out.Len() > 0 {
				space = " "
			}
			continue
		case unicode.IsControl(r):
			continue
		case out.Len()+len(space)+utf8.RuneLen(r) > most:
			return out.String()
		}
		out.WriteString(space)
		out.WriteRune(r)
		space = ""
	}
	return out.String()
}
