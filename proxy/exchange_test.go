package proxy

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"warcorder/proxy/http1/http1test"
	"warcorder/recorder"
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
		"sized":       {text("HTTP/1.1 200 OK", "Content-Length: 10") + "first", "later"},
		"chunked":     {text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "5\r\nfirst\r\n", "5\r\nlater\r\n0\r\n\r\n"},
		"half chunk":  {text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "a\r\nfirst", "later\r\n0\r\n\r\n"},
		"until close": {text("HTTP/1.0 200 OK") + "first", "later"},
		"events":      {text("HTTP/1.1 200 OK", "Content-Type: text/event-stream") + "data: first\n\n", "data: later\n\n"},
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

// TestUploadStreams: the origin has the first half of an upload before the client sends the second.
func TestUploadStreams(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		arrived := make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.readN(5)
			close(arrived)
			o.readN(5)
			o.send(text("HTTP/1.1 200 OK", "Content-Length: 0"))
			o.readAll()
		})
		client, prefix := h.to(o, secure)
		client.send(text("POST "+prefix+"/ HTTP/1.1", "Host: a", "Content-Length: 10") + "first")
		<-arrived
		client.send("later")
		if head := client.readHead(); !strings.HasPrefix(head, "HTTP/1.1 200") {
			t.Errorf("%q", head)
		}
	})
}

func TestClientGoesAway(t *testing.T) {
	head := text("HTTP/1.1 200 OK", "Content-Length: 10")
	t.Run("before the first byte, cut", func(t *testing.T) {
		onBothSchemes(t, func(t *testing.T, secure bool) {
			h := newHouse(t, config())
			asked, ended := make(chan struct{}), make(chan struct{})
			o := newOrigin(t, secure, func(o *peer) {
				o.readHead()
				close(asked)
				o.readAll() // ends when the proxy gives up the fetch
				close(ended)
			})
			client, prefix := h.to(o, secure)
			client.send(text("GET "+prefix+"/poll HTTP/1.1", "Host: a"))
			<-asked
			client.conn.Close()
			<-ended
			all := h.records()
			if len(of(all, "response")) != 0 || len(of(all, "request")) != 1 {
				t.Errorf("%d responses and %d requests, want 0 and 1", len(of(all, "response")),
					len(of(all, "request")))
			}
		})
	})
	t.Run("in the body, cut", func(t *testing.T) {
		onBothSchemes(t, func(t *testing.T, secure bool) {
			h := newHouse(t, config())
			ended := make(chan struct{})
			o := newOrigin(t, secure, func(o *peer) {
				o.readHead()
				o.send(head + "first")
				o.readAll()
				close(ended)
			})
			client, prefix := h.to(o, secure)
			client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
			client.readUntil(len(head) + 5)
			client.conn.Close()
			<-ended
			responses := of(h.records(), "response")
			if len(responses) != 1 || string(responses[0].block) != head+"first" ||
				responses[0].header.Get("WARC-Truncated") != "disconnect" {
				t.Errorf("%q", responses)
			}
		})
	})
	t.Run("in the body, finish", func(t *testing.T) {
		onBothSchemes(t, func(t *testing.T, secure bool) {
			cfg := config()
			cfg.OnClientAbort = "finish"
			h := newHouse(t, cfg)
			gone := make(chan struct{})
			o := newOrigin(t, secure, func(o *peer) {
				o.readHead()
				o.send(head + "first")
				<-gone
				for _, c := range "later" { // piece by piece, so that a write to the client fails
					o.send(string(c))
				}
				o.readAll()
			})
			client, prefix := h.to(o, secure)
			client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
			client.readUntil(len(head) + 5)
			client.conn.Close()
			close(gone)
			responses := of(h.records(), "response")
			if len(responses) != 1 || string(responses[0].block) != head+"firstlater" ||
				responses[0].header.Get("WARC-Truncated") != "" {
				t.Errorf("%q", responses)
			}
		})
	})
	t.Run("in the upload", func(t *testing.T) {
		onBothSchemes(t, func(t *testing.T, secure bool) {
			h := newHouse(t, config())
			begun, ended := make(chan struct{}), make(chan struct{})
			o := newOrigin(t, secure, func(o *peer) {
				o.readHead()
				o.readN(5)
				close(begun)
				o.readAll()
				close(ended)
			})
			client, prefix := h.to(o, secure)
			client.send(text("POST "+prefix+"/ HTTP/1.1", "Host: a", "Content-Length: 10") + "first")
			<-begun
			client.conn.Close()
			<-ended
			requests := of(h.records(), "request")
			if len(requests) != 1 || !strings.HasSuffix(string(requests[0].block), "\r\n\r\nfirst") {
				t.Errorf("%q", requests)
			}
		})
	})
}

