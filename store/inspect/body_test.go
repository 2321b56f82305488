package inspect

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

// pack compresses by gzip.
func pack(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// TestCharset: texts are read as browsers read them.
func TestCharset(t *testing.T) {
	s := recorded(t)
	for n, c := range []struct{ head, body, want, charset string }{
		{"Content-Type: text/html; charset=ISO-8859-1", "\x80\xe9", "€é", "windows-1252"},
		{"Content-Type: text/html", "<meta charset=koi8-r>\xc1", "<meta charset=koi8-r>а", "koi8-r"},
		{"Content-Type: text/html; charset=koi8-r", "\xef\xbb\xbfé", "é", "utf-8"},
		{"Content-Type: text/plain", "\xff\xfeh\x00i\x00", "hi", "utf-16le"},
		{"Content-Type: text/plain; charset=shift_jis", "\x83\x65", "テ", "shift_jis"},
		{"Content-Type: text/plain", strings.Repeat("x", 2000) + "é", strings.Repeat("x", 2000) + "é", "utf-8"},
		{"Content-Type: text/plain", "a\xe9", "aé", "windows-1252"},
		{"Content-Type: text/plain; charset=utf-8", "a\xe9b", "a\uFFFDb", "utf-8"},
		{"Content-Type: text/xml", "<?xml version='1.0' encoding='koi8-r'?>\xc1",
			"<?xml version='1.0' encoding='koi8-r'?>а", "koi8-r"},
		{"Content-Type: text/plain; charset=nonsense", "é", "é", "utf-8"},
		{"X: y", "", "", "utf-8"},
		{"Content-Type: text/plain\r\nContent-Encoding: gzip", pack("in gzip é"), "in gzip é", "utf-8"},
		{"Content-Type: text/plain\r\nContent-Encoding: gzip, gzip", pack(pack("twice")), "twice", "utf-8"},
		{"Content-Type: text/plain\r\nContent-Encoding: gzip", "not so", "not so", "utf-8"},
		{"Content-Type: text/plain\r\nTransfer-Encoding: chunked", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde",
			"utf-8"},
		{"Content-Type: application/json", `{"b":1.50,"a":[],"b":{"é":"\u00e9,{"} }`,
			"{\n  \"b\": 1.50,\n  \"a\": [],\n  \"b\": {\n    \"é\": \"\\u00e9,{\"\n  }\n}\n", "utf-8"},
		{"Content-Type: application/json", `{"a":1,}`, `{"a":1,}`, "utf-8"},
	} {
		x := s.commit(fmt.Sprintf("http://example.com/%d", n), get, "HTTP/1.1 200 OK\r\n"+c.head+"\r\n\r\n"+c.body)
		p := s.piece(&x, "")
		if p.Text != c.want || p.Charset != c.charset || p.More || p.Why != "" {
			t.Errorf("%s: %q: %+v", c.head, c.body, p)
		}
	}
}

// TestPieces: a long text comes in pieces, each of whole characters, which are all of it.
func TestPieces(t *testing.T) {
	s := recorded(t)
	body := strings.Repeat("é€😀a", 50_000)
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Encoding: gzip\r\n\r\n"
	c := s.commit("http://example.com/", get, head+pack(body))
	var all strings.Builder
	for from := int64(0); ; {
		p := s.piece(&c, fmt.Sprintf("&from=%d", from))
		if p.From != from || p.To-p.From != int64(len(p.Text)) || len(p.Text) > pieceSize || p.Coding != "gzip" ||
			!utf8.ValidString(p.Text) || strings.Contains(p.Text, "\uFFFD") {
			t.Fatalf("from %d: %d to %d, %d bytes", from, p.From, p.To, len(p.Text))
		}
		all.WriteString(p.Text)
		if from = p.To; !p.More {
			if p.Size != from {
				t.Errorf("size %d", p.Size)
			}
			break
		}
	}
	if all.String() != body {
		t.Error("the pieces are not the whole")
	}
	if p := s.piece(&c, "&from=1"); p.From != 2 || !strings.HasPrefix(p.Text, "€") {
		t.Errorf("within a character: %d %.9q", p.From, p.Text)
	}
	if p := s.piece(&c, "&from=999999999"); p.Text != "" || p.More || p.Size != int64(len(body)) {
		t.Errorf("behind the end: %+v", p)
	}
	hex := s.piece(&c, "&as=hex&from=17")
	if hex.From != 16 || !strings.HasPrefix(hex.Text, "00000010  ") || !hex.More || hex.To != 16+hexSize {
		t.Errorf("%+v", hex)
	}
}

// bomb is so many bytes of zeros in gzip, without their being made.
func bomb(size int64) string {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	io.CopyN(w, zeros{}, size)
	w.Close()
	return b.String()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestBombs: of a body that is far longer without its codings no more is read than is said, whichever of
// the codings it is that makes it long.
func TestBombs(t *testing.T) {
	s := recorded(t)
	const most = 2 << 20
	s.inspector.mostRead = most
	empty := strings.Repeat("\x00\x00\x00\xff\xff", 100_000) // stored blocks of deflate that hold nothing
	for name, body := range map[string]string{
		"outer": bomb(most * 2),
		"inner": pack(bomb(most * 2)),
	} {
		coding := map[string]string{"outer": "gzip", "inner": "gzip, gzip"}[name]
		c := s.commit("http://example.com/"+name, get,
			"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: "+coding+"\r\n\r\n"+body)
		if p := s.piece(&c, "&from=1000000"); p.From != 1_000_000 || !p.More || len(p.Text) != pieceSize {
			t.Errorf("%s: %d, %v", name, p.From, p.More)
		}
		for _, as := range []string{"text", "hex"} {
			status, said := s.ask(BodyPath, c.Location, fmt.Sprintf("&as=%s&from=%d", as, most+1))
			if status != http.StatusUnprocessableEntity || !bytes.Contains(said, []byte("64 MiB")) {
				t.Errorf("%s as %s: %d %.200s", name, as, status, said)
			}
		}
	}
	hollow := "HTTP/1.1 200 OK\r\nContent-Encoding: deflate, gzip\r\n\r\n" +
		pack("\x78\x9c"+strings.Repeat(empty, 8))
	c := s.commit("http://example.com/hollow", get, hollow)
	if status, said := s.ask(BodyPath, c.Location, ""); status != http.StatusUnprocessableEntity {
		t.Errorf("hollow: %d %.200s", status, said)
	}
}

// TestIndent: however deep JSON is, its indented text is not longer than is said.
func TestIndent(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("1,", 200_000) + "1" + strings.Repeat("]", 5000)
	made, is := indent([]byte(deep))
	if len(made) > mostMade+2*mostDeep+2 || is {
		t.Errorf("%d bytes, %v", len(made), is)
	}
	made, is = indent([]byte(strings.Repeat("[", 50) + strings.Repeat("]", 50)))
	if !is || len(made) > 50*2*(2*mostDeep+2) {
		t.Errorf("%d bytes, %v", len(made), is)
	}
}

// FuzzIndent: what is indented says the same in the same order, and what is no JSON is not indented.
func FuzzIndent(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.0e5,"\"",{}],"a":null}`, "[ ]", `"x"`, "[[1 , 2]]", "{", "[\r\n\t]", ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		made, is := indent(b)
		if is != json.Valid(b) && len(b) < 1000 {
			t.Fatalf("%q: %v", b, is)
		}
		if !is {
			return
		}
		var was, now bytes.Buffer
		if json.Compact(&was, b) != nil || json.Compact(&now, made) != nil || was.String() != now.String() {
			t.Errorf("%q\n%q", b, made)
		}
	})
}
