package record

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"time"

	"warcorder/canon"
	"warcorder/store"
)

// TestAskedBy: a request whose body comes without its transfer coding, and without a length, has
// the keys of the same request as its record holds it.
func TestAskedBy(t *testing.T) {
	for _, size := range []int{0, 1, longStart, longStart + 1, canon.MaxBody - 1, canon.MaxBody,
		canon.MaxBody + 1, 20 << 20} {
		body := bytes.Repeat([]byte("a=b&c=0123456789"), size/16+1)[:size]
		for _, mime := range []string{"application/x-www-form-urlencoded", "application/octet-stream"} {
			start := "POST / HTTP/1.1\r\nContent-Type: " + mime + "\r\nTransfer-Encoding: chunked\r\n\r\n"
			sent := ParseHead([]byte(start))
			recorded := sent
			recorded.Chunked = false
			want, err := AskedOf(&recorded, bytes.NewReader(body), int64(size))
			if err != nil {
				t.Fatal(err)
			}
			got, err := AskedBy(&sent, iotest.HalfReader(bytes.NewReader(body)))
			if err != nil {
				t.Fatal(err)
			}
			if a, b := keysOf(want), keysOf(got); a != b {
				t.Errorf("%d bytes of %s: keys\n%.200v, want\n%.200v", size, mime, b, a)
			}
		}
	}
}

func keysOf(a *Asked) store.Capture {
	answer := ParseHead([]byte("HTTP/1.1 200 OK\r\n\r\n"))
	c, _ := CaptureOf(&store.Keyer{}, "http://example.com/", time.Unix(0, 0), a, &answer, false, "")
	return c
}

func TestAskedByBroken(t *testing.T) {
	h := ParseHead([]byte("POST / HTTP/1.1\r\n\r\n"))
	broken := errors.New("broken")
	body := io.MultiReader(bytes.NewReader([]byte("a=b")), iotest.ErrReader(broken))
	if _, err := AskedBy(&h, body); !errors.Is(err, broken) {
		t.Errorf("a body that cannot be read: %v", err)
	}
}
