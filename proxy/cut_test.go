package proxy

import (
	"context"
	"errors"
	"io"
	"syscall"
	"testing"
	"time"
)

// TestCutIsSeen: an answer that would end with the connection is reset where it is cut, under TLS, too:
// browsers do not look for the end that TLS has of its own.
func TestCutIsSeen(t *testing.T) {
	head := text("HTTP/1.1 200 OK", "Connection: close")
	reset := func(t *testing.T, client *peer, prefix string, cut func()) {
		t.Helper()
		client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a.test"))
		client.readHead()
		client.readN(len("half"))
		cut()
		if _, err := io.Copy(io.Discard, client.in); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("it ends with %v", err)
		}
	}
	onBothSchemes(t, func(t *testing.T, secure bool) {
		t.Run("relayed", func(t *testing.T) {
			cfg := config()
			cfg.Timeout.Idle = 300 * time.Millisecond
			cfg.OnClientAbort = "cut"
			h := newHouse(t, cfg)
			o := newOrigin(t, secure, func(o *peer) { o.readHead(); o.send(head + "half"); o.readAll() })
			client, prefix := h.to(o, secure)
			reset(t, client, prefix, func() {})
		})
		t.Run("cut at the end", func(t *testing.T) {
			h := newHouse(t, config())
			o := newOrigin(t, secure, func(o *peer) { o.readHead(); o.send(head + "half"); o.readAll() })
			client, prefix := h.to(o, secure)
			reset(t, client, prefix, func() {
				now, cancel := context.WithCancel(t.Context())
				cancel()
				h.proxy.Shutdown(now)
			})
		})
		t.Run("replayed", func(t *testing.T) {
			more := make(chan bool)
			h := newReplayHouse(t, replaying(sourceFunc(func(context.Context, string, string, []byte,
				io.Reader) ([]byte, io.ReadCloser, error) {
				return []byte(head), &breaking{more: more}, nil
			})))
			client, prefix := h.toHost("a.test", secure)
			reset(t, client, prefix, func() { close(more) })
		})
	})
}

// breaking is a body that breaks off behind "half" when it is to.
type breaking struct {
	more  chan bool
	reads int
}

func (b *breaking) Read(p []byte) (int, error) {
	switch b.reads++; b.reads {
	case 1:
		return copy(p, "half"), nil
	case 2:
		return 0, nil
	}
	<-b.more
	return 0, io.ErrUnexpectedEOF
}

func (b *breaking) Close() error { return nil }
