package http1

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"testing"

	"warcorder/proxy/http1/http1test"
)

// FuzzRequestFraming holds the framing against net/http's: what both accept must end in the same
// place.
func FuzzRequestFraming(f *testing.F) {
	seed(f, "POST / HTTP/1.1", "GET /")
	f.Add(append(lines("POST / HTTP/1.1", "Host: a", "Content-Length: 3"), "abcrest"...))
	f.Fuzz(func(t *testing.T, wire []byte) {
		end, _ := HeadEnd(wire, 0)
		if end < 0 {
			return
		}
		req, err := ParseRequest(wire[:end])
		if err != nil {
			return
		}
		sameEnd(t, wire, end, RequestBody(&req.Message), func(in *bufio.Reader) (io.ReadCloser, error) {
			theirs, err := http.ReadRequest(in)
			if err != nil {
				return nil, err
			}
			return theirs.Body, nil
		})
	})
}

// FuzzResponseFraming is the same for responses.
func FuzzResponseFraming(f *testing.F) {
	seed(f, "HTTP/1.1 200 OK", "HTTP/1.1")
	f.Add(append(lines("HTTP/1.1 204 No Content"), "HTTP/1.1"...))
	f.Fuzz(func(t *testing.T, wire []byte) {
		end, _ := HeadEnd(wire, 0)
		if end < 0 {
			return
		}
		res, err := ParseResponse(wire[:end], &Request{})
		if err != nil || res.Status == 101 { // what follows a 101 is no HTTP, and they give all of it
			return
		}
		sameEnd(t, wire, end, ResponseBody(&res.Message), func(in *bufio.Reader) (io.ReadCloser, error) {
			theirs, err := http.ReadResponse(in, nil)
			if err != nil {
				return nil, err
			}
			return theirs.Body, nil
		})
	})
}

// seed gives a fuzzer all kinds of heads and bodies, each with something behind it.
func seed(f *testing.F, line, rest string) {
	for _, fields := range http1test.Smuggled {
		f.Add(append(lines(append([]string{line, "Host: a"}, fields...)...), "0\r\n\r\n"+rest...))
	}
	good := map[string]string{"good": "3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n"}
	for _, table := range []map[string]string{http1test.BadChunks, http1test.LooseChunks, good} {
		for _, chunks := range table {
			f.Add(append(lines(line, "Host: a", "Transfer-Encoding: chunked"), chunks+rest...))
		}
	}
}

// sameEnd compares where the message that begins wire ends, and what its body holds, for us and for
// net/http, if both accept it. A body that ends with the connection must do so for both. We must
// also find the same end when the bytes come one by one.
func sameEnd(t *testing.T, wire []byte, head int, b Body,
	read func(*bufio.Reader) (io.ReadCloser, error)) {
	ours, slow := b, b
	n, err := ours.Take(wire[head:])
	whole := err == nil && (ours.Done() || ours.Framing == UntilClose)
	if m, end := byteByByte(&slow, wire[head:]); m != n || (end == nil) != (err == nil) ||
		slow.Done() != ours.Done() {
		t.Errorf("in one piece %d bytes, %v; byte by byte %d, %v", n, err, m, end)
	}
	in := bufio.NewReader(bytes.NewReader(wire))
	theirs, failed := read(in)
	if failed != nil {
		return
	}
	payload, failed := io.ReadAll(theirs)
	if failed != nil || !whole {
		return
	}
	theirs.Close()
	rest, _ := io.ReadAll(in)
	if got := len(wire) - head - n; got != len(rest) {
		t.Errorf("%d bytes behind the message, net/http says %d", got, len(rest))
	}
	if ours.Framing != Chunked && string(payload) != string(wire[head:head+n]) {
		t.Errorf("the body is %q, net/http says %q", wire[head:head+n], payload)
	}
}

func byteByByte(b *Body, wire []byte) (n int, err error) {
	for n < len(wire) && !b.Done() {
		m, err := b.Take(wire[n : n+1])
		n += m
		if err != nil || m == 0 {
			return n, err
		}
	}
	return n, nil
}