// TestFaults: the client is told what is wrong with the origin, in a page, on both schemes.
func TestFaults(t *testing.T) {
	silent := func(o *peer) { o.readAll() }
	strict := config()
	strict.InsecureUpstream = HostList{}
	hurried := config()
	hurried.Timeout.FirstByte = 300 * time.Millisecond
	for name, c := range map[string]struct {
		cfg        Config
		origin     func(*peer)
		onlySecure bool
		status     string
		why        string
	}{
		"closed without a byte": {cfg: config(), origin: func(o *peer) { o.readHead() }, status: "502",
			why: "closed the connection"},
		"no first byte": {cfg: hurried, origin: silent, status: "504", why: "timeout-first-byte"},
		"certificate": {cfg: strict, origin: silent, onlySecure: true, status: "502",
			why: "certificate of 127.0.0.1:"},
		"CL with TE": {cfg: config(), status: "502", why: "both Content-Length and Transfer-Encoding",
			origin: func(o *peer) {
				o.readHead()
				o.send(text("HTTP/1.1 200 OK", "Content-Length: 3", "Transfer-Encoding: chunked"))
				o.readAll()
			}},
		"not HTTP": {cfg: config(), status: "502", why: "status line",
			origin: func(o *peer) { o.readHead(); o.send("SSH-2.0-nothing\r\n\r\n"); o.readAll() }},
		"101 unasked": {cfg: config(), status: "502", why: "asked for no upgrade",
			origin: func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 101 Switching")); o.readAll() }},
		"head too large": {cfg: config(), status: "502", why: "max-header-size",
			origin: func(o *peer) {
				o.readHead()
				o.send("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20))
				o.readAll()
			}},
	} {
		t.Run(name, func(t *testing.T) {
			onBothSchemes(t, func(t *testing.T, secure bool) {
				if c.onlySecure && !secure {
					return
				}
				h := newHouse(t, c.cfg)
				o := newOrigin(t, secure, c.origin)
				client, prefix := h.to(o, secure)
				client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a", "Connection: close"))
				wantFault(t, client.readAll(), c.status, c.why)
				if responses := of(h.records(), "response"); len(responses) != 0 {
					t.Errorf("a response is recorded: %q", responses[0].block)
				}
			})
		})
	}
}

func wantFault(t testing.TB, page, status, why string) {
	t.Helper()
	if !strings.HasPrefix(page, "HTTP/1.1 "+status+" ") || !strings.Contains(page, why) {
		t.Errorf("got %.400q, want %s and %q", page, status, why)
	}
}

func TestRefusedConnection(t *testing.T) {
	h := newHouse(t, config())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	ln.Close()
	client := h.dial()
	client.send(text("GET http://"+address+"/ HTTP/1.1", "Host: a"))
	if head := client.readHead(); !strings.HasPrefix(head, "HTTP/1.1 502") ||
		!strings.Contains(head, "keep-alive") {
		t.Errorf("%q", head)
	}
	tunnel := h.tunnel(address, true)
	tunnel.send(text("GET / HTTP/1.1", "Host: a", "Connection: close", "Accept: text/html"))
	wantFault(t, tunnel.readAll(), "502", "<p>"+address+" refused the connection.")
}

func TestNotTLSBehindAnHTTPSTunnel(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false,
		func(o *peer) { o.send("hello, I speak first and no TLS\r\n"); o.readAll() })
	client := h.tunnel(o.address, true)
	client.send(text("GET / HTTP/1.1", "Host: a", "Connection: close"))
	wantFault(t, client.readAll(), "502", "TLS handshake")
}

func TestTheProxyItselfAsTarget(t *testing.T) {
	h := newHouse(t, config())
	_, port, _ := net.SplitHostPort(h.address)
	for _, host := range []string{h.address, "localhost:" + port, "0.0.0.0:" + port} {
		client := h.dial()
		client.send(text("GET http://"+host+"/ HTTP/1.1", "Host: a", "Connection: close"))
		wantFault(t, client.readAll(), "508", "this proxy itself")
	}
}

// TestAmbiguousRequestsNeverReachTheOrigin: neither the request nor what was hidden behind it.
func TestAmbiguousRequestsNeverReachTheOrigin(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, func(o *peer) { o.readAll() })
	for name, fields := range http1test.Smuggled {
		t.Run(name, func(t *testing.T) {
			client := h.dial()
			client.send(
				string(
					http1test.Head(append([]string{"POST http://" + o.address + "/ HTTP/1.1", "Host: a"}, fields...)...),
				) + "0\r\n\r\nGET /hidden HTTP/1.1\r\n\r\n",
			)
			wantFault(t, client.readAll(), "400", "refused")
		})
	}
	if n := len(o.connections()); n != 0 {
		t.Errorf("%d connections to the origin", n)
	}
	if log := h.log.String(); !strings.Contains(log, "Transfer-Encoding: chunked") ||
		strings.Contains(log, "Host: a") {
		t.Errorf("the log holds no evidence, or too much:\n%s", log)
	}
}

