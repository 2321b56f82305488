package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

const (
	eventHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream;charset=utf-8\r\n" +
		"Cache-Control: no-store\r\n"
	events3 = "retry: 10\n\nid: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: c\n\n"
)

// streamed is what comes of a stream at once, and whether it then ends by itself.
func (s *stock) streamed(fields ...string) (answer head, came string, ends bool) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	answer, rest, err := s.Answer(ctx, "GET", "http://example.com/",
		crlf(append([]string{"GET / HTTP/1.1"}, fields...)...), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rest.Close()
	var all bytes.Buffer
	buf := make([]byte, 7)
	for {
		n, err := rest.Read(buf)
		all.Write(buf[:n])
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return answer, all.String(), true
		case errors.Is(err, context.Canceled):
			return answer, all.String(), false
		case err != nil:
			s.t.Fatal(err)
		case n == 0: // what comes next may take its time
			cancel()
		}
	}
}

// TestEventStream: a recorded stream comes at once, and its connection is held where nobody but the
// client, or a limit, ended it. Who comes again gets what follows.
func TestEventStream(t *testing.T) {
	inChunks := fmt.Sprintf("d\r\n%s\r\n%x\r\n%s\r\n", events3[:13], len(events3)-13, events3[13:])
	length := fmt.Sprintf("Content-Length: %d\r\n\r\n", len(events3))
	cutBy := func(reason string) string { return "WARC-Truncated: " + reason + "\r\n" }
	for name, c := range map[string]struct {
		record stocked
		ends   bool
		again  string // what follows event 2
	}{
		"left by the client": {stocked{block: eventHead + chunked + "\r\n" + inChunks[:40],
			fields: cutBy("disconnect")}, false, ""},
		"cut after a time": {stocked{block: eventHead + "\r\n" + events3, fields: cutBy("time")}, false,
			"id: 3\ndata: c\n\n"},
		"cut by its length": {stocked{block: eventHead + "\r\n" + events3, fields: cutBy("length")}, false,
			"id: 3\ndata: c\n\n"},
		"until close": {stocked{block: eventHead + "\r\n" + events3}, false, "id: 3\ndata: c\n\n"},
		"ended by its origin": {stocked{block: eventHead + chunked + "\r\n" + inChunks + "0\r\n\r\n"},
			true, "id: 3\ndata: c\n\n"},
		"with a length": {stocked{block: eventHead + length + events3}, true,
			"id: 3\ndata: c\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := stockOf(t, Config{}, c.record)
			h, came, ends := s.streamed()
			if string(h)+came != c.record.block || ends != c.ends {
				t.Errorf("%q, ends: %v, want %q", string(h)+came, ends, c.record.block)
			}
			if c.again == "" {
				return
			}
			h, came, ends = s.streamed("Last-Event-ID: 2")
			if came != c.again || ends || h.has("Content-Length") {
				t.Errorf("again: %q, %q, ends: %v", h, came, ends)
			}
			h, came, ends = s.streamed("Last-Event-ID: 9")
			if string(h)+came != c.record.block || ends != c.ends {
				t.Errorf("after another event: %q, ends: %v", came, ends)
			}
			if _, came, ends := s.streamed("Last-Event-ID: 3"); came != "" || ends {
				t.Errorf("after the last event: %q, ends: %v", came, ends)
			}
		})
	}
}

// TestStreamAgain: of several captures of a stream the one answers that was asked for with the same
// last event.
func TestStreamAgain(t *testing.T) {
	request := func(fields ...string) string {
		return string(crlf(append([]string{"GET / HTTP/1.1", "Host: example.com"}, fields...)...))
	}
	for _, reason := range []string{"", "WARC-Truncated: disconnect\r\n"} {
		first, second := eventHead+"Content-Length: 15\r\n\r\nid: 1\ndata: a\n\n",
			eventHead+"Content-Length: 15\r\n\r\nid: 2\ndata: b\n\n"
		s := stockOf(t, Config{},
			stocked{block: first, request: request(), fields: reason},
			stocked{block: second, request: request("Last-Event-ID: 1"), fields: reason, at: 1})
		for fields, want := range map[string]string{
			"X: y": first, "Last-Event-ID: 1": second,
		} {
			if h, came, _ := s.streamed(fields); string(h)+came != want {
				t.Errorf("%q, %s: %q, want %q", reason, fields, string(h)+came, want)
			}
		}
	}
}

// TestBehindEvent: where a stream goes on for a client that has an event.
func TestBehindEvent(t *testing.T) {
	for _, c := range []struct{ stream, id, want string }{
		{events3, "2", "id: 3\ndata: c\n\n"},
		{events3, "3", ""},
		{events3, "4", events3},
		{"id:2\r\ndata: x\r\n\r\nrest", "2", "rest"},
		{"id: 2\rdata: x\r\rrest", "2", "rest"},
		{"id: 2\rdata: x\r\r\nrest", "2", "rest"},
		{"data: x\nid: 2\n\ndata: y\n\nid: 3\n\nrest", "2", "id: 3\n\nrest"},
		{"id: 2\n\nid: 3\n\nid: 2\n\nrest", "2", "rest"},
		{"id: 2\n\nid\n\nrest", "2", "id\n\nrest"},
		{"id: 2\ndata: never ended", "2", "id: 2\ndata: never ended"},
		{"id: 22\n\nid:  2\n\nid : 2\n\n ID: 2\n\n", "2", "id: 22\n\nid:  2\n\nid : 2\n\n ID: 2\n\n"},
		{"id: " + strings.Repeat("2", 1<<20) + "\n\nid: 2\n\nrest", "2", "rest"},
		{"", "2", ""},
	} {
		for _, piece := range []int{1, 3, 1 << 21} {
			s := events{id: []byte(c.id)}
			for rest := c.stream; rest != ""; {
				n := min(piece, len(rest))
				s.take([]byte(rest[:n]))
				rest = rest[n:]
			}
			if got := c.stream[s.behind:]; got != c.want {
				t.Errorf("%.80q behind %s, by %d: %.80q, want %q", c.stream, c.id, piece, got, c.want)
			}
			if cap(s.line) > 64 {
				t.Errorf("%d bytes of a line are kept", cap(s.line))
			}
		}
	}
}
