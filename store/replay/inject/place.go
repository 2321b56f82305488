package inject

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf16"
)

// place is where in a document the script goes.
type place struct {
	at     int    // bytes before it
	prefix string // of the names of elements, in XHTML
	wide   int    // 1: UTF-16 with the low byte first, 2: with the high byte first
}

// encode writes ASCII as the document is written.
func (p place) encode(text string) []byte {
	if p.wide == 0 {
		return []byte(text)
	}
	out := make([]byte, 0, 2*len(text))
	for _, unit := range utf16.Encode([]rune(text)) {
		if p.wide == 1 {
			out = append(out, byte(unit), byte(unit>>8))
		} else {
			out = append(out, byte(unit>>8), byte(unit))
		}
	}
	return out
}

// utf16Names are the names of UTF-16 (Encoding Standard, names and labels): 1 with the low byte
// first, 2 with the high byte first.
var utf16Names = map[string]int{"utf-16": 1, "utf-16le": 1, "unicode": 1, "unicodefeff": 1,
	"ucs-2": 1, "iso-10646-ucs-2": 1, "csunicode": 1, "utf-16be": 2, "unicodefffe": 2}

// unread are charsets of which a browser shows nothing (Encoding Standard, replacement), or that
// are not ASCII for ASCII.
var unread = []string{"iso-2022-kr", "csiso2022kr", "hz-gb-2312", "iso-2022-cn", "iso-2022-cn-ext",
	"replacement", "utf-7", "utf-32"}

// find returns the place of the script in a document that begins like that; all says that this is
// the whole of it. It is false where none is certain.
func find(begun []byte, k kind, charset string, all bool) (p place, ok bool) {
	start := 0
	switch {
	case bytes.HasPrefix(begun, []byte("\xef\xbb\xbf")):
		start, charset = 3, "utf-8"
	case bytes.HasPrefix(begun, []byte("\xff\xfe")):
		start, p.wide = 2, 1
	case bytes.HasPrefix(begun, []byte("\xfe\xff")):
		start, p.wide = 2, 2
	default:
		p.wide = utf16Names[charset]
	}
	if slices.Contains(unread, charset) {
		return p, false
	}
	text := begun[start:]
	if p.wide > 0 {
		text = narrow(text, p.wide)
	}
	s := scanner{text: string(text), all: all}
	var at int
	if k == xhtml {
		at, p.prefix, ok = s.xhtml()
	} else {
		at, ok = s.html(charset == "" && p.wide == 0)
	}
	if p.wide > 0 {
		at *= 2
	}
	p.at = start + at
	return p, ok
}

// narrow returns the ASCII of UTF-16, a byte for two; what is none is a byte that is none.
func narrow(text []byte, wide int) []byte {
	out := make([]byte, len(text)/2)
	for i := range out {
		low, high := text[2*i], text[2*i+1]
		if wide == 2 {
			low, high = high, low
		}
		if out[i] = low; high != 0 || low > 0x7f {
			out[i] = 0x80
		}
	}
	return out
}

// scanner reads what stands before the content of a document. Each step goes on where the last one
// ended: it takes linear time.
type scanner struct {
	text string
	at   int
	all  bool // nothing follows the text
}

// html returns the place in a HTML document: behind doctype, html and head, if they are there,
// since a script before the doctype would change how the page looks. With meta it is behind the
// charset, which browsers look for in the first bytes alone.
func (s *scanner) html(meta bool) (at int, ok bool) {
	for s.skip(isHTMLSpace) {
		begin := s.at
		switch name := s.tag(); {
		case strings.HasPrefix(s.text[s.at:], "<!--"):
			ok = s.comment()
		case strings.HasPrefix(s.text[s.at:], "<!"), strings.HasPrefix(s.text[s.at:], "<?"):
			ok = s.past(">")
		case name == "html":
			ok = s.element()
		case name == "head":
			if ok = s.element(); ok {
				return s.behindCharset(meta), true
			}
		default:
			return s.behindCharset(meta), true
		}
		if !ok {
			return begin, s.all
		}
	}
	return s.at, s.all
}