func TestBadChunkInAnUpload(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		o := newOrigin(t, secure, func(o *peer) { o.readAll() })
		client, prefix := h.to(o, secure)
		client.send(
			text("POST "+prefix+"/ HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") + "3\r\nabc\r\n")
		client.send("zz\r\nGET /hidden HTTP/1.1\r\n\r\n")
		wantFault(t, client.readAll(), "400", "chunk")
		h.close()
		o.close()
		for _, p := range o.connections() {
			if strings.Contains(p.seen.String(), "hidden") {
				t.Errorf("the origin saw %q", p.seen.String())
			}
		}
	})
}

// TestKeptConnectionDies: what can be asked again is asked again, once; a POST is not.
func TestKeptConnectionDies(t *testing.T) {
	for _, c := range []struct {
		method, status string
		connections    int
	}{{"GET", "200", 2}, {"POST", "502", 1}} {
		t.Run(c.method, func(t *testing.T) {
			onBothSchemes(t, func(t *testing.T, secure bool) {
				h := newHouse(t, config())
				var once sync.Once
				o := newOrigin(t, secure, func(o *peer) {
					o.readHead()
					o.send(numbered(0))
					dies := false
					once.Do(func() { dies = true })
					if dies {
						o.readHead()
						return // without a byte
					}
					o.readAll()
				})
				client, prefix := h.to(o, secure)
				client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
				client.readUntil(len(numbered(0)))
				client.send(text(c.method+" "+prefix+"/again HTTP/1.1", "Host: a", "Content-Length: 0"))
				if head := client.readHead(); !strings.HasPrefix(head, "HTTP/1.1 "+c.status) {
					t.Errorf("%q", head)
				}
				if n := len(o.connections()); n != c.connections {
					t.Errorf("%d connections, want %d", n, c.connections)
				}
			})
		})
	}
}

func TestProxyFields(t *testing.T) {
	for name, c := range map[string]struct{ sent, seen []string }{
		"authorization goes": {[]string{"A: 1", "proxy-authorization: Basic eA==", "B: 2"}, []string{"A: 1", "B: 2"}},
		"with its fold": {[]string{"A: 1", "Proxy-Authorization: Basic", " eA==", "B: 2"},
			[]string{"A: 1", "B: 2"}},
		"oddly spelled": {[]string{"Proxy-Authorization : Basic eA==", "B: 2"}, []string{"B: 2"}},
		"connection is renamed": {[]string{"A: 1", "Proxy-Connection: keep-alive", "B: 2"},
			[]string{"A: 1", "Connection: keep-alive", "B: 2"}},
		"or goes beside the other": {[]string{"Connection: keep-alive", "Proxy-Connection: keep-alive"},
			[]string{"Connection: keep-alive"}},
		"a value is no proxy field": {[]string{"A: Proxy-Authorization: x"}, []string{"A: Proxy-Authorization: x"}},
		"nor is a folded line of it": {[]string{"A: 1", " Proxy-Authorization: x"},
			[]string{"A: 1", " Proxy-Authorization: x"}},
	} {
		t.Run(name, func(t *testing.T) {
			onBothSchemes(t, func(t *testing.T, secure bool) {
				h := newHouse(t, config())
				served := make(chan *peer, 1)
				o := newOrigin(t, secure, func(o *peer) {
					o.readHead()
					o.send(numbered(1))
					served <- o
					o.readAll()
				})
				client, prefix := h.to(o, secure)
				client.send(text(append([]string{"GET " + prefix + "/ HTTP/1.1"}, c.sent...)...))
				client.readUntil(len(numbered(1)))
				origin := <-served
				all := h.records()
				o.close()
				want := text(append([]string{"GET / HTTP/1.1"}, c.seen...)...)
				if got := origin.seen.String(); got != want {
					t.Errorf("the origin saw %q, want %q", got, want)
				}
				if got := string(of(all, "request")[0].block); got != want {
					t.Errorf("the record holds %q, want %q", got, want)
				}
			})
		})
	}
}

