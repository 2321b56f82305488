package text

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// TestTitle: the title of a document is what a browser shows.
func TestTitle(t *testing.T) {
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().
		String("<title>Grüße</title>")
	if err != nil {
		t.Fatal(err)
	}
	shiftJIS, err := japanese.ShiftJIS.NewEncoder().
		String("<meta charset=shift_jis><title>日本語</title>")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, kind, document, want string }{
		{"plain", "text/html", "<!doctype html><title>A page</title>", "A page"},
		{"none", "text/html", "<p>no title", ""},
		{"empty document", "", "", ""},
		{"empty", "text/html", "<title></title><title>second</title>", ""},
		{"entities", "text/html", "<title>a &amp; b &lt;i&gt; &#x201c;&eacute;&nbsp;x</title>",
			"a & b <i> “é\u00a0x"},
		{"white space", "text/html", "<TITLE lang=en>\r\n  a\t b\n\n c </TITLE >", "a b c"},
		{"controls", "text/html", "<title>a\x1b[31m\x00b&#7;\u0085c\x7f</title>", "a[31m\ufffdbc"},
		{"tags within", "text/html", "<title>a <b>c</b></title>", "a <b>c</b>"},
		{"in a comment", "text/html", "<!-- <title>no</title> --><title>yes</title>", "yes"},
		{"in a script", "text/html", "<script>'<title>no</title>'</script><title>yes</title>", "yes"},
		{"in an image", "text/html", "<svg><title>no</title></svg><title>yes</title>", "yes"},
		{"in an image in an image", "text/html",
			"<svg><g><svg><title>no</title></svg><title>no</title></g></svg><title>yes</title>", "yes"},
		{"in an image that is empty", "text/html", "<svg/><title>no</title></svg><title>yes</title>",
			"yes"},
		{"in a template", "text/html", "<template><title>no</title></template><title>yes</title>", "yes"},
		{"only in an image", "text/html", "<body><svg><title>no</title></svg>", ""},
		{"not closed", "text/html", "<title>a page", "a page"},
		{"Latin-1, by the head", "text/html; charset=iso-8859-1", "<title>Gr\xfc\xdfe</title>", "Grüße"},
		{"Latin-1, by nothing", "text/html", "<title>Gr\xfc\xdfe</title>", "Grüße"},
		{"UTF-8, by the head", "text/html;charset=UTF-8", "<title>Grüße</title>", "Grüße"},
		{"Shift JIS, by the document", "text/html", shiftJIS, "日本語"},
		{"UTF-16, by its mark", "text/html", utf16, "Grüße"},
		{"XHTML", "application/xhtml+xml",
			"<?xml version='1.0' encoding='ISO-8859-1'?><html><head><script/><title>\xe9</title>", "é"},
		{"long", "text/html", "<title>" + strings.Repeat("ö", maxTitle) + "</title>",
			strings.Repeat("ö", maxTitle/2)},
		{"in the last piece", "text/html", strings.Repeat("<p>", 3000) + "<title>yes</title>", "yes"},
		{"in the piece behind the last whole one", "text/html",
			strings.Repeat(" ", sampled+titlePiece) + "<title>yes", "yes"},
		{"a tag that begins behind a shift", "text/html; charset=iso-2022-jp", "<t\x1b(Bitle>yes</title>",
			"yes"},
		{"far away", "text/html", strings.Repeat(" ", maxTitleInput) + "<title>no</title>", ""},
	} {
		for how, in := range readers(c.document) {
			if got, err := Title(in, c.kind); got != c.want || err != nil {
				t.Errorf("%s, %s: %q, %v, want %q", c.name, how, got, err, c.want)
			}
		}
	}
}

// readers read a document in the ways that readers have. Those that take codings off give the end
// together with the last bytes.
func readers(document string) map[string]io.Reader {
	return map[string]io.Reader{
		"the end for itself":  strings.NewReader(document),
		"the end with bytes":  iotest.DataErrReader(strings.NewReader(document)),
		"by half":             iotest.HalfReader(strings.NewReader(document)),
		"the end by one byte": iotest.DataErrReader(iotest.OneByteReader(strings.NewReader(document))),
	}
}

// TestTitleFails: an error of the disk is one, before the title and behind it.
func TestTitleFails(t *testing.T) {
	failed := errors.New("the disk")
	for _, before := range []string{"", "<p>", "<title>a</ti", strings.Repeat("<p>", 5000)} {
		in := io.MultiReader(strings.NewReader(before), iotest.ErrReader(failed))
		if _, err := Title(in, "text/html; charset=utf-8"); !errors.Is(err, failed) {
			t.Errorf("%.10q: %v", before, err)
		}
	}
	for _, before := range []string{"", strings.Repeat("<p>", 5000)} { // in one piece with the error
		in := strings.NewReader(before + "<title>yes</title>")
		got, err := Title(readerFunc(func(p []byte) (int, error) {
			n, err := in.Read(p)
			if err != nil || n < len(p) {
				err = failed
			}
			return n, err
		}), "text/html; charset=utf-8")
		if got != "yes" || !errors.Is(err, failed) {
			t.Errorf("%.10q: %q, %v", before, got, err)
		}
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// FuzzTitle: whatever a document holds, its title is a line of UTF-8 of a bounded length, and the one
// that is found where every tag is read.
func FuzzTitle(f *testing.F) {
	f.Add([]byte("<svg><title>a</title></svg><title>b&nbsp;"), "text/html")
	f.Add([]byte("\xff\xfe<\x00t\x00"), "text/html; charset=utf-16")
	f.Add([]byte("\x1b$B<t\x1b(B<title>\x1b$BF|\x1b(B"), "text/html; charset=iso-2022-jp")
	f.Add([]byte("<t\x1b(Bitle>a"), "text/html; charset=iso-2022-jp")
	f.Fuzz(func(t *testing.T, document []byte, kind string) {
		got, err := Title(iotest.DataErrReader(bytes.NewReader(document)), kind)
		if err != nil || len(got) > maxTitle || !utf8.ValidString(got) ||
			strings.ContainsAny(got, "\n\r\t\x00\x1b") || strings.Contains(got, "  ") {
			t.Errorf("%q, %v", got, err)
		}
		if want := everyTag(t, document, kind); got != want && len(document) <= maxTitleInput {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// everyTag returns the title of a document of which all is decoded, and every tag read.
func everyTag(t *testing.T, document []byte, kind string) string {
	in, err := decode(bytes.NewReader(document), kind)
	if err != nil {
		t.Fatal(err)
	}
	reader := titleReader{tokens: html.NewTokenizer(in), isXML: isXML(kind)}
	return reader.read()
}
