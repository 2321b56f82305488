package proxy

import (
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/raced"
	"warcorder/recorder"
)

// TestIdleConnections: thousands wait without taking much, a client beside them is served at once,
// and when they go nothing is left.
func TestIdleConnections(t *testing.T) {
	most := 10_000 - 100
	// both ends are in this process
	if limit := int(descriptors()/2) - 300; descriptors() > 0 && limit < most {
		most = limit
	}
	for _, c := range []struct {
		name   string
		n      int
		least  int
		bound  int64 // bytes of heap and stack for each, both ends together
		secure bool
		used   bool // after a request
	}{
		{"fresh", most, 2000, 8 << 10, false, false},
		{"after a request", min(2000, most), 1000, 12 << 10, false, true},
		{"TLS", min(1000, most), 500, 48 << 10, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if raced.Enabled && c.secure { // the detector makes handshakes slow
				c.n, c.least = c.n/4, c.least/4
			}
			if c.n < c.least {
				t.Skipf("the limit on open files allows only %d", c.n)
			}
			before := openDescriptors(t)
			cfg := config()
			cfg.Timeout.Header, cfg.Timeout.Idle = time.Minute, time.Minute
			h := newHouse(t, cfg)
			o := newOrigin(t, c.secure, func(o *peer) {
				for o.readHead() != "" {
					o.send(numbered(1))
				}
			})
			beside, prefix := h.to(o, c.secure)
			ask := func(client *peer) {
				client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a", "X: "+strings.Repeat("x", 1000)))
				if got := client.readN(len(numbered(1))); got != numbered(1) {
					t.Errorf("%q", got)
				}
			}
			ask(beside)
			inUse := func() int64 {
				h.log.forget() // which is the test's own
				return memoryInUse()
			}
			empty := inUse()
			idle := make([]net.Conn, 0, c.n)
			for range c.n {
				idle = append(idle, h.idleConn(o, c.secure, c.used))
			}
			h.untilWaiting(c.n + 1)
			var each int64
			deadline := time.Now().Add(dozeAfter + 2*time.Second)
			for ; time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
				// soon they hold no buffer any more
				if each = (inUse() - empty) / int64(c.n); each <= c.bound {
					break
				}
			}
			t.Logf("%d connections wait, %d bytes each (both ends)", c.n, each)
			if each > c.bound && !raced.Enabled { // the detector takes memory of its own
				t.Errorf("a waiting connection takes %d bytes, more than %d", each, c.bound)
			}
			ask(beside)
			for _, conn := range idle {
				conn.Close()
			}
			h.untilClients(1)
			ask(beside)
			h.close()
			o.close()
			beside.conn.Close()
			wantNothingLeft(t)
			until(t, "no descriptor is left", func() bool { return openDescriptors(t) <= before })
		})
	}
}

// idleConn is a connection that waits, made of as little as possible at the test's end. used: it
// has had an answer.
func (h *house) idleConn(o *originServer, secure, used bool) net.Conn {
	if secure {
		client := h.tunnel(o.address, true)
		client.send(text("GET / HTTP/1.1", "Host: a"))
		client.readN(len(numbered(1)))
		return client.conn
	}
	conn, err := net.Dial("tcp", h.address)
	if err != nil {
		h.t.Fatal(err)
	}
	if used {
		io.WriteString(
			conn,
			text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "X: "+strings.Repeat("x", 1000)),
		)
		if _, err := io.ReadFull(conn, make([]byte, len(numbered(1)))); err != nil {
			h.t.Fatal(err)
		}
	}
	return conn
}

// memoryInUse is that of heap and stacks, when nothing is left to be collected.
func memoryInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// TestLargeHeadsShareABudget: who finds it used up is told so, on either side, and others are
// served.
func TestLargeHeadsShareABudget(t *testing.T) {
	h := newHouse(t, config())
	large := strings.Repeat("x", 200<<10)
	o := newOrigin(t, false, func(o *peer) {
		for {
			head := o.readHead()
			if head == "" {
				return
			}
			if strings.Contains(head, "/large") {
				o.send(text("HTTP/1.1 200 OK", "X: "+large, "Content-Length: 1") + "1")
				continue
			}
			o.send(numbered(1))
		}
	})
	whole := h.proxy.memory.left.Load()
	ask := func(path string, fields ...string) string {
		client := h.dial()
		client.send(
			text(
				append(
					[]string{"GET http://" + o.address + path + " HTTP/1.1", "Host: a", "Connection: close"},
					fields...)...),
		)
		return client.readAll()
	}
	for range 2 {
		for _, path := range []string{"/", "/large"} {
			if got := ask(path, "X: "+large); !strings.HasPrefix(got, "HTTP/1.1 200") {
				t.Errorf("%s: %.100q", path, got)
			}
		}
	}
	until(t, "the budget is whole again", func() bool { return h.proxy.memory.left.Load() == whole })
	h.proxy.memory.left.Store(100 << 10)
	wantFault(t, ask("/", "X: "+large), "503", "too many large heads")
	wantFault(t, ask("/large"), "503", "too many large heads")
	if got := ask("/"); got != numbered(1) {
		t.Errorf("%q", got)
	}
	until(t, "the budget is as before", func() bool { return h.proxy.memory.left.Load() == 100<<10 })
	if whole != config().MaxHeaderMemory {
		t.Errorf("the budget is %d", whole)
	}
	for i, gap := range h.gaps() {
		if gap.Reason != recorder.GapRefused || i > 1 {
			t.Errorf("%v", gap)
		}
	}
}
