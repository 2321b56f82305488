package proxy

import (
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warcorder/certs"
	"warcorder/proxy/hosts"
	"warcorder/proxy/http1"
	"warcorder/proxy/route/routetest"
)

// take lets other settings count, which must be possible.
func (h *house) take(change func(*Config)) {
	h.t.Helper()
	cfg := *h.proxy.current().cfg
	change(&cfg)
	prepared, err := h.proxy.Prepare(cfg, h.authority)
	if err != nil {
		h.t.Fatal(err)
	}
	prepared.Take()
}

// get asks on an open connection, and returns the head of the answer; "" if there is none.
func (p *peer) get(target string, fields ...string) string {
	p.send(text(append([]string{"GET " + target + " HTTP/1.1", "Host: a"}, fields...)...))
	head := p.readHead()
	if strings.Contains(head, "Content-Length: ") {
		p.readN(contentLength(p.t, head))
	}
	return head
}

// denying is a set of hosts that nothing is fetched from.
func denying(t *testing.T, text string) hosts.Set {
	t.Helper()
	set, err := hosts.ParseSet(text)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// ends reports whether the other side ends a connection on which nothing comes any more.
func (p *peer) ends() bool {
	_, err := p.in.ReadByte()
	return err != nil && !isTimeout(err)
}

// TestReconfigurePool: a connection to an origin that was made by other settings serves no request by
// these, if it could lead elsewhere or be another's; else it does.
func TestReconfigurePool(t *testing.T) {
	parent := routetest.HTTP(t, nil, "", "")
	pemFile, _ := writeClientCert(t, nil)
	for _, c := range []struct {
		name   string
		change func(*Config)
		same   bool
	}{
		{"nothing", func(*Config) {}, true},
		{"timeouts and limits", func(cfg *Config) {
			cfg.Timeout.Connect, cfg.MaxBodySize, cfg.MaxConnections = time.Second, 1<<20, 100
		}, true},
		{"no-record", func(cfg *Config) { cfg.NoRecord = hosts.List{All: true} }, true},
		{"upstream", func(cfg *Config) { cfg.Upstream = byWay(t, parent.URL("http")).Upstream }, false},
		{"insecure-upstream", func(cfg *Config) {
			cfg.InsecureUpstream = hosts.List{Hosts: []string{"127.0.0.1"}}
		}, false},
		{"upstream-ca", func(cfg *Config) { cfg.UpstreamCA = pemFile }, false},
		{"deny", func(cfg *Config) { cfg.Deny = denying(t, "@metadata") }, false},
	} {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, " ", secure), func(t *testing.T) {
				t.Parallel()
				h, o := newHouse(t, config()), newOrigin(t, secure, each(numbered(1)))
				client, prefix := h.to(o, secure)
				wantFault(t, client.get(prefix+"/"), "200", "")
				h.untilIdle(1)
				h.take(c.change)
				wantFault(t, client.get(prefix+"/"), "200", "")
				if n := len(o.connections()); (n == 1) != c.same {
					t.Errorf("%d connections to the origin", n)
				}
			})
		}
	}
}

// TestReconfigureBound: a connection to an origin that is one client's own is closed with the pool of
// its settings.
func TestReconfigureBound(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, each(text("HTTP/1.1 200 OK", "Content-Length: 0",
		"WWW-Authenticate: Negotiate abc=")))
	client := h.dial()
	for range 2 {
		wantFault(t, client.get("http://"+o.address+"/", "Authorization: Negotiate abc="), "200", "")
	}
	if n := len(o.connections()); n != 1 {
		t.Fatalf("%d connections", n)
	}
	h.take(func(cfg *Config) { cfg.InsecureUpstream = hosts.List{} })
	wantFault(t, client.get("http://"+o.address+"/", "Authorization: Negotiate abc="), "200", "")
	if n := len(o.connections()); n != 2 {
		t.Errorf("%d connections, want another one", n)
	}
}

