package inject

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf16"
)

var moment = time.Date(2020, 2, 3, 4, 5, 6, 789e6, time.UTC)

const page = "https://a.example/page"

// tagOf is what is put into a document.
func tagOf(prefix string) string {
	return "<" + prefix + "script>" + scriptOf(moment, page) + "</" + prefix + "script>"
}

func headOf(fields string) []byte {
	return []byte("HTTP/1.1 200 OK\r\n" + strings.ReplaceAll(fields, "\n", "\r\n") + "\r\n\r\n")
}

// changed returns the document that Document makes of one, and its head.
func changed(t testing.TB, head []byte, body string) (newHead, newBody string, injected bool) {
	t.Helper()
	h, b, injected := new(Clock).Document(head, strings.NewReader(body), moment, page)
	all, err := io.ReadAll(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(h), string(all), injected
}

func wide(text string, high bool) string {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if high {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return string(out)
}

// TestPlace has documents with a | where the script goes; those without one stay as they are.
func TestPlace(t *testing.T) {
	const html, xhtml = "text/html; charset=utf-8", "application/xhtml+xml"
	pad := strings.Repeat("x", window)
	for _, c := range []struct{ name, mediaType, document string }{
		{"plain", html, "<!DOCTYPE html><html lang=en><head>|<title>a</title><script>x</script>"},
		{"in capitals", "TEXT/HTML;CHARSET=UTF-8", "<!doctype HTML>\n<HTML>\n<HEAD\n>|<TITLE>"},
		{"nothing", html, "|"},
		{"text alone", html, "|hello"},
		{"blanks", html, " \n|hello"},
		{"no head", html, "<!doctype html><html>|<body onload=x>"},
		{"no html", html, "<!doctype html>|<script>x</script>"},
		{"no doctype", html, "<html><head>|<script>x</script>"},
		{"a header is no head", html, "<!doctype html>|<header>x</header>"},
		{"a script at once", html, "|<script>x</script>"},
		{"comments", html, "<!-- <head> --><!doctype html><!--a--!><!--><!---><!-- > -->|<p>"},
		{"bogus comments", html, "<?xml version='1.0'?><!doctype html><!x>|<p>"},
		{"old doctype", html, "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\"\n \"x\">|<p>"},
		{"> in quotes", html, "<!doctype html><html a='>' b=\">\"><head c = '>'>|<p>"},
		{"a quote alone", html, "<html a'><head>|<p>"},
		{"a comment without end", html, "<!doctype html>|<!-- <head>"},
		{"a comment without end in sight", html, "<!doctype html><!-- " + pad},
		{"a head without end in sight", html, "<!doctype html><html><head " + pad},
		{"a head behind much", html, "<!doctype html><!--" + pad[:window-100] + "--><head>|<p>" + pad},
		{"frames", html, "<html><head>|</head><frameset><frame src=a></frameset>"},
		{"a BOM", "text/html", "\xef\xbb\xbf<!doctype html><head>|<meta charset=x>"},
		{"a BOM alone", "text/html", "\xef\xbb\xbf|"},
		{"a charset", "text/html", "<head><meta charset=shift_jis>|<title>"},
		{"a charset behind others", "text/html",
			"<head>\n<!--a--><title>a<b</title><meta name=a content='>'>" +
				"<link rel=x><meta http-equiv=Content-Type content='text/html; charset=big5'>|<script>"},
		{"a charset behind a script", "text/html", "<head>|<script>x</script><meta charset=big5>"},
		{"a charset behind a policy", "text/html",
			"<head>|<meta http-equiv=Content-Security-Policy content=x><meta charset=big5>"},
		{"a charset without a head", "text/html", "<!doctype html><meta charset=big5>|<p>"},
		{"a title without end", "text/html", "<head>|<title><meta charset=big5>"},
		{"legacy", "text/html; charset=\"windows-1251\"", "<head>|<title>\xef\xf0\xe8</title>"},
		{"unread", "text/html; charset=iso-2022-kr", "<head><title>a</title>"},
		{"XHTML", xhtml, "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x' 'y'>\n" +
			"<html xmlns='http://www.w3.org/1999/xhtml'><!-- -- --><head>|<title/>"},
		{"XHTML with declarations", xhtml, "<!DOCTYPE html [<!ENTITY a '>'>] ><html><head>|<title/>"},
		{"XHTML with a prefix", xhtml, "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:head a='/'>|<h:title/>"},
		{"XHTML without a head", xhtml, "<html xmlns='http://www.w3.org/1999/xhtml'><body/></html>"},
		{"XHTML with an empty head", xhtml, "<html xmlns='http://www.w3.org/1999/xhtml'><head/><body/></html>"},
		{"XHTML that is none", xhtml, "<svg/>"},
		{"a picture", "image/svg+xml", "<svg><head></svg>"},
		{"text", "text/plain", "<html><head>"},
		{"a type that is longer", "text/htmlx", "<html><head>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			original := strings.Replace(c.document, "|", "", 1)
			prefix := ""
			if strings.HasPrefix(c.document, "<h:") {
				prefix = "h:"
			}
			want := strings.Replace(c.document, "|", tagOf(prefix), 1)
			_, got, injected := changed(t, headOf("Content-Type: "+c.mediaType), original)
			if got != want || injected != (want != original) {
				t.Errorf("injected %v: %.300q", injected, got)
			}
		})
	}
}

// TestWide: UTF-16 is written as UTF-16, whether a BOM says so or the head.
func TestWide(t *testing.T) {
	const document, end = "<!doctype html><head>", "<title>\u0416\U0001F600</title>"
	for _, c := range []struct {
		charset, bom string
		high         bool
	}{
		{"", "\xff\xfe", false}, {"", "\xfe\xff", true}, {"utf-8", "\xff\xfe", false},
		{"utf-16", "", false}, {"utf-16le", "", false}, {"UTF-16BE", "", true},
		{"Unicode", "", false}, {"ucs-2", "", false}, {"unicodeFFFE", "", true},
	} {
		head := headOf("Content-Type: text/html; charset=" + c.charset)
		want := c.bom + wide(document+tagOf("")+end, c.high)
		_, got, injected := changed(t, head, c.bom+wide(document+end, c.high))
		if got != want || !injected {
			t.Errorf("charset %q, BOM %q: %v, %.100q", c.charset, c.bom, injected, got)
		}
	}
}

// TestHead has what becomes of the fields.
func TestHead(t *testing.T) {
	const document = "<head>"
	hash := hashOf(scriptOf(moment, page))
	for _, c := range []struct{ name, fields, want string }{
		{"framing and codings",
			"Content-Length: 6\nContent-Encoding: br\ntransfer-encoding: chunked\nTrailer: x\nX: y\n z",
			"X: y\n z"},
		{"digests and validators",
			"Content-MD5: a\nDigest: b\nRepr-Digest: c\nContent-Digest: d\nETag: \"e\"\nLast-Modified: f",
			"ETag: \"e\"\nLast-Modified: f"},
		{"cookies", "Set-Cookie: a\nSet-Cookie: b\nno field", "Set-Cookie: a\nSet-Cookie: b\nno field"},
		{"only reports", "Content-Security-Policy-Report-Only: script-src 'none'",
			"Content-Security-Policy-Report-Only: script-src 'none'"},
		{"says nothing of scripts", "Content-Security-Policy: img-src 'none'",
			"Content-Security-Policy: img-src 'none'"},
		{"allows all", "Content-Security-Policy: script-src 'self' 'unsafe-inline'",
			"Content-Security-Policy: script-src 'self' 'unsafe-inline'"},
		{"forbids", "Content-Security-Policy: script-src 'self'; img-src *",
			"Content-Security-Policy: script-src 'self' HASH; img-src *"},
		{"forbids all", "Content-Security-Policy: Script-Src 'None'",
			"Content-Security-Policy: Script-Src HASH"},
		{"says nothing is allowed", "Content-Security-Policy: script-src",
			"Content-Security-Policy: script-src HASH"},
		{"a nonce", "Content-Security-Policy: script-src 'nonce-a' 'unsafe-inline'",
			"Content-Security-Policy: script-src 'nonce-a' 'unsafe-inline' HASH"},
		{"strict", "Content-Security-Policy: object-src 'none';script-src 'strict-dynamic' 'sha256-a'",
			"Content-Security-Policy: object-src 'none'; script-src 'strict-dynamic' 'sha256-a' HASH"},
		{"by default", "Content-Security-Policy: default-src 'self' data:; style-src 'unsafe-inline';",
			"Content-Security-Policy: default-src 'self' data:; style-src 'unsafe-inline'; " +
				"script-src-elem 'self' data: HASH"},
		{"by default nothing", "Content-Security-Policy: default-src 'none'",
			"Content-Security-Policy: default-src 'none'; script-src-elem HASH"},
		{"by default all", "Content-Security-Policy: default-src * 'unsafe-inline'",
			"Content-Security-Policy: default-src * 'unsafe-inline'"},
		{"the most exact decides", "Content-Security-Policy: script-src 'unsafe-inline'; script-src-elem a",
			"Content-Security-Policy: script-src 'unsafe-inline'; script-src-elem a HASH"},
		{"the first of two decides", "Content-Security-Policy: script-src a; script-src b",
			"Content-Security-Policy: script-src a HASH; script-src b"},
		{"two policies in one", "Content-Security-Policy: script-src a, default-src b",
			"Content-Security-Policy: script-src a HASH, default-src b; script-src-elem b HASH"},
		{"two fields", "Content-Security-Policy: script-src a\ncontent-security-policy: script-src\n b",
			"Content-Security-Policy: script-src a HASH\nContent-Security-Policy: script-src b HASH"},
		{"a sandbox with scripts", "Content-Security-Policy: sandbox allow-forms allow-scripts",
			"Content-Security-Policy: sandbox allow-forms allow-scripts"},
		{"its own field", "X-Warcorder-Injected: yes", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, body, injected := changed(t, headOf("Content-Type: text/html\n"+c.fields), document)
			want := "Content-Type: text/html\n"
			if c.want != "" {
				want += strings.ReplaceAll(c.want, "HASH", hash) + "\n"
			}
			want = strings.ReplaceAll(want+"X-Warcorder-Injected: clock", "\n", "\r\n")
			if got != "HTTP/1.1 200 OK\r\n"+want+"\r\n\r\n" || !injected || body == document {
				t.Errorf("%v:\n%s\nwant\n%s", injected, got, want)
			}
		})
	}
}

