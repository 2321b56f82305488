package cmd

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"warcorder/proxy/admin"
	"warcorder/store/cdxserver"
)

// guests are the commands of other processes whose programs go through a recorder. Each holds a
// request open for as long as it lasts, so that one that is killed has left.
//
//	a command ends, and its recorder has guests    it waits until the last one has left
//	the recorder ends, for whatever other reason   their requests end
//	one comes when it is settled that it ends      it is refused, and begins anew when it has ended
type guests struct {
	mu     sync.Mutex
	here   int
	left   chan struct{} // closed when the last one leaves; nil while nobody waits for that
	ended  chan struct{} // closed when none is let in any more
	closed bool
}

func newGuests() *guests { return &guests{ended: make(chan struct{})} }

// page is where they are.
func (g *guests) page() admin.Page {
	return admin.Page{Pattern: "POST " + cdxserver.HoldPath, For: admin.TokenHolder, JSON: true,
		Handler: http.HandlerFunc(g.serve)}
}

func (g *guests) serve(w http.ResponseWriter, r *http.Request) {
	if !g.enter() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	defer g.leave()
	w.WriteHeader(http.StatusOK)
	http.NewResponseController(w).Flush()
	select {
	case <-r.Context().Done():
	case <-g.ended:
	}
}

func (g *guests) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.here++
	}
	return !g.closed
}

// areGone reports that none is let in any more.
func (g *guests) areGone() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

func (g *guests) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.here--; g.here == 0 && g.left != nil {
		close(g.left)
		g.left = nil
	}
}

// closeIfNone lets none in any more if none is here.
func (g *guests) closeIfNone() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.here == 0 {
		g.end()
	}
	return g.closed
}

// close lets none in any more, and ends the requests of those who are here.
func (g *guests) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.end()
}

func (g *guests) end() {
	if !g.closed {
		g.closed = true
		close(g.ended)
	}
}

// wait returns when the last one has left.
func (g *guests) wait(ctx context.Context) {
	g.mu.Lock()
	if g.here == 0 {
		g.mu.Unlock()
		return
	}
	if g.left == nil {
		g.left = make(chan struct{})
	}
	left := g.left
	g.mu.Unlock()
	select {
	case <-left:
	case <-ctx.Done():
	}
}

// errAnother is the error of who wants a recorder while another process begins or ends one.
var errAnother = errors.New("another process begins or ends the recording")
