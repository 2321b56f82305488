package text

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

const (
	maxTitleInput = 256 << 10 // bytes of a document, in UTF-8, in which its title is looked for
	maxTitle      = 4 << 10   // bytes of a title
)

// Title returns the title of the HTML document that in holds, as browsers show it: the text of the
// first element title that is none of an image (SVG) or a formula, in UTF-8, with one space between
// words and without control characters; "" if there is none. contentType is as for [Of]. What it
// reads and what it gives have bounds. With an error of in it returns what was there before.
func Title(in io.Reader, contentType string) (string, error) {
	decoded, err := decode(in, contentType)
	if err != nil {
		return "", err
	}
	near := &failing{in: io.LimitReader(decoded, maxTitleInput)}
	start := untilTag(near, "title")
	if start == nil {
		return "", near.err
	}
	t := titleReader{tokens: html.NewTokenizer(io.MultiReader(bytes.NewReader(start), near)),
		isXML: isXML(contentType)}
	title := t.read()
	return title, near.err
}

// untilTag reads up to behind the first start tag of that name, wherever it stands, and returns what
// it has read; nil if there is none. It takes much less time than to read the tags before it.
func untilTag(in io.Reader, name string) []byte {
	read, at := make([]byte, 0, 4<<10), 0
	for {
		n, err := in.Read(read[len(read):cap(read)])
		read = read[:len(read)+n]
		for {
			next := bytes.IndexByte(read[at:], '<')
			if next < 0 {
				at = len(read)
				break
			}
			if at += next; len(read) < at+1+len(name) {
				break
			}
			if strings.EqualFold(string(read[at+1:at+1+len(name)]), name) {
				return read
			}
			at++
		}
		if err != nil {
			return nil
		}
		read = slices.Grow(read, 1)
	}
}

// failing remembers the error of a reader, as opposed to its end.
type failing struct {
	in  io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.in.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
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
