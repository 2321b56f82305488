package proxy

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// TestProxyBeside: a proxy with a Source on a recorder that another proxy has ends by itself: the
// recorder still says to that other one that it is broken, and takes what waits for its disk.
func TestProxyBeside(t *testing.T) {
	h := newFragileHouse(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Default()
	cfg.Source = replaying(shelf{}).Source
	second, err := New(cfg, ln, h.authority, h.rec, http.NotFoundHandler(), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- second.Serve() }()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	second.Shutdown(ctx)
	if err := <-served; err != nil {
		t.Errorf("the second one: %v", err)
	}
	for range 5 {
		c := h.dial()
		c.send("GET http://" + magicWord)
		c.readAll()
	}
	if err := <-h.served; err == nil || !strings.Contains(err.Error(), "5 times within a minute") {
		t.Errorf("the first one: %v", err)
	}
	h.served <- nil // close wants to see how it ended
}
