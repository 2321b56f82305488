package text

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// TestOf: what is seen of documents.
func TestOf(t *testing.T) {
	for _, c := range []struct{ name, document, want string }{
		{"nothing", "", ""},
		{"text alone", "hello", "hello"},
		{"words and blocks", "<p>one  two\n three<p>four<div>five</div>six<br>seven",
			"one two three\nfour\nfive\nsix\nseven"},
		{"tags within words", "a<b>b</b>c <i>d</i> e", "abc d e"},
		{"no break space", "a&nbsp;b\u3000c", "a b c"},
		{"references", "&lt;b&gt; &amp;auml; &auml; &#x263a;", "<b> &auml; ä ☺"},
		{"head", "<head><title>no</title><style>no</style><script>no</script></head><body>yes", "yes"},
		{"what has no box", "a<noscript>no</noscript><template>no<p>no</template><iframe>no</iframe>" +
			"<object>no</object><datalist><option>no</datalist>b", "ab"},
		{"comments", "a<!-- no --><!doctype html><?no?>b", "ab"},
		{"hidden", "a<div hidden>no<div>no</div>no</div>b<p hidden>no<p>c", "a\nb\nc"},
		{"hidden until found", "<div hidden=until-found>yes</div>", "yes"},
		{"its own style", `a<div style="color:red; DISPLAY : none">no</div>b<i style="visibility:hidden">no</i>c`,
			"a\nbc"},
		{"hidden void", "a<input hidden><img hidden>b", "a b"},
		{"hidden without end", "<ul><li hidden>no<li>yes</ul><div hidden>no", "yes"},
		{"hidden row", "<table><tr hidden><td>no<tr><td>a<td>b</table>", "a b"},
		{"hidden cell", "<table><tr><td hidden>no<div>no</td><td>a</table>", "a"},
		{"hidden, ended by what is outside", "<section><p hidden>no</section>yes", "yes"},
		{"an end tag that is none of its own", "<table><tr><td>a</div>b</td></tr></table>", "ab"},
		{"hidden keeps, whatever ends within", "<div hidden><td></section></i>no</div>yes", "yes"},
		{"dialog", "<dialog>no</dialog><dialog open>yes</dialog>", "yes"},
		{"a form", "<select><option>a<option>b</select><textarea>c <b></textarea><button>d</button>",
			"a\nb\nc <b>\nd"},
		{"svg", "<svg><title>no</title><text>yes</text><script/><path/></svg>b", "yes b"},
		{"html knows no self-closing", "<div hidden/>no</div>yes", "yes"},
		{"a script that is no end", "a<script>'</scrip>' <p>no</script>b", "ab"},
		{"broken", "a<div <b>b</b", "a\nb"},
		{"zero", "a\x00b", "ab"},
	} {
		got, err := Of(strings.NewReader(c.document), "text/html; charset=utf-8")
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// TestXHTML: a document of XML has self-closing tags.
func TestXHTML(t *testing.T) {
	document := `<?xml version="1.0" encoding="iso-8859-2"?><html><head><script src="x"/></head><body>` +
		"<div hidden=\"\"/>\xb1</body></html>"
	got, err := Of(strings.NewReader(document), "application/xhtml+xml")
	if err != nil || got != "ą" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestCharsets: a charset is that of the head, or of the document, as in browsers.
func TestCharsets(t *testing.T) {
	encode := func(text string, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder()
	for _, c := range []struct{ name, head, document, want string }{
		{"of the head", "text/html; charset=windows-1251",
			encode(charmap.Windows1251.NewEncoder().String("Привет")), "Привет"},
		{"of a meta element", "text/html",
			"<meta charset=shift_jis>" + encode(japanese.ShiftJIS.NewEncoder().String("日本語")), "日本語"},
		{"of the old meta element", "",
			`<meta http-equiv=content-type content="text/html; charset=iso-8859-7">` +
				encode(charmap.ISO8859_7.NewEncoder().String("αβγ")), "αβγ"},
		{"a byte order mark wins", "text/html; charset=iso-8859-1",
			encode(utf16.String("größer")), "größer"},
		{"in escapes", "text/html; charset=iso-2022-jp",
			encode(japanese.ISO2022JP.NewEncoder().String("日本")), "日本"},
		{"none", "text/html", "caf\xe9 au lait", "café au lait"},
		{"none, and it is UTF-8", "text/html", "größer", "größer"},
		{"one that is not", "text/html; charset=utf-8", "a\xffb", "a\uFFFDb"},
		{"one that nobody knows", "text/html; charset=klingon", "a", "a"},
		{"a type that is none", ";;;", "a", "a"},
	} {
		got, err := Of(strings.NewReader(c.document), c.head)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// TestLimits: what stands before a limit is given.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name     string
		document io.Reader
		want     int
	}{
		{"text", endless("word "), MaxText},
		{"one word", endless("w"), MaxText},
		{"characters that the limit would cut", endless("ä€"), MaxText},
		{"tags", io.MultiReader(strings.NewReader("before"), endless("<b>")), len("before")},
		{"one tag", io.MultiReader(strings.NewReader("before<a "), endless("a=b ")), len("before")},
		{"a script", io.MultiReader(strings.NewReader("before<script>"), endless("no ")), len("before")},
		{"end tags", io.MultiReader(strings.NewReader("before"), endless("</b></div>")), len("before")},
		{"attributes", io.MultiReader(strings.NewReader("before"), endless("<p style='a:b;;;' a b c>")),
			len("before")},
	} {
		text, err := Of(c.document, "text/html; charset=utf-8")
		if err != nil || len(text) < c.want-8 || len(text) > min(c.want+1, MaxText) {
			t.Errorf("%s: %d bytes, %v, want %d", c.name, len(text), err, c.want)
		}
		if !utf8.ValidString(text) {
			t.Errorf("%s: it is no UTF-8", c.name)
		}
	}
}

// TestDeep: a tag takes the same time however many elements are open, whatever it opens or closes.
func TestDeep(t *testing.T) {
	const tags = 1 << 12
	for _, outer := range []string{"", "<p>", "<p><div>", "<table><tr><td>", "<li><ul>"} {
		for _, depth := range []int{maxDepth / 2, maxDepth - 4, maxDepth, 2 * maxDepth} {
			for _, tag := range []string{"<p>", "</i>", "</p>", "<li>", "<td>", "</td>", "<tbody>", "<p><i>"} {
				d := document{tokens: html.NewTokenizer(strings.NewReader(
					outer + strings.Repeat("<b>", depth) + strings.Repeat(tag, tags)))}
				if err := d.read(); err != nil || d.open.work > 8*(tags+depth) {
					t.Errorf("%s%d × <b>, %s: %d elements were looked at, %v", outer, depth, tag, d.open.work, err)
				}
			}
		}
	}
}

// plain are elements that are closed as the rules say it, one after another.
type plain []string

func (p *plain) closeImplied(names []string) {
	for i := len(*p) - 1; i >= 0; i-- {
		switch at := (*p)[i]; {
		case slices.Contains(names, at):
			*p = (*p)[:i]
		case keepOpen[at]:
			return
		}
	}
}

func (p *plain) end(name string) bool {
	bounds := scope
	if tableParts[name] {
		bounds = tableScope
	}
	for i := len(*p) - 1; i >= 0; i-- {
		switch at := (*p)[i]; {
		case at == name:
			*p = (*p)[:i]
			return true
		case bounds[at]:
			return false
		}
	}
	return false
}

// TestElements: whatever tags come, the elements are closed that the rules say.
func TestElements(t *testing.T) {
	names := strings.Fields("p div li ul b i table tr td tbody caption template select option dd dl body head")
	random := rand.New(rand.NewPCG(1, 2))
	var s elements
	var want plain
	for n := range 200_000 {
		name := names[random.IntN(len(names))]
		if random.IntN(2) == 0 {
			if got := s.end(name); got != want.end(name) {
				t.Fatalf("tag %d ends an element: %v", n, got)
			}
		} else if s.start(element{name: name}); !tableParts[name] || name == "table" || slices.Contains(want, "table") {
			want.closeImplied(closedBy[name])
			want = append(want, name)
		} else {
			want.closeImplied(closedBy[name])
		}
		if len(s.stack) != len(want) || len(want) > 0 && s.stack[len(want)-1].name != want[len(want)-1] {
			t.Fatalf("tag %d: %v are open, want %v", n, s.stack, want)
		}
		if len(want) > 40 {
			s, want = elements{}, nil
		}
	}
}

// endless reads text again and again.
func endless(text string) io.Reader { return &repeated{text: text} }

type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		m := copy(p[n:], r.text[r.at:])
		n += m
		r.at = (r.at + m) % len(r.text)
	}
	return n, nil
}

// TestBrokenOff: what was there before an error is given with it.
func TestBrokenOff(t *testing.T) {
	broken := errors.New("broken")
	in := io.MultiReader(strings.NewReader(strings.Repeat("seen ", 1000)), iotest.ErrReader(broken))
	text, err := Of(in, "text/html")
	if !errors.Is(err, broken) || !strings.HasPrefix(text, "seen seen") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if text, err := Of(iotest.ErrReader(broken), "text/html"); !errors.Is(err, broken) || text != "" {
		t.Errorf("%q, %v", text, err)
	}
}

// FuzzOf: whatever a document holds, the text is bounded UTF-8 of lines and single spaces, and what
// memory the reading takes is bounded by what is read.
func FuzzOf(f *testing.F) {
	f.Add([]byte("<p>one<div hidden>two</div><table><td>x<svg><a/></svg>"), "text/html")
	f.Add([]byte("<?xml encoding='koi8-r'?><script/>\xc1"), "application/xhtml+xml")
	f.Add([]byte("\xff\xfea\x00<\x00"), "text/html; charset=utf-16")
	f.Fuzz(func(t *testing.T, source []byte, contentType string) {
		text, err := Of(bytes.NewReader(source), contentType)
		if err != nil {
			t.Fatal(err)
		}
		d := document{tokens: html.NewTokenizer(bytes.NewReader(source))}
		if err := d.read(); err == nil && d.open.work > 8*len(source) {
			t.Fatalf("%d elements are looked at in %d bytes", d.open.work, len(source))
		}
		if !utf8.ValidString(text) || len(text) > MaxText || len(text) > 6*len(source)+16 {
			t.Fatalf("%d bytes of text in %d", len(text), len(source))
		}
		if strings.Contains(text, "  ") || strings.HasPrefix(text, "\n") || strings.Contains(text, "\n\n") {
			t.Fatalf("%q", text)
		}
	})
}

// BenchmarkOf: pages of tags, as they are.
func BenchmarkOf(b *testing.B) {
	document := "<html><body>" + strings.Repeat(
		`<div class="row" style="color:red"><a href="/x">some words</a> <b>more</b><p>and more</div>`, 2000)
	b.SetBytes(int64(len(document)))
	for b.Loop() {
		if _, err := Of(strings.NewReader(document), "text/html; charset=utf-8"); err != nil {
			b.Fatal(err)
		}
	}
}
