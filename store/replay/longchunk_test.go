package replay

import (
	"strings"
	"testing"
	"time"
)

// TestLongChunks: what has chunks goes out with them, though the first one is longer than what is
// looked at in one go, or cut before it begins; what has none, and looks like it, has a length.
func TestLongChunks(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", 0x1000)
	const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	const cut = "WARC-Truncated: disconnect\r\n"
	for _, c := range []struct {
		name, fields, body string
		chunked            bool
	}{
		{"lines of LF", "", "10000\n" + long + "\n0\n\n", true},
		{"two of them", "", "10000\n" + long + "\n10000\n" + long + "\n0\n\n", true},
		{"the same, CRLF", "", "10000\r\n" + long + "\r\n0\r\n\r\n", true},
		{"a long extension", "", "5;x=" + strings.Repeat("y", 10_000) + "\r\nhello\r\n0\r\n\r\n", true},
		{"a text", "", "10000\n" + long + "more", false},
		{"a shorter text", "", "10000\n" + long[:5000], false},
		{"a long line", "", strings.Repeat("0", 10_000), false},
		{"cut, lines of LF", cut, "10000\n" + long[:5000], true},
		{"cut at once", cut, "1000", true},
		{"cut behind the size", cut, "5\n", true},
		{"cut behind a CR", cut, "5\r", true},
		{"cut, a text", cut, "hello", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := stockOf(t, Config{}, stocked{block: head + c.body, fields: c.fields})
			h, body := s.answered("GET")
			if c.fields != "" {
				body = strings.TrimSuffix(body, " unexpected EOF")
			}
			if chunked := strings.Contains(h, "chunked"); chunked != c.chunked || body != c.body {
				t.Errorf("%q, %.50q", h, body)
			}
		})
	}
}

// TestLongChunkIsBounded: a first chunk of any length is looked at in bounded memory, and no further
// than 16 MiB. A text that begins with a number that is longer than all of it is looked at no further.
func TestLongChunkIsBounded(t *testing.T) {
	body := "2000000\n" + strings.Repeat("x", 32<<20) + "\n0\n\n"
	s := stockOf(t, Config{}, stocked{block: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body})
	before, began := allocated(), time.Now()
	h, rest, err := s.Answer(t.Context(), "GET", "http://example.com/",
		crlf("GET / HTTP/1.1", "Host: example.com"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rest.Close()
	if more := allocated() - before; more > 4<<20 {
		t.Errorf("%d bytes for %d", more, len(body))
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	if !strings.Contains(string(h), "chunked") {
		t.Errorf("%q", h)
	}
	for text, chunked := range map[string]bool{
		"1800000\n" + strings.Repeat("x", 32<<20):  true, // no end of a chunk after 24 MiB
		"20240101\n" + strings.Repeat("x", 20<<20): false,
	} {
		s := stockOf(t, Config{}, stocked{
			block: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + text})
		if h, _ := s.answered("GET"); strings.Contains(h, "chunked") != chunked {
			t.Errorf("%.9q: %q", text, h)
		}
	}
}
