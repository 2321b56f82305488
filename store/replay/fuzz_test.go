package replay

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// FuzzAnswer: whatever a client asks, there is an answer of one status line and whole lines of
// fields, and nothing of what is asked ends a line of ours.
func FuzzAnswer(f *testing.F) {
	r := archived(f, Config{Explain: true},
		exchange{url: "http://example.com/a?x=1", response: "HTTP/1.1 200 OK\nVary: A, B", text: "a"},
		exchange{url: "https://example.com/b",
			response: "HTTP/1.1 302 F\nLocation: http://example.com/b"},
		exchange{method: "POST", url: "http://example.com/a", body: "a=b", fields: formType,
			response: "HTTP/1.1 200 OK\nAccess-Control-Allow-Origin: *"})
	f.Add("GET", "http://example.com/a?x=1", "A: 1\r\n B\r\nVary: x", "")
	f.Add("GET", "http://example.com/b", "Accept-Datetime: Wed, 04 Mar 2026 05:00:59 GMT", "")
	f.Add("POST", "http://example.com/a", formType+"Accept: text/html", "a=b")
	f.Add("POST", "http://example.com/a", formType+"Sec-Fetch-Dest: iframe", "a=c")
	f.Add("OPTIONS", "http://example.com/a",
		"Origin: x\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: a, b", "")
	f.Add("GET", "http://example.com/a?<script>\r\nx: y",
		"Upgrade: websocket\r\nReferer: \x00\xff", "")
	f.Fuzz(func(t *testing.T, method, url, fields, body string) {
		if !isToken(method) || len(url)+len(fields)+len(body) > 1<<16 {
			return
		}
		start := method + " / HTTP/1.1\r\n" + fields + "\r\n\r\n"
		answer, rest, err := r.Answer(context.Background(), method, url, []byte(start),
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(rest)
		if err != nil || rest.Close() != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(answer, []byte("HTTP/1.1 ")) ||
			!bytes.HasSuffix(answer, []byte("\r\n\r\n")) || bytes.Count(answer, []byte("\r\n\r\n")) != 1 ||
			bytes.ContainsAny(bytes.ReplaceAll(answer, []byte("\r\n"), nil), "\r\n\x00") {
			t.Errorf("%q", answer)
		}
		if bytes.Contains(page, []byte("<script")) {
			t.Errorf("%s", page)
		}
	})
}

// FuzzHead: a head is read in one pass, and what is read of it lies in it.
func FuzzHead(f *testing.F) {
	f.Add("GET / HTTP/1.1\r\nA: b\r\n c\r\nA:\r\n\r\n", "a", "gzip;q=0, *")
	f.Add("\n:\n \n", "", `"a,\`)
	f.Fuzz(func(t *testing.T, start, name, value string) {
		if name == "" {
			return
		}
		h := head(start)
		if got := h.get(name); len(got) > 2*len(start) || !h.has(name) && got != "" {
			t.Errorf("%q", got)
		}
		size := 0
		listed(value, func(element string) bool {
			size += len(element)
			return true
		})
		if size > len(value) {
			t.Errorf("%d bytes listed of %d", size, len(value))
		}
		accepts(value, "gzip")
		varyOf(head("\r\nVary: " + value + "\r\n\r\n"))
		if plain := plainValue(value); plainValue(plain) != plain {
			t.Errorf("%q becomes %q", plain, plainValue(plain))
		}
	})
}