// TestPlainHTTPInATunnel, with the request right behind the CONNECT's head.
func TestPlainHTTPInATunnel(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, func(o *peer) { o.readHead(); o.send(numbered(7)); o.readAll() })
	client := h.dial()
	client.send(
		text("CONNECT "+o.address+" HTTP/1.1", "Host: a") + text("GET /plain HTTP/1.1", "Host: a"))
	client.readHead()
	if got := client.readN(len(numbered(7))); got != numbered(7) {
		t.Errorf("%q", got)
	}
	responses := of(h.records(), "response")
	if len(responses) != 1 ||
		responses[0].header.Get("WARC-Target-URI") != "http://"+o.address+"/plain" {
		t.Errorf("%v", responses)
	}
}

// TestUpgrade: the handshake is recorded, then bytes pass both ways, those included that follow a
// head at once.
func TestUpgrade(t *testing.T) {
	handshake := text("HTTP/1.1 101 Switching Protocols", "Upgrade: echo", "Connection: Upgrade")
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.send(handshake + "early from the origin")
			io.Copy(o.conn, o.in) // echo
		})
		client, prefix := h.to(o, secure)
		request := text("GET "+prefix+"/ws HTTP/1.1", "Host: a", "Upgrade: echo", "Connection: Upgrade")
		client.send(request + "early from the client")
		if got := client.readHead(); got != handshake {
			t.Errorf("%q", got)
		}
		if got := client.readN(42); got != "early from the originearly from the client" {
			t.Errorf("%q", got)
		}
		client.send("and later")
		if got := client.readN(9); got != "and later" {
			t.Errorf("%q", got)
		}
		client.conn.Close()
		all := h.records()
		if r := of(all, "response"); len(r) != 1 || string(r[0].block) != handshake {
			t.Errorf("response: %q", r)
		}
		if r := of(all, "request"); len(r) != 1 ||
			!strings.HasSuffix(string(r[0].block), "Connection: Upgrade\r\n\r\n") {
			t.Errorf("request: %q", r)
		}
	})
}

// TestEarlyAnswer: the origin refuses an upload while the client is still sending; the client gets
// the whole answer.
func TestEarlyAnswer(t *testing.T) {
	answer := text("HTTP/1.1 413 Content Too Large", "Content-Length: 3", "Connection: close") + "big"
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.send(answer)
		})
		client, prefix := h.to(o, secure)
		client.send(text("POST "+prefix+"/ HTTP/1.1", "Host: a", "Content-Length: 1000000000"))
		go func() {
			piece := strings.Repeat("x", 1<<16)
			for range 64 {
				if _, err := io.WriteString(client.conn, piece); err != nil {
					return
				}
			}
		}()
		client.readUntil(len(answer))
		if got := client.seen.String(); got != answer {
			t.Errorf("%q", got)
		}
		client.conn.Close()
		if r := of(h.records(), "response"); len(r) != 1 || string(r[0].block) != answer {
			t.Errorf("%q", r)
		}
	})
}

