package har

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"warcorder/recorder"
)

const (
	getRequest = "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"
	okHead     = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	inChunks   = "Transfer-Encoding: chunked\r\n"
	pictureOf  = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
)

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func brotlied(text string) string {
	var b bytes.Buffer
	w := brotli.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func chunked(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		n := min(len(text), 40_000)
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, text[:n])
		text = text[n:]
	}
	return b.String() + "0\r\n\r\n"
}

// random is a text of hexadecimal digits that hardly gets shorter than half.
func random(n int) string {
	b := make([]byte, n/2)
	rand.NewChaCha8([32]byte{}).Read(b)
	return hex.EncodeToString(b)
}

// TestContent: the body of a response as it stands in a HAR, whatever was done to it on its way.
func TestContent(t *testing.T) {
	long := strings.Repeat("é\x00€\"\\😀<", 150_000) // longer than what is kept of a body
	noise := strings.Repeat("\x89PNG\r\n\x1a\n", 200_000)
	bomb := strings.Repeat("\x00", mostMade+1)
	much := strings.Repeat("a", mostMade) + random(2*mostMade/mostTimes)
	const coded, brs = "Content-Encoding: gzip\r\n\r\n", "Content-Encoding: br\r\n\r\n"
	for _, c := range []struct {
		name, head, body string
		want             string // the bytes; "" for those of body
		isBase64         bool
		stored           int // of the entity; 0 for all of body
		content, comment string
		truncated        string
	}{
		{name: "text", head: okHead + "\r\n", body: "hello"},
		{name: "empty", head: okHead + "\r\n"},
		{name: "picture", head: pictureOf + "\r\n", body: "\x89PNG", isBase64: true},
		{name: "picture of UTF-8", head: pictureOf + "\r\n", body: "GIF89a", isBase64: true},
		{name: "no type", head: "HTTP/1.1 200 OK\r\n\r\n", body: "hello", isBase64: true},
		{name: "Latin-1", head: okHead + "\r\n", body: "caf\xe9", isBase64: true},
		{name: "half a character", head: okHead + "\r\n", body: "caf\xc3", isBase64: true},
		{name: "BOM", head: okHead + "\r\n", body: "\ufeffa\u2028b"},
		{name: "long", head: okHead + "\r\n", body: long},
		{name: "long, and no text", head: okHead + "\r\n", body: long + "\xe9", isBase64: true},
		{name: "long picture", head: pictureOf + "\r\n", body: noise, isBase64: true},
		{name: "chunks", head: okHead + inChunks + "\r\n", want: "hello", stored: 5,
			body: "2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nA: b\r\n\r\n"},
		{name: "long chunks", head: okHead + inChunks + "\r\n", body: chunked(long), want: long,
			stored: len(long)},
		{name: "gzip", head: okHead + coded, body: gzipped("hello"), want: "hello"},
		{name: "long gzip", head: okHead + coded, body: gzipped(long), want: long},
		{name: "br", head: okHead + brs, body: brotlied(long), want: long},
		{name: "long gzip in long chunks", head: pictureOf + inChunks + coded,
			body: chunked(gzipped(noise)), want: noise, isBase64: true, stored: len(gzipped(noise))},
		{name: "no bytes of gzip", head: okHead + coded},
		{name: "no gzip, as it says", head: okHead + coded, body: "hello"},
		{name: "unknown to all", head: okHead + "Content-Encoding: aes128gcm\r\n\r\n", body: "hello"},
		{name: "needs a dictionary", head: okHead + "Content-Encoding: dcb\r\n\r\n", body: "hello", isBase64: true,
			content: asStored},
		{name: "damaged gzip", head: okHead + coded, body: gzipped(long)[:2000] + "damage", isBase64: true,
			content: asStored},
		{name: "a bomb", head: okHead + coded, body: gzipped(bomb), isBase64: true, content: tooLong},
		{name: "much of much", head: okHead + coded, body: gzipped(much), want: much},
		{name: "cut", head: okHead + "Content-Length: 10\r\n\r\n", body: "hello", truncated: "disconnect"},
		{name: "cut gzip", head: okHead + coded, body: gzipped(noise)[:500], isBase64: true,
			content: asStored, truncated: "length"},
		{name: "cut chunks", head: okHead + inChunks + "\r\n", body: "5\r\nhello\r\n5\r\nwo",
			want: "hellowo", stored: 7, comment: brokenOff, truncated: "disconnect"},
		{name: "cut gzip in cut chunks", head: okHead + inChunks + coded,
			body: "ff\r\n" + gzipped("hello")[:15], want: gzipped("hello")[:15], stored: 15, isBase64: true,
			content: asStored, comment: brokenOff, truncated: "disconnect"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := record(t)
			r.add("http://example.com/", getRequest, c.head+c.body, func(x *recorder.Exchange) {
				x.Truncated = c.truncated
			})
			entries := r.har().Log.Entries
			if len(entries) != 1 {
				t.Fatalf("%d exchanges", len(entries))
			}
			got := entries[0].Response
			want, stored := c.body, len(c.body)
			if c.want != "" {
				want = c.want
			}
			if c.stored > 0 {
				stored = c.stored
			}
			if is := plain(t, got.Content.Text, got.Content.Encoding); is != want ||
				(got.Content.Encoding != "") != c.isBase64 {
				t.Errorf("%.100q, %d bytes, %s; want %.100q, %d", is, len(is), got.Content.Encoding, want, len(want))
			}
			if got.Content.Size != int64(len(want)) || got.BodySize != int64(stored) ||
				got.Content.Compression != int64(len(want)-stored) || got.HeadSize != len(c.head) {
				t.Errorf("%+v of %d", got.Content.content, got.BodySize)
			}
			if got.Content.Comment != c.content || got.Content.Coded != (c.content != "") ||
				got.Comment != c.comment || got.Truncated != c.truncated {
				t.Errorf("%q, %q, %q", got.Content.Comment, got.Comment, got.Truncated)
			}
			r.asReadBack(want)
		})
	}
}

