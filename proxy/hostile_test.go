package proxy

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
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
	chunkedHead := text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
	websocket := []string{"Upgrade: echo", "Connection: Upgrade"}
	switching := text("HTTP/1.1 101 Switching Protocols", "Upgrade: echo", "Connection: Upgrade")
	return []hostile{
		// clients that are slow or endless
		{name: "slow head", cfg: shortHeader, nowhere: true,
			client: func(c *attacker) { c.send("GET " + c.prefix + "/x HTTP/1.1\r\n"); go c.drip("X: y\r\n"); c.readAll() },
			status: "408", says: "timeout-header", gap: recorder.GapRefused, detail: "timeout-header"},
		{name: "slow request line", cfg: shortHeader, nowhere: true,
			client: func(c *attacker) { go c.drip("G"); c.readAll() },
			status: "408", gap: recorder.GapRefused},
		{name: "empty lines for ever", cfg: shortHeader, nowhere: true,
			client: func(c *attacker) { go c.drip("\r\n"); c.readAll() },
			status: "408", gap: recorder.GapRefused},
		{name: "endless head", cfg: smallHeads, nowhere: true,
			client: func(c *attacker) {
				c.send("GET " + c.prefix + "/x HTTP/1.1\r\n")
				go c.forever("X: y\r\n")
				c.readAll()
			},
			status: "431", says: "max-header-size", gap: recorder.GapRefused, detail: "max-header-size"},
		{name: "endless request line", cfg: smallHeads, nowhere: true,
			client: func(c *attacker) { c.send("GET " + c.prefix + "/"); go c.forever("xxxxxxxx"); c.readAll() },
			status: "431", gap: recorder.GapRefused},
		{name: "endless method", cfg: smallHeads, nowhere: true,
			client: func(c *attacker) { go c.forever("XXXXXXXX"); c.readAll() },
			status: "431", gap: recorder.GapRefused},
		{name: "upload that stops", cfg: shortIdle, origin: silent,
			client: func(c *attacker) { c.post("Content-Length: 10"); c.send("12345"); c.readAll() },
			status: "408", says: "timeout-idle", gap: recorder.GapCut, detail: "timeout-idle", requests: 1, truncated: "time"},
		{name: "slow upload", cfg: shortTotal, origin: silent,
			client: func(c *attacker) { c.post("Content-Length: 10000"); go c.drip("x"); c.readAll() },
			status: "408", says: "timeout-total", gap: recorder.GapCut, detail: "timeout-total", requests: 1, truncated: "time"},
		{name: "endless upload", cfg: smallBodies, origin: silent,
			client: func(c *attacker) { c.post("Transfer-Encoding: chunked"); go c.forever("4\r\nabcd\r\n"); c.readAll() },
			status: "413", says: "max-body-size", gap: recorder.GapRefused, detail: "max-body-size",
			requests: 1, truncated: "length"},
		{name: "announced upload", cfg: smallBodies, origin: silent,
			client: func(c *attacker) { c.post("Content-Length: 100001"); go c.forever("x"); c.readAll() },
			status: "413", says: "max-body-size", gap: recorder.GapRefused, detail: "max-body-size"},
		{name: "endless chunk extension up", origin: silent,
			client: func(c *attacker) {
				c.post("Transfer-Encoding: chunked")
				c.send("1;")
				go c.forever("xxxxxxxx")
				c.readAll()
			},
			status: "400", says: "16 KiB", gap: recorder.GapRefused, detail: "16 KiB", requests: 1, truncated: "disconnect"},
		{name: "endless trailer up", origin: silent,
			client: func(c *attacker) {
				c.post("Transfer-Encoding: chunked")
				c.send("0\r\n")
				go c.forever("X: y\r\n")
				c.readAll()
			},
			status: "400", says: "1 MiB", gap: recorder.GapRefused, detail: "1 MiB", requests: 1, truncated: "disconnect"},
		{name: "bad chunk up", origin: silent,
			client: func(c *attacker) { c.post("Transfer-Encoding: chunked"); c.send("zz\r\n"); c.readAll() },
			status: "400", gap: recorder.GapRefused, detail: "ambiguous", requests: 1, truncated: "disconnect"},

		// origins that are slow or endless
		{name: "no answer", cfg: shortFirstByte, origin: silent,
			client: func(c *attacker) { c.get("Connection: close"); c.readAll() },
			status: "504", gap: recorder.GapUpstream, detail: "did not answer in time", requests: 1, truncated: "time"},
		{name: "slow answer head", cfg: shortFirstByte,
			origin: func(o *peer) { o.readHead(); o.send("HTTP/1.1 200 OK\r\n"); o.drip("X: y\r\n") },
			client: func(c *attacker) { c.get("Connection: close"); c.readAll() },
			status: "504", gap: recorder.GapUpstream, requests: 1, truncated: "time"},
		{name: "answer that stops", cfg: shortIdle, origin: sends(chunkedHead + "5\r\nabc"),
			client: func(c *attacker) { c.get(); c.readAll() },
			status: "200", gap: recorder.GapCut, detail: "timeout-idle", requests: 1, truncated: "time"},
		{
			name:      "slow answer",
			cfg:       shortTotal,
			origin:    func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 200 OK")); o.drip("x") },
			client:    func(c *attacker) { c.get(); c.readAll() },
			status:    "200",
			gap:       recorder.GapCut,
			detail:    "timeout-total",
			requests:  1,
			truncated: "time",
		},
		{
			name:      "endless answer head",
			cfg:       smallHeads,
			origin:    func(o *peer) { o.readHead(); o.send("HTTP/1.1 200 OK\r\n"); o.forever("X: y\r\n") },
			client:    func(c *attacker) { c.get("Connection: close"); c.readAll() },
			status:    "502",
			says:      "max-header-size",
			gap:       recorder.GapRefused,
			detail:    "max-header-size",
			requests:  1,
			truncated: "length",
		},
		{
			name:      "endless answer",
			cfg:       smallBodies,
			origin:    func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 200 OK")); o.endless() },
			client:    func(c *attacker) { c.get(); c.readAll() },
			status:    "200",
			gap:       recorder.GapCut,
			detail:    "max-body-size",
			requests:  1,
			truncated: "length",
		},
		{
			name:      "endless chunks",
			cfg:       smallBodies,
			origin:    func(o *peer) { o.readHead(); o.send(chunkedHead); o.forever("4\r\nabcd\r\n") },
			client:    func(c *attacker) { c.get(); c.readAll() },
			status:    "200",
			gap:       recorder.GapCut,
			detail:    "max-body-size",
			requests:  1,
			truncated: "length",
		},
		{
			name:      "announced answer",
			cfg:       smallBodies,
			origin:    func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 200 OK", "Content-Length: 1000000")); o.endless() },
			client:    func(c *attacker) { c.get(); c.readAll() },
			status:    "200",
			gap:       recorder.GapCut,
			detail:    "max-body-size",
			requests:  1,
			truncated: "length",
		},
		{
			name:      "endless chunk extension",
			origin:    func(o *peer) { o.readHead(); o.send(chunkedHead + "1;"); o.forever("xxxxxxxx") },
			client:    func(c *attacker) { c.get(); c.readAll() },
			status:    "200",
			gap:       recorder.GapCut,
			detail:    "16 KiB",
			requests:  1,
			truncated: "disconnect",
		},
		{
			name:      "endless trailer",
			origin:    func(o *peer) { o.readHead(); o.send(chunkedHead + "0\r\n"); o.forever("X: y\r\n") },
			client:    func(c *attacker) { c.get(); c.readAll() },
			status:    "200",
			gap:       recorder.GapCut,
			detail:    "1 MiB",
			requests:  1,
			truncated: "disconnect",
		},
		{
			name:      "interim answers for ever",
			origin:    func(o *peer) { o.readHead(); o.forever(text("HTTP/1.1 102 Processing")) },
			client:    func(c *attacker) { c.get("Connection: close"); c.readAll() },
			status:    "102",
			says:      "HTTP/1.1 502 Bad Gateway",
			gap:       recorder.GapRefused,
			detail:    "interim",
			requests:  1,
			truncated: "disconnect",
		},
		{name: "answer that is no HTTP", origin: sends("SSH-2.0-x\r\n\r\n"),
			client: func(c *attacker) { c.get("Connection: close"); c.readAll() },
			status: "502", gap: recorder.GapRefused, detail: "status line", requests: 1},
		{
			name:      "answer cut in its head",
			origin:    func(o *peer) { o.readHead(); o.send("HTTP/1.1 200 OK\r\nX") },
			client:    func(c *attacker) { c.get("Connection: close"); c.readAll() },
			status:    "502",
			gap:       recorder.GapUpstream,
			detail:    "closed the connection",
			requests:  1,
			truncated: "disconnect",
		},
		{
			name:      "answer cut in its body",
			origin:    func(o *peer) { o.readHead(); o.send(chunkedHead + "5\r\nabc") },
			client:    func(c *attacker) { c.get(); c.readAll() },
			status:    "200",
			gap:       recorder.GapCut,
			detail:    "closed the connection",
			requests:  1,
			truncated: "disconnect",
		},
		{name: "bad chunk", origin: sends(chunkedHead + "zz\r\n"),
			client: func(c *attacker) { c.get(); c.readAll() },
			status: "200", gap: recorder.GapCut, detail: "chunk size", requests: 1, truncated: "disconnect"},
		{name: "early answer, connection kept", origin: sends(numbered(1)),
			client: func(c *attacker) {
				c.post("Content-Length: 1000000", "Connection: close", "Expect: 100-continue")
				c.readAll()
			},
			status: "200", gap: recorder.GapCut, detail: "before it had come", requests: 1, truncated: "unspecified"},
		{
			name:      "early answer, connection closed",
			origin:    func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 413 No", "Connection: close", "Content-Length: 0")) },
			client:    func(c *attacker) { c.post("Content-Length: 1000000000"); go c.forever("xxxxxxxx"); c.readAll() },
			status:    "413",
			gap:       recorder.GapCut,
			detail:    "before it had come",
			requests:  1,
			truncated: "unspecified",
		},
		{name: "origin that nobody can reach", scheme: "http",
			client: func(c *attacker) {
				c.send(text("GET http://"+unusedAddress(c.t)+"/x HTTP/1.1", "Host: a", "Connection: close"))
				c.readAll()
			},
			status: "502", gap: recorder.GapUpstream, detail: "refused the connection"},
		{name: "origin that speaks no TLS", scheme: "http", cfg: shortTLS, origin: silent,
			client: func(c *attacker) {
				c.send(text("GET https://"+c.origin.address+"/x HTTP/1.1", "Host: a", "Connection: close"))
				c.readAll()
			},
			status: "504", gap: recorder.GapUpstream, detail: "timeout-tls"},

		// clients that vanish
		{name: "gone before it asks", scheme: "http", client: func(c *attacker) { c.conn.Close() }},
		{
			name:    "gone when it has seen the certificate",
			scheme:  "https",
			client:  func(c *attacker) { c.conn.Close() },
			gap:     recorder.GapRefused,
			detail:  "does not seem to trust the certificate",
			nowhere: true,
		},
		{
			name:    "gone in the head",
			client:  func(c *attacker) { c.send("GET " + c.prefix + "/x HTTP/1.1\r\nHos"); c.conn.Close() },
			gap:     recorder.GapCut,
			detail:  "in the middle of a request's head",
			nowhere: true,
		},
		{name: "gone in the upload", origin: reads(5), client: func(c *attacker) {
			c.post("Content-Length: 10")
			c.send("12345")
			c.gone()
		}, gap: recorder.GapCut, detail: "went away", requests: 1, truncated: "disconnect"},
		{name: "gone in the upload, finish", cfg: finishing, origin: reads(5), client: func(c *attacker) {
			c.post("Content-Length: 10")
			c.send("12345")
			c.gone()
		}, gap: recorder.GapCut, detail: "went away", requests: 1, truncated: "disconnect"},
		{
			name:      "gone before the answer",
			origin:    reads(0),
			client:    func(c *attacker) { c.get(); c.gone() },
			gap:       recorder.GapCut,
			detail:    "went away",
			requests:  1,
			truncated: "disconnect",
		},
		{
			name:      "gone before the answer, finish",
			cfg:       func(c *Config) { finishing(c); shortFirstByte(c) },
			origin:    reads(0),
			client:    func(c *attacker) { c.get(); c.gone() },
			gap:       recorder.GapUpstream,
			detail:    "did not answer in time",
			requests:  1,
			truncated: "time",
		},
		{
			name:      "gone in the answer",
			origin:    func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 200 OK")); o.endless() },
			client:    func(c *attacker) { c.get(); c.readHead(); c.conn.Close() },
			status:    "200",
			gap:       recorder.GapCut,
			detail:    "went away",
			requests:  1,
			truncated: "disconnect",
		},
		{
			name:      "reads nothing of the answer",
			cfg:       shortIdle,
			origin:    func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 200 OK")); o.endless() },
			client:    func(c *attacker) { c.get(); c.house.untilGaps(1) },
			gap:       recorder.GapCut,
			detail:    "went away",
			requests:  1,
			truncated: "disconnect",
		},
		{
			name:     "gone in a tunnel",
			origin:   func(o *peer) { o.readHead(); o.send(switching); io.Copy(o.conn, o.in) },
			client:   func(c *attacker) { c.get(websocket...); c.readHead(); c.conn.Close() },
			status:   "101",
			gap:      recorder.GapTunnelled,
			detail:   "unrecorded",
			requests: 1,
		},
		{name: "origin gone in a tunnel", origin: func(o *peer) { o.readHead(); o.send(switching) },
			client: func(c *attacker) { c.get(websocket...); c.readAll() },
			status: "101", gap: recorder.GapTunnelled, requests: 1},
		{
			name:     "tunnel that one side does not read",
			cfg:      shortIdle,
			origin:   func(o *peer) { o.readHead(); o.send(switching); o.endless() },
			client:   func(c *attacker) { c.get(websocket...); c.house.untilClients(1) },
			gap:      recorder.GapTunnelled,
			requests: 1,
		},

		// half-open tunnels
		{name: "nothing behind the CONNECT", scheme: "http", tunnel: true, cfg: shortHeader,
			client: func(c *attacker) { c.send(text("CONNECT a.example:443 HTTP/1.1", "Host: a")); c.readAll() },
			status: "200"},
		{name: "gone behind the CONNECT", scheme: "http", tunnel: true,
			client: func(c *attacker) {
				c.send(text("CONNECT a.example:443 HTTP/1.1", "Host: a"))
				c.readHead()
				c.conn.Close()
			},
			status: "200"},
		{name: "half a CONNECT", scheme: "http", tunnel: true, cfg: shortHeader,
			client: func(c *attacker) { c.send("CONNECT a.example:443 HTTP/1.1\r\nHost:"); c.readAll() }},
		{name: "long CONNECT", scheme: "http", tunnel: true,
			client: func(c *attacker) {
				go c.send(text("CONNECT a.example:443 HTTP/1.1", "X: "+strings.Repeat("x", 100<<10)))
				c.readAll()
			},
			status: "431"},
		{name: "a CONNECT with a password", scheme: "http", tunnel: true,
			client: func(c *attacker) { c.send(text("CONNECT user:secret@a.example:443 HTTP/1.1", "Host: a")); c.readAll() },
			status: "400", gap: recorder.GapRefused},
		{name: "half a ClientHello", scheme: "http", tunnel: true, cfg: shortTLS,
			client: func(c *attacker) {
				c.send(text("CONNECT a.example:443 HTTP/1.1", "Host: a"))
				c.readHead()
				c.send("\x16\x03\x01\x02\x00\x01")
				c.readAll()
			},
			status: "200", gap: recorder.GapRefused, detail: "the client's TLS handshake failed"},
		{name: "slow ClientHello", scheme: "http", tunnel: true, cfg: shortTLS,
			client: func(c *attacker) {
				c.send(text("CONNECT a.example:443 HTTP/1.1", "Host: a"))
				c.readHead()
				c.send("\x16\x03\x01\x02\x00\x01")
				go c.drip("x")
				c.readAll()
			},
			status: "200", gap: recorder.GapRefused, detail: "the client's TLS handshake failed"},
		{name: "gone in the ClientHello", scheme: "http", tunnel: true,
			client: func(c *attacker) {
				c.send(text("CONNECT a.example:443 HTTP/1.1", "Host: a"))
				c.readHead()
				c.send("\x16\x03\x01\x02\x00\x01")
				c.conn.Close()
			},
			status: "200", gap: recorder.GapRefused, detail: "the client's TLS handshake failed"},
		{name: "a client that does not trust us", scheme: "http", tunnel: true,
			client: func(c *attacker) {
				c.send(text("CONNECT a.example:443 HTTP/1.1", "Host: a"))
				c.readHead()
				tls.Client(c.conn, &tls.Config{ServerName: "a.example"}).Handshake()
				c.conn.Close()
			},
			status: "200", gap: recorder.GapRefused, detail: "the client does not trust the certificate"},
		{name: "a body for a page of our own", scheme: "http", tunnel: true, cfg: shortHeader,
			client: func(c *attacker) {
				c.send(text("POST /status HTTP/1.1", "Host: a", "Content-Length: 10") + "1")
				c.readAll()
			},
			status: "200"},
		{name: "a body for OPTIONS *", scheme: "http", tunnel: true, cfg: shortHeader,
			client: func(c *attacker) {
				c.send(text("OPTIONS * HTTP/1.1", "Host: a", "Content-Length: 10") + "1")
				c.readAll()
			},
			status: "200"},
		{name: "a scheme that cannot be fetched", scheme: "http",
			client: func(c *attacker) { c.send(text("GET ftp://user:secret@a.example/x HTTP/1.1", "Host: a")); c.readAll() },
			status: "400", gap: recorder.GapRefused, detail: "only http and https"},
		{name: "the proxy itself", scheme: "http",
			client: func(c *attacker) {
				c.send(text("GET http://"+c.house.address+"/x HTTP/1.1", "Host: a", "Connection: close"))
				c.readAll()
			},
			status: "508", gap: recorder.GapRefused, detail: "this proxy itself"},
	}
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

func (x *hostile) checkRecords(t *testing.T, all []record) {
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

// unusedAddress is one that nobody listens on.
func unusedAddress(t testing.TB) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}