// behindCharset returns the place behind a meta element that says the charset, if nothing but a
// title, comments and other such elements stands before it; else the present one.
func (s *scanner) behindCharset(meta bool) int {
	begin := s.at
	for ok := meta; ok && s.skip(isHTMLSpace); {
		from := s.at
		switch name := s.tag(); {
		case strings.HasPrefix(s.text[s.at:], "<!--"):
			ok = s.comment()
		case name == "title":
			ok = s.element() && s.past("</title") && s.past(">")
		case name == "meta":
			ok = s.element()
			element := strings.ToLower(s.text[from:s.at])
			if strings.Contains(element, "content-security-policy") {
				return begin
			}
			if ok && strings.Contains(element, "charset") {
				return s.at
			}
		case name == "link" || name == "base":
			ok = s.element()
		default:
			ok = false
		}
	}
	return begin
}

// xhtml returns the place in an XHTML document: behind the tag of the head. Without it there is
// none.
func (s *scanner) xhtml() (at int, prefix string, ok bool) {
	for s.skip(isXMLSpace) {
		switch name := s.tag(); {
		case strings.HasPrefix(s.text[s.at:], "<!--"):
			ok = s.past("-->")
		case strings.HasPrefix(s.text[s.at:], "<?"):
			ok = s.past("?>")
		case strings.HasPrefix(s.text[s.at:], "<!DOCTYPE"):
			ok = s.doctype()
		case name == "html" || strings.HasSuffix(name, ":html"):
			ok = s.element()
		case name == "head" || strings.HasSuffix(name, ":head"):
			ok = s.element() && s.text[s.at-2] != '/'
			return s.at, strings.TrimSuffix(name, "head"), ok
		default:
			return 0, "", false
		}
		if !ok {
			return 0, "", false
		}
	}
	return 0, "", false
}

// doctype goes behind a doctype of XML, which may have declarations in brackets.
func (s *scanner) doctype() bool {
	end := strings.IndexAny(s.text[s.at:], "[>")
	if end < 0 {
		return false
	}
	if s.at += end; s.text[s.at] == '>' {
		s.at++
		return true
	}
	return s.past("]") && s.skip(isXMLSpace) && s.text[s.at] == '>' && s.past(">")
}

func isHTMLSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }
func isXMLSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// skip goes behind white space; it is false at the end.
func (s *scanner) skip(is func(byte) bool) bool {
	for s.at < len(s.text) && is(s.text[s.at]) {
		s.at++
	}
	return s.at < len(s.text)
}

// past goes behind the next text like that, in any case of its letters; it is false if there is
// none.
func (s *scanner) past(text string) bool {
	for i := s.at; i+len(text) <= len(s.text); i++ {
		if strings.EqualFold(s.text[i:i+len(text)], text) {
			s.at = i + len(text)
			return true
		}
	}
	return false
}

// comment goes behind a comment of HTML, which <!--> and <!---> are too.
func (s *scanner) comment() bool {
	for _, short := range []string{"<!-->", "<!--->"} {
		if strings.HasPrefix(s.text[s.at:], short) {
			s.at += len(short)
			return true
		}
	}
	end, other := strings.Index(s.text[s.at:], "-->"), strings.Index(s.text[s.at:], "--!>")
	switch {
	case end < 0 && other < 0:
		return false
	case end < 0 || other >= 0 && other < end:
		s.at += other + len("--!>")
	default:
		s.at += end + len("-->")
	}
	return true
}

// tag returns the name of the element whose tag begins here, in lower case; "" if none does.
func (s *scanner) tag() string {
	rest := s.text[s.at:]
	if len(rest) < 2 || rest[0] != '<' || !isLetter(rest[1]) {
		return ""
	}
	rest = rest[1:min(len(rest), 32)]
	end := strings.IndexAny(rest, " \t\n\f\r/>")
	if end < 0 {
		return ""
	}
	return strings.ToLower(rest[:end])
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// element goes behind the tag that begins here; a > in quotes does not end it.
func (s *scanner) element() bool {
	for i := s.at; i < len(s.text); i++ {
		switch c := s.text[i]; c {
		case '>':
			s.at = i + 1
			return true
		case '"', '\'':
			before := strings.TrimRight(s.text[s.at:i], " \t\n\f\r")
			if !strings.HasSuffix(before, "=") {
				continue
			}
			end := strings.IndexByte(s.text[i+1:], c)
			if end < 0 {
				return false
			}
			i += end + 1
		}
	}
	return false
}
