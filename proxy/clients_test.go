package proxy

import (
	"fmt"
	"math"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"warcorder/recorder"
)

func TestDescriptorsAreShared(t *testing.T) {
	for _, c := range []struct {
		all         uint64
		spare, idle int
	}{
		{0, math.MaxInt32, 1024},
		{1 << 20, 1<<20 - 256 - 1024, 1024},
		{20_000, 18_720, 1024},
		{1024, 640, 128},
		{256, 160, 32},
		{1 << 63, math.MaxInt32 - 1024, 1024},
	} {
		if spare, idle := spareDescriptors(c.all), idleLimit(c.all); spare != c.spare || idle != c.idle {
			t.Errorf("of %d: %d for clients and %d for kept connections, want %d and %d", c.all, spare, idle,
				c.spare, c.idle)
		}
	}
}

// TestExchangesTakeTheRoomOfWhoWaits: descriptors are short, so who waits makes room for the
// exchange of another, and who is new is turned away.
func TestExchangesTakeTheRoomOfWhoWaits(t *testing.T) {
	h := newHouse(t, config())
	asked, release := make(chan struct{}), make(chan struct{})
	o := newOrigin(t, false, func(o *peer) {
		for o.readHead() != "" {
			asked <- struct{}{}
			<-release
			o.send(numbered(1))
		}
	})
	c := h.proxy.clients
	c.mu.Lock()
	c.spare = 2 + exchangeFiles
	c.mu.Unlock()
	var clients []*peer
	for i := range 2 + exchangeFiles {
		clients = append(clients, h.dial())
		h.untilWaiting(i + 1)
	}
	next, last := clients[exchangeFiles], clients[1+exchangeFiles]
	last.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
	<-asked
	for i, client := range clients[:exchangeFiles] {
		if got := client.readAll(); got != "" {
			t.Errorf("client %d got %q", i, got)
		}
	}
	// nobody is left to make room: it is served all the same
	next.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
	<-asked
	wantFault(t, h.dial().readAll(), "503", "max-connections")
	close(release)
	for _, client := range clients[exchangeFiles:] {
		if got := client.readN(len(numbered(1))); got != numbered(1) {
			t.Errorf("%q", got)
		}
		client.conn.Close()
	}
	h.untilClients(0)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.spare != 2+exchangeFiles {
		t.Errorf("%d descriptors are left, want %d", c.spare, 2+exchangeFiles)
	}
}

// TestWaitingList: members leave in any order, and the first is the one that has been there
// longest.
func TestWaitingList(t *testing.T) {
	var l waitingList
	a, b, c := &seat{}, &seat{}, &seat{}
	for _, s := range []*seat{a, b, c} {
		l.add(s)
	}
	for _, step := range []struct {
		out   *seat
		first *seat
	}{{b, a}, {a, c}, {c, nil}} {
		if !l.remove(step.out) || l.remove(step.out) || l.first != step.first {
			t.Fatal("the list is broken")
		}
	}
	l.add(b)
	l.add(a)
	if l.first != b || l.last != a || b.after != a || a.before != b {
		t.Error("the list is broken when it is used again")
	}
}

// TestSummary: the first at once, the others as a number.
func TestSummary(t *testing.T) {
	told := make(chan string, 10)
	s := summary{tell: func(last string, n int64) { told <- fmt.Sprint(last, n) }}
	for _, what := range []string{"a", "b", "c"} {
		s.add(what)
	}
	if got := <-told; got != "a1" || len(told) != 0 {
		t.Errorf("%s, and %d more", got, len(told))
	}
	s.close()
	if got := <-told; got != "c2" {
		t.Errorf("%s, want c2", got)
	}
}

func crowded(limit int) Config {
	cfg := config()
	cfg.MaxConnections = limit
	return cfg
}

// TestTheLongestWaitingMakesRoom, of those that wait for a request; who is being served stays.
func TestTheLongestWaitingMakesRoom(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, crowded(3))
		asked, release := make(chan struct{}, 1), make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			for {
				head := o.readHead()
				if head == "" {
					return
				}
				if strings.Contains(head, "/slow") {
					asked <- struct{}{}
					<-release
				}
				o.send(numbered(1))
			}
		})
		slow, prefix := h.to(o, secure)
		slow.send(text("GET "+prefix+"/slow HTTP/1.1", "Host: a"))
		<-asked
		first, _ := h.to(o, secure)
		h.untilWaiting(1)
		second, _ := h.to(o, secure)
		h.untilWaiting(2)
		for _, client := range []*peer{first, second} { // now second has waited longer than first
			client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
			client.readN(len(numbered(1)))
		}
		h.untilWaiting(2)
		second.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
		second.readN(len(numbered(1)))
		h.untilWaiting(2)
		third, _ := h.to(o, secure)
		if got := first.readAll(); got != "" {
			t.Errorf("who has waited longest got %q", got)
		}
		for _, client := range []*peer{third, second} {
			client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
			if got := client.readN(len(numbered(1))); got != numbered(1) {
				t.Errorf("%q", got)
			}
		}
		close(release)
		if got := slow.readN(len(numbered(1))); got != numbered(1) {
			t.Errorf("%q", got)
		}
		if gaps := h.gaps(); len(gaps) != 0 {
			t.Errorf("nothing was lost, and there are gaps: %v", gaps)
		}
	})
}