// TestUntouched has responses that are no documents, or must not be changed.
func TestUntouched(t *testing.T) {
	for _, head := range []string{
		"",
		"HTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 204 No Content\r\nContent-Type: text/html\r\n\r\n",
		"HTTP/1.1 206 Partial Content\r\nContent-Type: text/html\r\n\r\n",
		"HTTP/1.1 302 Found\r\nContent-Type: text/html\r\n\r\n",
		"HTTP/1.1 304 Not Modified\r\nContent-Type: text/html\r\n\r\n",
		"HTTP/1.1 101 Switching\r\nContent-Type: text/html\r\n\r\n",
		"junk\r\nContent-Type: text/html\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Type: text/plain\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Disposition: Attachment; filename=a\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Security-Policy: sandbox\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" +
			"Content-Security-Policy: img-src a, Sandbox allow-forms\r\n\r\n",
	} {
		got, body, injected := changed(t, []byte(head), "<head>")
		if got != head || body != "<head>" || injected {
			t.Errorf("%q became %q, %q", head, got, body)
		}
	}
	for _, status := range []string{"200 OK", "404 Not Found", "503 Service Unavailable", "404"} {
		head := []byte("HTTP/1.1 " + status + "\nContent-Type: text/html\n\n")
		if _, _, injected := changed(t, head, "<head>"); !injected || !new(Clock).IsDocument(head) {
			t.Errorf("%s is not changed", status)
		}
	}
}