// TestExpectationFailed: after a final answer in place of 100 Continue the client may not send the
// body; the connection ends, so that nobody takes a next request for a body.
func TestExpectationFailed(t *testing.T) {
	h := newHouse(t, config())
	answer := text("HTTP/1.1 417 Expectation Failed", "Content-Length: 0")
	o := newOrigin(t, false, func(o *peer) { o.readHead(); o.send(answer); o.readAll() })
	client := h.dial()
	client.send(
		text(
			"POST http://"+o.address+"/ HTTP/1.1",
			"Host: a",
			"Expect: 100-continue",
			"Content-Length: 5",
		),
	)
	if got := client.readAll(); got != answer {
		t.Errorf("%q", got)
	}
}

// TestUpstreamConnectionsAreShared between clients, but for those that authenticate the connection.
func TestUpstreamConnectionsAreShared(t *testing.T) {
	for _, c := range []struct {
		name, field string
		connections int
	}{{"shared", "Authorization: Basic eA==", 1}, {"NTLM", "Authorization: NTLM TlRM", 2}} {
		t.Run(c.name, func(t *testing.T) {
			onBothSchemes(t, func(t *testing.T, secure bool) {
				h := newHouse(t, config())
				o := newOrigin(t, secure, func(o *peer) {
					for o.readHead() != "" {
						o.send(numbered(1))
					}
				})
				first, prefix := h.to(o, secure)
				second, _ := h.to(o, secure)
				for range 3 {
					for _, client := range []*peer{first, second} {
						client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a", c.field))
						if got := client.readN(len(numbered(1))); got != numbered(1) {
							t.Errorf("%q", got)
						}
						if c.connections == 1 {
							h.untilIdle(1)
						}
					}
				}
				if n := len(o.connections()); n != c.connections {
					t.Errorf("%d connections, want %d", n, c.connections)
				}
			})
		})
	}
}

// untilIdle waits until n connections to origins are kept: a client may have its answer a moment
// before.
func (h *house) untilIdle(n int) {
	h.t.Helper()
	u := h.proxy.upstreams
	for deadline := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		u.mu.Lock()
		count := u.count
		u.mu.Unlock()
		if count == n {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("%d connections are kept, want %d", count, n)
		}
	}
}

func TestTimeouts(t *testing.T) {
	head := text("HTTP/1.1 200 OK", "Content-Length: 10")
	t.Run("idle in the body", func(t *testing.T) {
		cfg := config()
		cfg.Timeout.Idle = 400 * time.Millisecond
		h := newHouse(t, cfg)
		o := newOrigin(t, false, func(o *peer) { o.readHead(); o.send(head + "first"); o.readAll() })
		client := h.dial()
		client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
		client.readAll()
		if r := of(h.records(), "response"); len(r) != 1 || r[0].header.Get("WARC-Truncated") != "time" {
			t.Errorf("%q", r)
		}
	})
	t.Run("total", func(t *testing.T) {
		cfg := config()
		cfg.Timeout.Total = 400 * time.Millisecond
		h := newHouse(t, cfg)
		ended := make(chan struct{})
		o := newOrigin(t, false, func(o *peer) {
			o.readHead()
			o.send(text("HTTP/1.1 200 OK"))
			for range time.Tick(20 * time.Millisecond) { // never idle
				if _, err := io.WriteString(o.conn, "x"); err != nil {
					close(ended)
					return
				}
			}
		})
		client := h.dial()
		client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
		client.readAll()
		<-ended
		if r := of(h.records(), "response"); len(r) != 1 || r[0].header.Get("WARC-Truncated") != "time" {
			t.Errorf("%q", r)
		}
	})
	t.Run("request head", func(t *testing.T) {
		cfg := config()
		cfg.Timeout.Header = 200 * time.Millisecond
		h := newHouse(t, cfg)
		client := h.dial()
		client.send("GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: a\r\n")
		wantFault(t, client.readAll(), "408", "timeout-header")
	})
	t.Run("request body", func(t *testing.T) {
		cfg := config()
		cfg.Timeout.Idle = 300 * time.Millisecond
		h := newHouse(t, cfg)
		o := newOrigin(t, false, func(o *peer) { o.readAll() })
		client := h.dial()
		client.send(
			text("POST http://"+o.address+"/ HTTP/1.1", "Host: a", "Content-Length: 10") + "first",
		)
		wantFault(t, client.readAll(), "408", "timeout-idle")
	})
}

func TestRequestHeadTooLarge(t *testing.T) {
	h := newHouse(t, config())
	client := h.dial()
	client.send("GET http://127.0.0.1:1/ HTTP/1.1\r\nX: " + strings.Repeat("x", 1<<20))
	wantFault(t, client.readAll(), "431", "max-header-size")
}

