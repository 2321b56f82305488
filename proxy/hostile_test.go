package proxy

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/store"
)

// hostile is a peer that does not behave, and what must come of it. While it lasts another client
// fetches from another origin, and gets its bytes.
type hostile struct {
	name   string
	cfg    func(*Config)
	origin func(*peer)
	client func(c *attacker)
	scheme string // http or https if it is one alone
	tunnel bool   // the client does the CONNECT and all that follows by itself

	// how the first line that the client gets goes on behind HTTP/1.1; "": it gets none
	status    string
	says      string // what stands in what it gets
	gap       string // the reason; "": no gap
	detail    string // what stands in the gap's
	nowhere   bool   // the gap tells the client's address, not a URL
	requests  int    // that are recorded
	truncated string // in a record's header or in the metadata record
}

// attacker is a hostile client.
type attacker struct {
	*peer
	house  *house
	origin *originServer // the hostile one
	prefix string        // of targets
}

func (a *attacker) get(fields ...string) {
	a.send(text(append([]string{"GET " + a.prefix + "/x HTTP/1.1", "Host: a"}, fields...)...))
}

func (a *attacker) post(fields ...string) {
	a.send(text(append([]string{"POST " + a.prefix + "/x HTTP/1.1", "Host: a"}, fields...)...))
}

// gone ends the connection when the origin has read what it waits for.
func (a *attacker) gone() {
	for len(a.origin.connections()) == 0 {
		runtime.Gosched()
	}
	<-a.origin.connections()[0].reached
	a.conn.Close()
}

// reads makes an origin that says when it has read the head and n bytes.
func reads(n int) func(*peer) {
	return func(o *peer) { o.readHead(); o.readN(n); close(o.reached); o.readAll() }
}

// someLines are as many lines of a trailer as go at once: to encrypt each alone is most of what a test of
// 1 MiB takes.
var someLines = strings.Repeat("X: y\r\n", 10)

// forever sends the same piece until the connection ends.
func (p *peer) forever(piece string) {
	for {
		if _, err := io.WriteString(p.conn, piece); err != nil {
			return
		}
	}
}

// drip sends a piece again and again, always too soon for a timeout between two.
func (p *peer) drip(piece string) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := io.WriteString(p.conn, piece); err != nil {
			return
		}
	}
}

// the client beside it has no more time either, on a machine that may be busy
const short = time.Second

func shortHeader(c *Config)    { c.Timeout.Header = short }
func shortTLS(c *Config)       { c.Timeout.TLS = short }
func shortIdle(c *Config)      { c.Timeout.Idle = short }
func shortTotal(c *Config)     { c.Timeout.Total = short }
func shortFirstByte(c *Config) { c.Timeout.FirstByte = short }
func smallBodies(c *Config)    { c.MaxBodySize = 100_000 }
func smallHeads(c *Config)     { c.MaxHeaderSize = 64 << 10 }
func finishing(c *Config)      { c.OnClientAbort = "finish" }

func silent(o *peer) { o.readAll() }

// sends makes an origin that answers and then waits.
func sends(answer string) func(*peer) {
	return func(o *peer) { o.readHead(); o.send(answer); o.readAll() }
}

func hostiles() []hostile {
	return slices.Concat(slowClients(), slowOrigins(), vanishing(), halfOpen())
}

// TestHostilePeers: each gets the status and leaves the records and the gap that it should, in
// bounded time, nobody else is harmed, and afterwards no goroutine and no descriptor is left.
func TestHostilePeers(t *testing.T) {
	descriptors := openDescriptors(t)
	t.Run("all", func(t *testing.T) {
		for _, one := range hostiles() {
			for _, scheme := range []string{"http", "https"} {
				if one.scheme == "" || one.scheme == scheme {
					t.Run(one.name+"/"+scheme, func(t *testing.T) { t.Parallel(); one.run(t, scheme == "https") })
				}
			}
		}
	})
	wantNothingLeft(t)
	until(t, "no descriptor is left", func() bool { return openDescriptors(t) <= descriptors })
}