// TestErrors: a document ends as its body does, wherever that breaks off.
func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	head := headOf("Content-Type: text/html; charset=utf-8")
	for _, size := range []int{0, 3, 100, window - 1, window, window + 1, 3 * window} {
		document := "<head>" + strings.Repeat("x", size)
		for _, one := range []bool{false, true} {
			var body io.Reader = io.MultiReader(strings.NewReader(document), iotest.ErrReader(broken))
			if one {
				body = iotest.DataErrReader(iotest.HalfReader(body))
			}
			_, b, _ := new(Clock).Document(head, body, moment, page)
			got, err := io.ReadAll(b)
			if want := "<head>" + tagOf("") + document[6:]; !errors.Is(err, broken) || string(got) != want {
				t.Errorf("%d bytes: %v, %d bytes of %d", size, err, len(got), len(want))
			}
		}
	}
}

// TestScript: the script is the same in HTML and in XML, and another one for another moment and
// URL.
func TestScript(t *testing.T) {
	one := scriptOf(moment, page)
	if strings.ContainsAny(one, "<&") || strings.Contains(one, "]]>") {
		t.Error("it cannot stand in XML")
	}
	for i := range len(one) {
		if one[i] >= 0x80 {
			t.Error("it is no ASCII")
		}
	}
	if one != scriptOf(moment, page) || one == scriptOf(moment, page+"?") ||
		one == scriptOf(moment.Add(time.Millisecond), page) {
		t.Error("it does not follow from the moment and the URL")
	}
	if !strings.Contains(one, fmt.Sprint("(", moment.UnixMilli(), ",[")) {
		t.Error("it does not say the moment")
	}
}