// asReadBack holds what was written against what readback has of the only capture, where codings
// can be taken off.
func (r *recording) asReadBack(written string) {
	r.t.Helper()
	c := r.captures()[0]
	response, err := r.files.Response(&c)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Close()
	in, err := response.Decoded()
	if err != nil {
		return
	}
	b, err := io.ReadAll(io.LimitReader(in, mostMade))
	if err == nil && len(b) < mostMade && string(b) != written {
		r.t.Errorf("%.100q is written, and %.100q read back", written, b)
	}
}

// TestPosted: what a request sent, as it stands in a HAR.
func TestPosted(t *testing.T) {
	long := strings.Repeat("a=é&", 300_000)
	for _, c := range []struct {
		name, fields, body string
		want               string // "" for body
		isBase64           bool
		params             string
		comment, truncated string
	}{
		{name: "nothing", params: "[]"},
		{name: "form", fields: "Content-Type: application/x-www-form-urlencoded\r\n", body: "a=b&c=%C3%A9",
			params: "[{a b  } {c é  }]"},
		{name: "long form", fields: "Content-Type: application/x-www-form-urlencoded\r\n", body: long,
			params: "[]"},
		{name: "JSON", fields: "Content-Type: application/json\r\n", body: `{"a":"é"}`, params: "[]"},
		{name: "bytes", fields: "Content-Type: application/json\r\n", body: "\xff\x00\xfe", isBase64: true,
			params: "[]"},
		{name: "no type", body: "hello", isBase64: true, params: "[]"},
		{name: "parts", fields: "Content-Type: multipart/form-data; boundary=b\r\n", body: "--b\r\n" +
			"Content-Disposition: form-data; name=\"f\"; filename=\"p.png\"\r\n\r\n\x89PNG\r\n--b--\r\n",
			isBase64: true, params: "[{f  p.png }]"},
		{name: "chunks", fields: "Content-Type: text/plain\r\nTransfer-Encoding: gzip, chunked\r\n",
			body: "5\r\nhello\r\n0\r\n\r\n", want: "hello", params: "[]"},
		{name: "broken chunks", fields: "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n",
			body: "5\r\nhel", comment: unchunked, params: "[]", truncated: "disconnect"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := record(t)
			head := "POST /x HTTP/1.1\r\nHost: example.com\r\n" + c.fields + "\r\n"
			if !strings.Contains(c.fields, "Transfer-Encoding") && c.body != "" {
				head = strings.Replace(head, "\r\n\r\n", fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n", len(c.body)), 1)
			}
			r.add("http://example.com/x", head+c.body, okHead+"\r\n", func(x *recorder.Exchange) {
				x.Method, x.Truncated = "POST", c.truncated
			})
			got := r.har().Log.Entries[0].Request
			if got.Method != "POST" || got.Version != "HTTP/1.1" || got.URL != "http://example.com/x" ||
				got.HeadSize != len(head) || got.Truncated != c.truncated {
				t.Errorf("%+v", got.request)
			}
			want := c.body
			if c.want != "" {
				want = c.want
			}
			if got.BodySize != int64(len(want)) || (got.PostData == nil) != (want == "") {
				t.Fatalf("%d bytes", got.BodySize)
			}
			if got.PostData == nil {
				return
			}
			if is := plain(t, got.PostData.Text, got.PostData.Encoding); is != want ||
				(got.PostData.Encoding != "") != c.isBase64 {
				t.Errorf("%.100q, %s", is, got.PostData.Encoding)
			}
			if params := fmt.Sprint(got.PostData.Params); params != c.params || got.PostData.Comment != c.comment {
				t.Errorf("%s, %q", params, got.PostData.Comment)
			}
		})
	}
}