// TestReconfigureRequests: what settings say of requests counts for the next one of a connection that
// is open, and not for the one that is under way.
func TestReconfigureRequests(t *testing.T) {
	fat := "X: " + strings.Repeat("x", 4<<10)
	for _, c := range []struct {
		name         string
		fields       []string
		change       func(*Config)
		before, then string // status
		sent         string // in what the origin gets then
	}{
		{"deny", nil, func(cfg *Config) { cfg.Deny = denying(t, "@loopback") }, "200", "403", ""},
		{"max-header-size", []string{fat}, func(cfg *Config) { cfg.MaxHeaderSize = 2 << 10 }, "200", "431", ""},
		{"max-body-size", []string{"Content-Length: 0"}, func(cfg *Config) { cfg.MaxBodySize = 1 }, "200", "200",
			""},
		{"codings", []string{"Accept-Encoding: gzip, zstd"},
			func(cfg *Config) { cfg.Codings = http1.Codings{Any: true} }, "200", "200", "gzip, zstd"},
		{"anticache", []string{`If-None-Match: "x"`}, func(cfg *Config) { cfg.Anticache = "never" }, "200",
			"200", `If-None-Match: "x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := config()
			cfg.Anticache = "always"
			h, o := newHouse(t, cfg), newOrigin(t, false, each(numbered(1)))
			client := h.dial()
			wantFault(t, client.get("http://"+o.address+"/", c.fields...), c.before, "")
			seen := o.connections()[0].seen.String()
			if c.sent != "" && strings.Contains(seen, c.sent) {
				t.Errorf("the origin got %q", seen)
			}
			h.take(c.change)
			wantFault(t, client.get("http://"+o.address+"/", c.fields...), c.then, "")
			if all := o.connections()[0].seen.String(); !strings.Contains(all, c.sent) {
				t.Errorf("the origin got %q", all)
			}
		})
	}
}

// TestReconfigureTimeouts: the next head has the new time to come, in tunnels and to our own pages too.
func TestReconfigureTimeouts(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, each(numbered(1)))
	client := h.dial()
	wantFault(t, client.get("http://"+o.address+"/"), "200", "")
	h.take(func(cfg *Config) { cfg.Timeout.Header = 100 * time.Millisecond })
	client.send("GET http://" + o.address + "/ HTTP/1.1\r\n")
	wantFault(t, client.readHead(), "408", "")
	front := h.dial()
	front.send("GET / HTTP/1.1\r\n") // net/http's
	if !front.ends() {
		t.Error("the front door waits on")
	}
	wantFault(t, h.dial().get("/status"), "200", "")
}

// TestReconfigureAuthority: who connects from then on gets a leaf of the new authority; what is open
// goes on.
func TestReconfigureAuthority(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, true, each(numbered(1)))
	old := h.tunnel(o.address, true)
	wantFault(t, old.get("/"), "200", "")
	other, err := certs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h.authority = other
	h.take(func(*Config) {})
	wantFault(t, h.tunnel(o.address, true).get("/"), "200", "")
	wantFault(t, old.get("/"), "200", "")
}

// withWaitingWhole makes a proxy in which a whole of an origin waits for an hour.
func withWaitingWhole(t *testing.T) (*house, *library) {
	t.Helper()
	cfg := config()
	cfg.Complete.Quiet, cfg.Complete.Within = time.Hour, time.Hour
	h, o := newHouse(t, cfg), newLibrary(t, false, film)
	h.fetch(o.originServer, false, "/", aPart)
	until(t, "the whole waits", func() bool { return h.proxy.Completions().Waiting == 1 })
	return h, o
}

// TestReconfigureCompletion: a whole that waits is asked for by the way that counts then.
func TestReconfigureCompletion(t *testing.T) {
	parent := routetest.HTTP(t, nil, "", "")
	h, _ := withWaitingWhole(t)
	h.take(func(cfg *Config) {
		cfg.Upstream = byWay(t, parent.URL("http")).Upstream
		cfg.Complete.Quiet, cfg.Complete.Within = 0, 0
	})
	h.untilCompleted(1, 0)
	if len(parent.Seen()) == 0 {
		t.Error("it was asked for by the old way")
	}
}

// TestReconfigureUnwanted: a whole that waits is not asked for, if by now nothing of its host is to
// be recorded, or none is wanted.
func TestReconfigureUnwanted(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no-record": func(cfg *Config) { cfg.NoRecord = hosts.List{Hosts: []string{"127.0.0.1"}} },
		"complete":  func(cfg *Config) { cfg.Complete.What = completeNever },
	} {
		t.Run(name, func(t *testing.T) {
			h, o := withWaitingWhole(t)
			h.take(func(cfg *Config) {
				change(cfg)
				cfg.Complete.Quiet, cfg.Complete.Within = 0, 0
			})
			h.untilCompleted(0, 1)
			if n := len(o.wholes()); n > 0 {
				t.Errorf("%d wholes were asked for", n)
			}
		})
	}
}

// TestReconfigureRefused: settings that cannot be meant change nothing.
func TestReconfigureRefused(t *testing.T) {
	h := newHouse(t, config())
	was := h.proxy.current()
	for name, change := range map[string]func(*Config){
		"timeout":         func(cfg *Config) { cfg.Timeout.Idle = 0 },
		"max-connections": func(cfg *Config) { cfg.MaxConnections = 0 },
		"upstream-ca":     func(cfg *Config) { cfg.UpstreamCA = "/no/such/file" },
		"client-certs": func(cfg *Config) {
			cfg.ClientCerts = []ClientCert{{Host: "a.test", Cert: "/no/such/file"}}
		},
	} {
		cfg := *was.cfg
		change(&cfg)
		if _, err := h.proxy.Prepare(cfg, h.authority); err == nil || h.proxy.current() != was {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReconfigureUnderLoad: while clients ask on connections that they keep, settings change again and
// again. Every request is answered on the connection that it was sent on, and recorded.
func TestReconfigureUnderLoad(t *testing.T) {
	const clients, each = 6, 60
	h := newHouse(t, config())
	plain, secure := newOrigin(t, false, answering), newOrigin(t, true, answering)
	ways := []Config{config(), byWay(t, routetest.HTTP(t, nil, "", "").URL("http"))}
	var all sync.WaitGroup
	var answered atomic.Int64
	came := make(chan struct{}, clients*each)
	for n := range clients {
		client, prefix := h.to(plain, false)
		if n%2 == 0 {
			client, prefix = h.to(secure, true)
		}
		all.Go(func() {
			for i := range each {
				if head := client.get(fmt.Sprintf("%s/%d/%d", prefix, n, i)); strings.HasPrefix(head,
					"HTTP/1.1 200 ") {
					answered.Add(1)
				}
				came <- struct{}{}
			}
		})
	}
	for n := range clients * each {
		if <-came; n%5 != 0 {
			continue
		}
		h.take(func(cfg *Config) {
			cfg.Upstream = ways[n/5%2].Upstream
			cfg.Timeout.Header = time.Duration(10+n%3) * time.Second
			cfg.Deny, cfg.MaxConnections = hosts.Set{}, 100+n
			if n%2 == 0 {
				cfg.Deny = denying(t, "@metadata")
			}
			cfg.MaxHeaderMemory = int64(n+100) << 20
		})
	}
	all.Wait()
	if n := answered.Load(); n != clients*each {
		t.Errorf("%d requests were answered, of %d", n, clients*each)
	}
	h.close()
	if left := h.proxy.memory.left.Load(); left != h.proxy.current().cfg.MaxHeaderMemory {
		t.Errorf("%d bytes for heads are left of %d", left, h.proxy.current().cfg.MaxHeaderMemory)
	}
	records := h.records()
	if n := len(of(records, "request")); n != clients*each {
		t.Errorf("%d are recorded, of %d", n, clients*each)
	}
}

// TestReconfigureLeavesNothing: what was replaced is gone: goroutines and connections are as many as
// after the first change.
func TestReconfigureLeavesNothing(t *testing.T) {
	h, o := newHouse(t, config()), newOrigin(t, false, each(numbered(1)))
	client := h.dial()
	change := func(n int) {
		h.take(func(cfg *Config) {
			cfg.Timeout.Header = time.Duration(10+n) * time.Second                 // another front
			cfg.InsecureUpstream = hosts.List{Hosts: []string{fmt.Sprint("h", n)}} // another pool
			cfg.Users = asking(t, "anna:secret").Users                             // another door
		})
		wantFault(t, client.get("http://"+o.address+"/", shows("anna:secret")), "200", "")
		until(t, "the old front is gone", h.proxy.hasOneFront)
	}
	change(0)
	before := runtime.NumGoroutine()
	for n := range 100 {
		change(n + 1)
	}
	until(t, "goroutines are as many as before", func() bool { return runtime.NumGoroutine() <= before+2 })
	open := 0
	for _, one := range o.connections() {
		one.conn.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		if _, err := one.conn.Read(make([]byte, 1)); err != nil {
			if n, is := err.(net.Error); is && n.Timeout() {
				open++
			}
		}
	}
	if open > 1 {
		t.Errorf("%d connections to the origin are open", open)
	}
}

// hasOneFront reports that no front is there any more that was replaced.
func (p *Proxy) hasOneFront() bool {
	p.changing.Lock()
	defer p.changing.Unlock()
	return len(p.retired) == 0
}

// TestReconfigureFront: a request that net/http is about to read is answered though another front
// takes its place meanwhile.
func TestReconfigureFront(t *testing.T) {
	h := newHouse(t, config())
	client := h.dial()
	client.send("GET /status HTTP/1.1\r\n") // the front has it, and waits for more
	until(t, "the front has it", func() bool { return h.proxy.front.open.Load() == 2 })
	h.take(func(cfg *Config) { cfg.Timeout.Header = 9 * time.Second })
	if h.proxy.hasOneFront() {
		t.Error("the old front is gone")
	}
	client.send("Host: 127.0.0.1\r\n\r\n")
	wantFault(t, client.readHead(), "200", "")
	client.conn.Close()
	until(t, "the old front is gone", h.proxy.hasOneFront)
}

// TestReconfigureAtTheEnd: settings that come while the proxy ends change nothing, and it ends.
func TestReconfigureAtTheEnd(t *testing.T) {
	h := newHouse(t, config())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for n := range 200 {
			cfg := *h.proxy.current().cfg
			cfg.Timeout.Header = time.Duration(n+1) * time.Second
			if prepared, err := h.proxy.Prepare(cfg, h.authority); err == nil {
				prepared.Take()
			}
		}
	}()
	h.close()
	<-ended
}
