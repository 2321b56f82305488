package proxy

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestCutIsDelivered: of an answer that ends in a reset the client gets all that there is; one that
// goes without reading it holds nothing up.
func TestCutIsDelivered(t *testing.T) {
	body := strings.Repeat("0123456789abcdef", 1<<16)
	onBothSchemes(t, func(t *testing.T, secure bool) {
		cfg := replaying(sourceFunc(func(context.Context, string, string, []byte, io.Reader) (
			[]byte, io.ReadCloser, error) {
			return []byte(text("HTTP/1.1 200 OK")), &pieces{left: []string{body},
				err: io.ErrUnexpectedEOF}, nil
		}))
		cfg.Timeout.Idle = time.Minute
		h := newReplayHouse(t, cfg)
		client, prefix := h.toHost("a.test", secure)
		client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a.test"))
		client.readHead()
		got, err := io.ReadAll(client.in)
		if string(got) != body || !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%d bytes of %d, %v", len(got), len(body), err)
		}
		idle, _ := h.toHost("a.test", secure)
		idle.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a.test"))
		idle.readHead()
		idle.conn.Close()
		h.stop(20 * time.Second)
	})
}
