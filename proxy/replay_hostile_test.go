package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"
)

var errDisk = errors.New("read a.warc.gz: input/output error")

// broken is a Source that returns what no Source should.
type broken struct {
	name   string
	answer string
	rest   io.ReadCloser
	err    error
	panics bool

	status string // of the page; "" is none: the client gets got, and the end
	says   string // the page
	got    string
	log    string // "" is nothing
}

func (b *broken) Answer(_ context.Context, _, url string, _ []byte, _ io.Reader) (
	[]byte, io.ReadCloser, error) {
	if strings.HasSuffix(url, "/sound") {
		return []byte(text("HTTP/1.1 200 OK", "Content-Length: 0")), nil, nil
	}
	if b.panics {
		panic("a fault, injected")
	}
	return []byte(b.answer), b.rest, b.err
}

// breaker is a body that panics.
type breaker struct{ atClose bool }

func (b breaker) Read([]byte) (int, error) {
	if !b.atClose {
		panic("a fault, injected")
	}
	return 0, io.EOF
}

func (b breaker) Close() error {
	if b.atClose {
		panic("a fault, injected")
	}
	return nil
}

// nothing is a body that has nothing, again and again.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, nil }
func (nothing) Close() error             { return nil }

func brokenSources() []broken {
	ok := func(fields ...string) string {
		return text(append([]string{"HTTP/1.1 200 OK"}, fields...)...)
	}
	sized := ok("Content-Length: 10")
	chunked := ok("Transfer-Encoding: chunked")
	body := func(err error, of ...string) *pieces { return &pieces{left: of, err: err} }
	const archive, refused = "the archive could not be read", "the archive's answer was refused"
	return []broken{
		{name: "no head", status: "502", says: "not a head", log: refused},
		{name: "no line", answer: "\r\n\r\n", status: "502", says: "not a head", log: refused},
		{name: "garbage", answer: "garbage\r\n\r\n", status: "502", says: "status line", log: refused},
		{name: "HTTP/2", answer: "HTTP/2.0 200 OK\r\n\r\n", status: "502", says: "version", log: refused},
		{name: "a status of four digits", answer: "HTTP/1.1 2000 OK\r\n\r\n", status: "502",
			says: "three digits", log: refused},
		{name: "a head without end", answer: sized[:len(sized)-2], status: "502", says: "not a head",
			log: refused},
		{name: "a head with its body", answer: sized + "0123456789", status: "502", says: "not a head",
			log: refused},
		{name: "a NUL in the head", answer: ok("X: a\x00b"), status: "502", says: "NUL", log: refused},
		{name: "a head of 2 MiB", answer: ok("X: " + strings.Repeat("x", 2<<20)), status: "502",
			says: "max-header-size", log: "no answer"},
		{name: "both framing fields", answer: ok("Content-Length: 1", "Transfer-Encoding: chunked"),
			rest: body(nil, "x"), status: "502", says: "both Content-Length", log: "Content-Length: 1"},
		{name: "two lengths", answer: ok("Content-Length: 1", "Content-Length: 2"), status: "502",
			says: "Content-Length", log: refused},
		{name: "100", answer: text("HTTP/1.1 100 Continue"), status: "502", says: "interim",
			log: refused},
		{name: "101", answer: text("HTTP/1.1 101 Switching Protocols", "Upgrade: websocket",
			"Connection: Upgrade"), status: "502", says: "interim", log: refused},

		{name: "an error", err: errDisk, status: "502", says: errDisk.Error(), log: archive},
		{name: "an error with an answer", answer: sized, rest: body(nil, "0123456789"), err: errDisk,
			status: "502", says: errDisk.Error(), log: archive},
		{name: "nothing to be had, and no origin to ask", err: fmt.Errorf("a: %w", fs.ErrNotExist),
			status: "502", says: "a: file does not exist", log: archive},
		{name: "a deadline of its own", err: os.ErrDeadlineExceeded, status: "502", says: "timeout",
			log: archive},

		{name: "a body that is longer", answer: sized, rest: body(nil, "0123456789", "more"),
			got: sized + "0123456789"},
		{name: "a body that is shorter", answer: sized, rest: body(nil, "01234"), got: sized + "01234",
			log: "cut in the record"},
		{name: "a body that was cut", answer: sized, rest: body(io.ErrUnexpectedEOF, "01234"),
			got: sized + "01234", log: "cut in the record"},
		{name: "no body", answer: sized, got: sized, log: "cut in the record"},
		{name: "a body until the end that was cut", answer: ok(),
			rest: body(io.ErrUnexpectedEOF, "01234"), got: ok() + "01234", log: "cut in the record"},
		{name: "a chunk that is cut", answer: chunked, rest: body(nil, "a\r\n01"),
			got: chunked + "a\r\n01", log: "cut in the record"},
		{name: "a chunk that is none", answer: chunked, rest: body(nil, "1\r\nx\r\nno\r\n"),
			got: chunked + "1\r\nx\r\n", log: refused},
		{name: "an error in the body", answer: sized, rest: body(errDisk, "01234"),
			got: sized + "01234", log: archive},
		{name: "nothing, for ever", answer: sized, rest: nothing{}, got: sized, log: archive},

		{name: "a panic", panics: true, log: "a fault of warcorder's own"},
		{name: "a panic in the body", answer: sized, rest: breaker{}, log: "a fault of warcorder's own"},
		{name: "a panic at the end", answer: ok("Content-Length: 0"), rest: breaker{atClose: true},
			got: ok("Content-Length: 0"), log: "a fault of warcorder's own"},
	}
}