func (x *hostile) run(t *testing.T, secure bool) {
	cfg := config()
	if x.cfg != nil {
		x.cfg(&cfg)
	}
	h := newHouse(t, cfg)
	serve := x.origin
	if serve == nil {
		serve = silent
	}
	o := newOrigin(t, secure, serve)
	beside := h.fetchBeside()
	c := &attacker{house: h, origin: o}
	if x.tunnel {
		c.peer = h.dial()
	} else {
		c.peer, c.prefix = h.to(o, secure)
	}
	place := c.conn.LocalAddr().String()
	if secure {
		place = o.address
	}
	x.client(c)
	h.untilClients(1)
	beside()
	if got := c.seen.String(); x.status == "" && got != "" ||
		!strings.HasPrefix(got, "HTTP/1.1 "[:min(9, 9*len(x.status))]+x.status) ||
		!strings.Contains(got, x.says) {
		t.Errorf("the client got %.200q, want %s and %q", got, x.status, x.says)
	}
	x.checkGap(t, h, place)
	x.checkRecords(t, h.records())
}

func (x *hostile) checkGap(t *testing.T, h *house, place string) {
	h.proxy.Shutdown(t.Context()) // so that all has been noted
	gaps := h.gaps()
	if x.gap == "" {
		if len(gaps) != 0 {
			t.Errorf("gaps: %v, want none", gaps)
		}
		return
	}
	if len(gaps) != 1 || gaps[0].Reason != x.gap || !strings.Contains(gaps[0].Detail, x.detail) {
		t.Fatalf("gaps: %v, want one: %s, %q", gaps, x.gap, x.detail)
	}
	url, good := gaps[0].URL, false
	switch {
	case x.nowhere:
		good = url == place
	case x.tunnel:
		good = url == "a.example:443"
	default:
		good = strings.Contains(url, "://") && strings.HasSuffix(url, "/x") && !strings.Contains(url, "@")
	}
	if !good {
		t.Errorf("the gap's URL is %s", url)
	}
}

func (x *hostile) checkRecords(t *testing.T, all []warcRecord) {
	requests, truncated := 0, ""
	for _, r := range all {
		if !strings.HasSuffix(r.header.Get("WARC-Target-URI"), "/x") {
			continue
		}
		if r.header.Get("WARC-Type") == "request" {
			requests++
		}
		truncated = cmp.Or(truncated, r.header.Get("WARC-Truncated"), factIn(r.block, "truncated"))
		if n := len(r.block); strings.HasSuffix(x.truncated, "length") && n > 110_000 {
			t.Errorf("the %s is %d bytes long", r.header.Get("WARC-Type"), n)
		}
	}
	if requests != x.requests || truncated != x.truncated {
		t.Errorf("%d requests, truncated %q; want %d, %q", requests, truncated, x.requests, x.truncated)
	}
}

// factIn returns a field of a metadata record.
func factIn(block []byte, name string) string {
	for line := range strings.Lines(string(block)) {
		if value, found := strings.CutPrefix(line, name+": "); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// fetchBeside fetches from an origin of its own until what it returns is called, and looks at what
// comes.
func (h *house) fetchBeside() (stop func()) {
	body := strings.Repeat("good", 5000)
	answer := text("HTTP/1.1 200 OK", "Content-Length: 20000") + body
	o := newOrigin(h.t, false, func(o *peer) {
		for o.readHead() != "" {
			o.send(answer)
		}
	})
	client := h.dial()
	stopped, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			client.send(text("GET http://"+o.address+"/good HTTP/1.1", "Host: a"))
			if got := client.readN(len(answer)); got != answer {
				h.t.Errorf("the other client's answer %d: %.100q", n, got)
				return
			}
			client.seen.Reset()
			select {
			case <-stopped:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() {
		close(stopped)
		<-ended
		client.conn.Close()
	}
}

// until waits for something to become true.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}

// untilClients waits until n clients are connected.
func (h *house) untilClients(n int) {
	h.t.Helper()
	c := h.proxy.clients
	until(h.t, fmt.Sprintf("%d clients are connected", n), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.open == n
	})
}

func (h *house) untilGaps(n int) {
	h.t.Helper()
	until(h.t, fmt.Sprintf("%d gaps", n), func() bool { return len(h.gaps()) >= n })
}

// gaps are those noted so far, the newest first.
func (h *house) gaps() []store.Gap {
	h.t.Helper()
	gaps, err := h.rec.Gaps(0)
	if err != nil {
		h.t.Fatal(err)
	}
	return gaps.Latest
}
