package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestReplayedToHTTP10: a client of HTTP/1.0 gets what is in chunks, and the end of the connection for
// that of the body; where the body breaks off it sees that, and not an end.
func TestReplayedToHTTP10(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 20_000)
	const head = "HTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\nTrailer: X,\r\n Y\r\n" +
		"Connection: keep-alive\r\nC: d\r\n\r\n"
	const bare = "HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n\r\n"
	for _, c := range []struct {
		name, method, answer, want string
		cut                        bool
	}{
		{"chunks", "GET", head + "3;x=\"1\"\r\nabc\r\n002 \r\nde\r\n0\r\nX: y\r\n\r\n", bare + "abcde", false},
		{"line feeds", "GET", head + "1\na\n0\n\n", bare + "a", false},
		{"nothing in them", "GET", head + "0\r\n\r\n", bare, false},
		{"large", "GET", head + "4E200\r\n" + long + "\r\n4e200\r\n" + long + "\r\n0\r\n\r\n",
			bare + long + long, false},
		{"many", "GET", head + strings.Repeat("1\r\nx\r\n", 50_000) + "0\r\n\r\n",
			bare + strings.Repeat("x", 50_000), false},
		{"cut in a chunk", "GET", head + "5\r\nabc", bare + "abc", true},
		{"cut before the last", "GET", head + "3\r\nabc\r\n", bare + "abc", true},
		{"a fault", "GET", head + "3\r\nabcd\r\n0\r\n\r\n", bare + "abc", true},
		{"HEAD", "HEAD", head, head, false},
		{"a length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab",
			"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", false},
	} {
		onBothSchemes(t, func(t *testing.T, secure bool) {
			t.Run(c.name, func(t *testing.T) {
				h := newReplayHouse(t, replaying(always(c.answer)))
				client, prefix := h.toHost("a.test", secure)
				client.send(text(c.method+" "+prefix+"/ HTTP/1.0", "Host: a.test"))
				got := make([]byte, len(c.want)+1)
				n, err := io.ReadFull(client.in, got)
				if string(got[:n]) != c.want && !c.cut { // a reset may take what came before it
					t.Errorf("%.200q, want %.200q", got[:n], c.want)
				}
				if !strings.HasPrefix(c.want, string(got[:n])) {
					t.Errorf("%.200q is no beginning of %.200q", got[:n], c.want)
				}
				if ends := !errors.Is(err, syscall.ECONNRESET); ends == c.cut {
					t.Errorf("it ends with %v", err)
				}
			})
		})
	}
}

// TestReplayedEventsToHTTP10: events go out as they come, whoever asks.
func TestReplayedEventsToHTTP10(t *testing.T) {
	source, events := newWaiting()
	h := newReplayHouse(t, replaying(sourceFunc(func(ctx context.Context, method, url string, head []byte,
		body io.Reader) ([]byte, io.ReadCloser, error) {
		_, rest, err := source.Answer(ctx, method, url, head, body)
		return []byte(text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")), rest, err
	})))
	client := h.dial()
	client.send(text("GET http://a.test/ HTTP/1.0"))
	client.readHead()
	for range 3 {
		events.more <- "7\r\ndata:1\n\r\n"
		if got := client.readN(7); got != "data:1\n" {
			t.Errorf("%q", got)
		}
	}
	client.conn.Close()
	<-events.closed
	h.stop(20 * time.Second)
}

// TestReplayedLength: the log has the length of an answer, whatever came before it.
func TestReplayedLength(t *testing.T) {
	h := newReplayHouse(t, replaying(echo(10)))
	client := h.dial()
	client.send(text("POST http://a.test/ HTTP/1.1", "Expect: 100-continue", "Content-Length: 3"))
	client.readHead()
	client.send("abc")
	head := client.readHead()
	body := client.readN(contentLength(t, head))
	until(t, "the answer is told", func() bool { return strings.Contains(h.log.String(), "replayed") })
	if want := fmt.Sprintf(`"length":%d,`, len(head+body)); !strings.Contains(h.log.String(), want) {
		t.Errorf("no %s in %s", want, h.log)
	}
}