// TestBrokenSource: whatever a Source returns, the client gets no message that two readers could
// end in different places, and none that looks whole and is not; the log has it once.
func TestBrokenSource(t *testing.T) {
	for i := range brokenSources() {
		onBothSchemes(t, func(t *testing.T, secure bool) {
			b := brokenSources()[i] // each is read once
			t.Run(b.name, func(t *testing.T) { b.check(t, secure) })
		})
	}
}

func (b *broken) check(t *testing.T, secure bool) {
	h := newReplayHouse(t, replaying(b))
	client, prefix := h.toHost("a.test", secure)
	client.send(text("GET "+prefix+"/broken HTTP/1.1", "Host: a.test"))
	if b.status != "" {
		head := client.readHead()
		page := client.readN(contentLength(t, head))
		if !strings.HasPrefix(head, "HTTP/1.1 "+b.status+" ") || !strings.Contains(page, b.says) {
			t.Errorf("%s%s", head, page)
		}
		client.send(text("GET "+prefix+"/sound HTTP/1.1", "Host: a.test"))
		if head := client.readHead(); !strings.HasPrefix(head, "HTTP/1.1 200 ") {
			t.Errorf("then %q", head)
		}
	} else if b.log == "" {
		client.readN(len(b.got))
		client.send(text("GET "+prefix+"/sound HTTP/1.1", "Host: a.test"))
		if head := client.readHead(); !strings.HasPrefix(head, "HTTP/1.1 200 ") {
			t.Errorf("then %q", head)
		}
	} else {
		got, err := io.ReadAll(client.in)
		if string(got) != b.got {
			t.Errorf("the client got %q", got)
		}
		if strings.HasPrefix(b.name, "a body until the end") && err == nil && !secure {
			t.Error("the end looks like that of a whole body") // in TLS it lacks a close_notify
		}
	}
	h.stop(20 * time.Second)
	var told int
	for line := range strings.Lines(h.log.String()) {
		if strings.Contains(line, `"level":"error"`) || strings.Contains(line, `"level":"warn"`) {
			told++
			if !strings.Contains(line, b.log) || !strings.Contains(line, "a.test/broken") {
				t.Errorf("the log: %s", line)
			}
		}
	}
	if want := map[bool]int{false: 1}[b.log == ""]; told != want {
		t.Errorf("%d lines in the log, want %d: %s", told, want, h.log)
	}
}