// TestOwnPages: a request in origin-form is for the proxy itself, also on a connection that was
// used as a proxy before.
func TestOwnPages(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, func(o *peer) { o.readHead(); o.send(numbered(1)); o.readAll() })
	client := h.dial()
	client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
	client.readUntil(len(numbered(1)))
	client.seen.Reset()
	client.send(text("GET /status HTTP/1.1", "Host: "+h.address))
	if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 200") ||
		!strings.HasSuffix(got, "admin /status") {
		t.Errorf("%q", got)
	}
	if n := len(of(h.records(), "response")); n != 1 {
		t.Errorf("%d responses are recorded, want the origin's one", n)
	}
}

func TestTargetURI(t *testing.T) {
	for target, want := range map[string]string{
		"http://user:secret@ADDRESS/a?b#c": "http://ADDRESS/a?b",
		"HTTP://ADDRESS":                   "http://ADDRESS/",
		"http://ADDRESS?q":                 "http://ADDRESS/?q",
		"http://ADDRESS/a b\xe9":           "http://ADDRESS/a%20b%E9",
	} {
		t.Run(target, func(t *testing.T) {
			h := newHouse(t, config())
			o := newOrigin(t, false, func(o *peer) { o.readHead(); o.send(numbered(1)); o.readAll() })
			client := h.dial()
			client.send(text("GET "+strings.ReplaceAll(target, "ADDRESS", o.address)+" HTTP/1.1", "Host: a"))
			client.readUntil(len(numbered(1)))
			if got := h.records()[0].header.Get("WARC-Target-URI"); got != strings.ReplaceAll(
				want,
				"ADDRESS",
				o.address,
			) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

func TestIPv6Origin(t *testing.T) {
	ln, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6 loopback: ", err)
	}
	defer ln.Close()
	h := newHouse(t, config())
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		o := newPeer(t, conn)
		o.readHead()
		o.send(numbered(1))
		o.readAll()
	}()
	client := h.tunnel(ln.Addr().String(), false)
	client.send(text("GET / HTTP/1.1", "Host: a"))
	client.readUntil(len(numbered(1)))
	r := of(h.records(), "response")[0]
	if r.header.Get("WARC-Target-URI") != "http://"+ln.Addr().String()+"/" ||
		r.header.Get("WARC-IP-Address") != "::1" {
		t.Errorf("%v", r.header)
	}
}

// TestShutdownFinishesWhatIsInFlight, and takes nothing new.
func TestShutdownFinishesWhatIsInFlight(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		release := make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.send(numbered(0)[:len(numbered(0))-1])
			<-release
			o.send("0")
			o.readAll()
		})
		client, prefix := h.to(o, secure)
		idle := h.dial()
		client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
		client.readHead()
		closed := make(chan struct{})
		go func() {
			h.close()
			close(closed)
		}()
		idle.readAll() // the idle connection ends at once
		// a connection that is just being accepted ends a moment earlier
		for deadline := time.Now().Add(10 * time.Second); ; {
			conn, err := net.Dial("tcp", h.address)
			if err != nil {
				break
			}
			conn.Close()
			if time.Now().After(deadline) {
				t.Fatal("it still accepts")
			}
		}
		close(release)
		if got := client.readAll(); got != "0" {
			t.Errorf("%q", got)
		}
		<-closed
		if r := of(h.records(), "response"); len(r) != 1 || string(r[0].block) != numbered(0) {
			t.Errorf("%q", r)
		}
	})
}

// TestShutdownIsBounded: what does not end is cut, and recorded as cut.
func TestShutdownIsBounded(t *testing.T) {
	cfg := config()
	cfg.OnClientAbort = "finish" // even then
	h := newHouse(t, cfg)
	o := newOrigin(t, true,
		func(o *peer) { o.readHead(); o.send(text("HTTP/1.1 200 OK") + "endless"); o.readAll() })
	client, _ := h.to(o, true)
	client.send(text("GET / HTTP/1.1", "Host: a"))
	client.readHead()
	client.readN(7)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	h.proxy.Shutdown(ctx)
	if gaps := h.gaps(); len(gaps) != 1 || gaps[0].Reason != recorder.GapCut ||
		gaps[0].Detail != "the recorder was stopped" {
		t.Errorf("gaps: %v", gaps)
	}
	if r := of(h.records(), "response"); len(r) != 1 ||
		r[0].header.Get("WARC-Truncated") != "disconnect" {
		t.Errorf("%v", r)
	}
}