// TestCost: what a page sends is looked at in linear time, and no further than the window.
func TestCost(t *testing.T) {
	head := headOf("Content-Type: text/html\nContent-Security-Policy: " + strings.Repeat("a;", 50_000) +
		"script-src " + strings.Repeat("b ", 50_000))
	for _, fill := range []string{"<!---->", "<html a=''>", "<html '", "<head a=' ", " ", "<!x>",
		"<meta>", "</title", "<title>", "\x00", "<html \"=\"", "<!--", "<link><meta charset"} {
		document := strings.Repeat(fill, 4*window/len(fill))
		for _, before := range []string{"", "<head>", "<head><title>", "<head a"} {
			text := before + document
			read := &counted{Reader: strings.NewReader(text)}
			started := time.Now()
			_, b, injected := new(Clock).Document(head, read, moment, page)
			if took := time.Since(started); took > 10*time.Second {
				t.Errorf("%q: %v", fill, took)
			}
			if read.n > window+1024 {
				t.Errorf("%q: %d bytes were read", fill, read.n)
			}
			got, err := io.ReadAll(b)
			if err != nil || injected && strings.Replace(string(got), tagOf(""), "", 1) != text ||
				!injected && string(got) != text {
				t.Errorf("%q: the document is another one", fill)
			}
		}
	}
}

type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// FuzzDocument: but for the script a document is what it was.
func FuzzDocument(f *testing.F) {
	f.Add("Content-Type: text/html", "<!doctype html><head><meta charset=x><title>")
	f.Add("Content-Type: application/xhtml+xml\nContent-Security-Policy: a, b; c",
		"<!DOCTYPE a [ ]><a:html><a:head b='>'>")
	f.Add("Content-Type: text/html;charset=utf-16", wide("<head>", false))
	f.Fuzz(func(t *testing.T, fields, document string) {
		head := headOf(fields)
		newHead, got, injected := changed(t, head, document)
		if !injected {
			if got != document || newHead != string(head) {
				t.Error("it is another document, and nothing was put in")
			}
			return
		}
		if !strings.HasSuffix(newHead, "\r\nX-Warcorder-Injected: clock\r\n\r\n") {
			t.Errorf("the head ends in %q", newHead)
		}
		at, more := 0, len(got)-len(document)
		for at < len(document) && got[at] == document[at] {
			at++
		}
		for ; at >= 0; at-- { // what follows may begin as the script does
			if strings.HasSuffix(got, document[at:]) && got[:at] == document[:at] &&
				len(bytes.Trim([]byte(got[at:at+more]), "\x00")) > 0 && len(got)-more == len(document) {
				return
			}
		}
		t.Error("the document is another one")
	})
}
