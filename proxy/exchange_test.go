package proxy

import (
	"io"
	"strings"
	"testing"
	"time"
)

// onBothSchemes runs a test over plain HTTP and through an intercepted tunnel.
func onBothSchemes(t *testing.T, f func(t *testing.T, secure bool)) {
	t.Run("http", func(t *testing.T) { f(t, false) })
	t.Run("https", func(t *testing.T) { f(t, true) })
}

// TestFirstByteComesBeforeTheLast: the origin sends the rest only when the client has the
// beginning.
func TestFirstByteComesBeforeTheLast(t *testing.T) {
	for name, parts := range map[string][2]string{
		"sized": {text("HTTP/1.1 200 OK", "Content-Length: 10") + "first", "later"},
		"chunked": {text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "5\r\nfirst\r\n",
			"5\r\nlater\r\n0\r\n\r\n"},
		"half chunk": {text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "a\r\nfirst",
			"later\r\n0\r\n\r\n"},
		"until close": {text("HTTP/1.0 200 OK") + "first", "later"},
		"events": {text("HTTP/1.1 200 OK", "Content-Type: text/event-stream") + "data: first\n\n",
			"data: later\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			onBothSchemes(t, func(t *testing.T, secure bool) {
				h := newHouse(t, config())
				arrived := make(chan struct{})
				o := newOrigin(t, secure, func(o *peer) {
					o.readHead()
					o.send(parts[0])
					<-arrived
					o.send(parts[1])
				})
				client, prefix := h.to(o, secure)
				client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
				client.readUntil(len(parts[0]))
				close(arrived)
				client.readUntil(len(parts[0] + parts[1]))
				if got := client.seen.String(); got != parts[0]+parts[1] {
					t.Errorf("%q", got)
				}
			})
		})
	}
}

// Each test here is something that once went wrong.

// wantSoon fails if c is not closed in a time that is long for what it waits for.
func wantSoon(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(8 * time.Second):
		t.Errorf("%s: not within 8 s", what)
	}
}

// endless sends a body until the connection ends.
func (p *peer) endless() {
	piece := strings.Repeat("x", 1<<16)
	for {
		if _, err := io.WriteString(p.conn, piece); err != nil {
			return
		}
	}
}