// TestManyClients: 64 at once, on both schemes, every body its own; every exchange is recorded, and
// afterwards no goroutine and no descriptor is left.
func TestManyClients(t *testing.T) {
	descriptors := openDescriptors(t)
	h := newHouse(t, config())
	const clients, each = 64, 10
	answer := func(path string) string {
		body := strings.Repeat(path, 1+len(path)*40)
		return text("HTTP/1.1 200 OK", "Content-Type: text/plain",
			fmt.Sprintf("Content-Length: %d", len(body))) + body
	}
	script := func(o *peer) {
		for {
			head := o.readHead()
			if head == "" {
				return
			}
			o.send(answer(strings.Fields(head)[1]))
		}
	}
	origins := map[bool]*originServer{
		false: newOrigin(t, false, script),
		true:  newOrigin(t, true, script),
	}
	var running sync.WaitGroup
	for i := range clients {
		secure := i%2 == 0
		client, prefix := h.to(origins[secure], secure)
		running.Go(func() {
			for n := range each {
				path := fmt.Sprintf("/%d/%d", i, n)
				client.send(text("GET "+prefix+path+" HTTP/1.1", "Host: a"))
				if got := client.readN(len(answer(path))); got != answer(path) {
					t.Errorf("%s: %.100q", path, got)
				}
			}
			client.conn.Close()
		})
	}
	running.Wait()
	all := h.records()
	if r, q := len(of(all, "response")), len(of(all, "request")); r != clients*each ||
		q != clients*each {
		t.Errorf("%d responses and %d requests are recorded, want %d", r, q, clients*each)
	}
	for _, o := range origins {
		o.close()
	}
	wantNothingLeft(t)
	if left := openDescriptors(t); left > descriptors {
		t.Errorf("%d descriptors are open, %d were before", left, descriptors)
	}
}

// wantNothingLeft wants no goroutines of the proxy or the recorder, but for one that has done its
// work and is about to end; the test's own are passed over.
func wantNothingLeft(t *testing.T) {
	t.Helper()
	until(t, "no goroutine is left", func() bool {
		stacks := goroutinesLeft()
		if len(stacks) > 0 {
			t.Logf("left as yet:\n%s", strings.Join(stacks, "\n\n"))
		}
		return len(stacks) == 0
	})
}

func goroutinesLeft() (left []string) {
	var stacks strings.Builder
	pprof.Lookup("goroutine").WriteTo(&stacks, 2)
	for stack := range strings.SplitSeq(stacks.String(), "\n\n") {
		if strings.Contains(stack, "_test.go") {
			continue
		}
		if strings.Contains(stack, "warcorder/proxy.") || strings.Contains(stack, "warcorder/recorder.") {
			left = append(left, stack)
		}
	}
	return left
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here: ", err)
	}
	return len(entries)
}

// TestNothingPassesUnrecorded: while the archive cannot be written clients get 503; when it can
// again, they get answers.
func TestNothingPassesUnrecorded(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, func(o *peer) {
		for o.readHead() != "" {
			o.send(numbered(1))
		}
	})
	archive := filepath.Join(h.dir, "archive")
	if err := os.Rename(archive, archive+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	answered := 0
	ask := func() string {
		client := h.dial()
		defer client.conn.Close()
		client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
		status := client.readHead()
		if strings.HasPrefix(status, "HTTP/1.1 200") {
			answered++
		}
		return status
	}
	until := func(status string) {
		t.Helper()
		for deadline := time.Now().Add(20 * time.Second); !strings.HasPrefix(ask(), "HTTP/1.1 "+status); {
			if time.Now().After(deadline) {
				t.Fatalf("never %s", status)
			}
		}
	}
	until("503")
	if h.rec.Ready() == nil {
		t.Error("the recorder says that it is ready")
	}
	if gaps := h.gaps(); len(gaps) == 0 || gaps[0].Reason != recorder.GapRefused ||
		gaps[0].URL != "http://"+o.address+"/" ||
		!strings.Contains(gaps[0].Detail, "not recording") {
		t.Errorf("gaps: %v", gaps)
	}
	if err := os.Remove(archive); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(archive+".away", archive); err != nil {
		t.Fatal(err)
	}
	until("200")
	if n := len(of(h.records(), "response")); n != answered {
		t.Errorf("%d responses are recorded, %d were answered", n, answered)
	}
}