// untilWaiting waits until n sessions wait for a request.
func (h *house) untilWaiting(n int) {
	h.t.Helper()
	until(h.t, fmt.Sprintf("%d sessions wait", n), func() bool {
		h.proxy.clients.mu.Lock()
		defer h.proxy.clients.mu.Unlock()
		count := 0
		for s := h.proxy.clients.waiting.first; s != nil; s = s.after {
			count++
		}
		return count == n
	})
}

// TestFloodOfConnections: while all places are taken by clients that are being served, each further
// one is told so; they keep their service, the log and the gaps stay short, and all are counted.
func TestFloodOfConnections(t *testing.T) {
	const limit, flood = 8, 500
	descriptors := openDescriptors(t)
	h := newHouse(t, crowded(limit))
	release := make(chan struct{})
	o := newOrigin(t, false,
		func(o *peer) { o.readHead(); <-release; o.send(numbered(1)); o.readAll() })
	var served []*peer
	for range limit {
		client := h.dial()
		client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
		served = append(served, client)
	}
	until(t, "all are being served", func() bool { return len(o.connections()) == limit })
	var running sync.WaitGroup
	for range 10 {
		running.Go(func() {
			for range flood / 10 {
				client := h.dial()
				wantFault(t, client.readAll(), "503", "max-connections")
			}
		})
	}
	running.Wait()
	close(release)
	for _, client := range served {
		if got := client.readAll(); got != numbered(1) {
			t.Errorf("%q", got)
		}
	}
	h.untilClients(0)
	h.proxy.Shutdown(t.Context())
	gaps, err := h.rec.Gaps(0)
	if err != nil || gaps.Counts[recorder.GapRefused] != flood || len(gaps.Latest) > flood/10 {
		t.Errorf("%v, %d gaps of which %d one by one; want %d", err, gaps.Counts[recorder.GapRefused],
			len(gaps.Latest), flood)
	}
	if n := strings.Count(h.log.String(), "too many connections"); n == 0 || n > flood/10 {
		t.Errorf("%d lines in the log", n)
	}
	h.close()
	o.close()
	wantNothingLeft(t)
	until(t, "no descriptor is left", func() bool { return openDescriptors(t) <= descriptors })
}

// TestAcceptingWaitsForNobody: clients that are turned away and neither read nor leave keep nobody
// out.
func TestAcceptingWaitsForNobody(t *testing.T) {
	h := newHouse(t, crowded(1))
	release := make(chan struct{})
	o := newOrigin(t, false,
		func(o *peer) { o.readHead(); <-release; o.send(numbered(1)); o.readAll() })
	first := h.dial()
	first.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
	until(t, "one is being served", func() bool { return len(o.connections()) == 1 })
	for range 3 * turnedAwayAtOnce {
		h.dial()
	}
	if got := h.dial().readAll(); !strings.HasPrefix(got, "HTTP/1.1 503 ") { // so were all before it
		t.Errorf("%q", got)
	}
	close(release)
	first.readAll()
	h.untilClients(0)
	last := h.dial()
	last.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
	if got := last.readAll(); got != numbered(1) {
		t.Errorf("%q", got)
	}
}

// shortOfDescriptors is a listener that has none for the next accepted connections.
type shortOfDescriptors struct {
	net.Listener
	left atomic.Int64
}

func (l *shortOfDescriptors) Accept() (net.Conn, error) {
	if l.left.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return l.Listener.Accept()
}

// newShortOfDescriptors is one that has none for so many.
func newShortOfDescriptors(t *testing.T, left int64) *shortOfDescriptors {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	short := &shortOfDescriptors{Listener: ln}
	short.left.Store(left)
	return short
}

// TestOutOfDescriptors: who waits makes room. When nobody does, it is said, and the proxy goes on
// as soon as it can.
func TestOutOfDescriptors(t *testing.T) {
	ln := newShortOfDescriptors(t, 3)
	h := newHouseAt(t, config(), recorderConfig, ln)
	o := newOrigin(t, false, sends(numbered(1)))
	first := h.dial() // accepted by the fourth attempt
	first.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
	first.readN(len(numbered(1)))
	h.untilIdle(1)
	h.untilWaiting(1)
	ln.left.Store(1)
	second := h.dial() // accepted by the attempt that runs; the one after it fails
	h.untilIdle(0)     // a kept connection goes first
	h.untilWaiting(2)
	ln.left.Store(1)
	h.dial()
	if got := first.readAll(); got != "" {
		t.Errorf("who waited got %q", got)
	}
	second.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
	if got := second.readN(len(numbered(1))); got != numbered(1) {
		t.Errorf("%q", got)
	}
	h.proxy.Shutdown(t.Context())
	gaps, err := h.rec.Gaps(0)
	if err != nil || gaps.Counts[recorder.GapRefused] != 5 ||
		!strings.Contains(gaps.Latest[0].Detail, "too many open files") {
		t.Errorf("%v, %v", gaps, err)
	}
}