// TestDeadlinesOfTheLastExchange: on a connection that is used again nothing is left of how long
// the last answer could take.
func TestDeadlinesOfTheLastExchange(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		asked := make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			for i := range 3 {
				head := o.readHead()
				if i > 0 {
					asked <- struct{}{}
					<-asked
				}
				o.send(numbered(i))
				if strings.HasPrefix(head, "POST") {
					o.readN(10)
					asked <- struct{}{}
				}
			}
			o.readAll()
		})
		client, prefix := h.to(o, secure)
		client.send(text("GET "+prefix+"/0 HTTP/1.1", "Host: a"))
		client.readUntil(len(numbered(0)))
		client.send(text("GET "+prefix+"/1 HTTP/1.1", "Host: a"))
		<-asked
		time.Sleep(2 * glance) // the wait that is tested
		asked <- struct{}{}
		client.readUntil(2 * len(numbered(0)))
		time.Sleep(2 * glance)
		client.send(text("POST "+prefix+"/2 HTTP/1.1", "Host: a", "Content-Length: 10") + "first")
		<-asked
		asked <- struct{}{}
		client.readUntil(3 * len(numbered(0))) // the answer, before the body has ended
		client.send("later")
		<-asked
		if got, want := client.seen.String(), numbered(0)+numbered(1)+numbered(2); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		h.untilIdle(1)
		if n := len(o.connections()); n != 1 {
			t.Errorf("%d connections, want 1", n)
		}
	})
}

// TestOldestConnectionMakesRoom: when the pool is full the connection that has idled longest goes,
// and the lists stay whole.
func TestOldestConnectionMakesRoom(t *testing.T) {
	u := newUpstreams(&Config{}, newBudget(0), nil)
	defer u.close()
	u.most = 3
	peers := map[string]net.Conn{}
	put := func(host, name string) {
		near, far := tcpPair(t)
		peers[name] = far
		up := &upstream{origin: origin{host: host}, raw: near}
		up.conn = near
		var err error
		if up.socket, err = near.SyscallConn(); err != nil {
			t.Fatal(err)
		}
		u.put(up)
	}
	closed := func(name string) bool {
		peers[name].SetReadDeadline(time.Now().Add(10 * time.Second))
		_, err := peers[name].Read(make([]byte, 1))
		return err == io.EOF
	}
	put("a", "a1")
	put("b", "b1")
	put("a", "a2")
	put("c", "c1") // a1 goes
	if !closed("a1") || u.count != 3 {
		t.Fatalf("%d connections are kept", u.count)
	}
	if up := u.get(origin{host: "a"}); up == nil || u.count != 2 {
		t.Fatalf("a2 is not kept; %d are", u.count)
	}
	if u.get(origin{host: "a"}) != nil {
		t.Fatal("a third connection to a")
	}
	put("d", "d1")
	put("a", "a3") // b1 goes
	if !closed("b1") || u.get(origin{host: "b"}) != nil || u.count != 3 {
		t.Fatalf("%d connections are kept", u.count)
	}
	u.mu.Lock()
	for up := u.oldest; up != nil; up = up.newer {
		if up.origin.host == "c" {
			up.idleSince = time.Now().Add(-2 * idleUpstream)
		}
	}
	u.mu.Unlock()
	u.expire()
	if !closed("c1") || u.count != 2 || len(u.idle) != 2 {
		t.Fatalf("%d connections are kept in %d lists", u.count, len(u.idle))
	}
	if n := u.forgetIdle(); n != 2 || u.count != 0 || !closed("d1") || !closed("a3") {
		t.Errorf("%d connections were kept, %d still are", n, u.count)
	}
}

// tcpPair returns both ends of a connection.
func tcpPair(t *testing.T) (near *net.TCPConn, far net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if far, err = ln.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); far.Close() })
	return conn.(*net.TCPConn), far
}
