package proxy

import (
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/recorder"
)

// unrecorded is config with hosts that are not recorded.
func unrecorded(hosts ...string) Config {
	cfg := config()
	cfg.NoRecord.Hosts = hosts
	return cfg
}

// wantUnrecorded: there is no record, not even of the certificates, and no more than a count in the
// gap list.
func (h *house) wantUnrecorded(all []warcRecord, exchanges int) {
	h.t.Helper()
	if len(all) > 0 {
		h.t.Errorf("%d records: %q", len(all), all[0].block)
	}
	got, want := h.rec.Status().Gaps, map[string]int64{recorder.GapUnrecorded: int64(exchanges)}
	delete(got, recorder.GapPaused) // the time, if it was paused
	if !maps.Equal(got, want) {
		h.t.Errorf("gaps %v, want %v", got, want)
	}
}

// TestSomeHostsAreUnrecorded: of two names of one place one is recorded, and the name in the URL
// decides.
func TestSomeHostsAreUnrecorded(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, unrecorded("localhost", "*.example"))
		o := newOrigin(t, secure, func(o *peer) {
			for o.readHead() != "" {
				o.send(numbered(7))
			}
		})
		_, port, _ := net.SplitHostPort(o.address)
		ask := func(host string) {
			client, prefix := h.dial(), "http://"+host+":"+port
			if secure {
				client, prefix = h.tunnel(host+":"+port, true), ""
			}
			for range 3 {
				client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
			}
			if got := client.readN(3 * len(numbered(7))); got != strings.Repeat(numbered(7), 3) {
				t.Errorf("%q", got)
			}
			client.conn.Close()
		}
		ask("localhost")
		ask("127.0.0.1")
		ask("localhost")
		all := h.records()
		for _, r := range all {
			if uri := r.header.Get("WARC-Target-URI"); strings.Contains(uri, "localhost") {
				t.Errorf("a record of %s", uri)
			}
		}
		if n := len(of(all, "response")); n != 3 {
			t.Errorf("%d responses are recorded, want 3", n)
		}
		if got := h.rec.Status().Gaps[recorder.GapUnrecorded]; got != 6 {
			t.Errorf("%d exchanges are counted as unrecorded, want 6", got)
		}
	})
}

// TestTheNameInTLSDecides: it is the one in the URL, wherever the tunnel leads.
func TestTheNameInTLSDecides(t *testing.T) {
	for hidden, want := range map[string]int{"localhost": 0, "127.0.0.1": 1} {
		t.Run(hidden, func(t *testing.T) {
			h := newHouse(t, unrecorded(hidden))
			o := newOrigin(t, true, func(o *peer) { o.readHead(); o.send(numbered(1)); o.readAll() })
			p := h.tunnel(o.address, false)
			client := newPeer(t,
				tls.Client(p.conn, &tls.Config{ServerName: "LocalHost", InsecureSkipVerify: true}))
			client.send(text("GET / HTTP/1.1", "Host: 127.0.0.1"))
			client.readN(len(numbered(1)))
			client.conn.Close()
			if n := len(of(h.records(), "response")); n != want {
				t.Errorf("%d responses are recorded, want %d", n, want)
			}
		})
	}
}

// TestUnrecordedUpgrade: a tunnel behind a 101 is the exchange's own affair: it is no gap of its
// own.
func TestUnrecordedUpgrade(t *testing.T) {
	handshake := text("HTTP/1.1 101 Switching Protocols", "Upgrade: echo", "Connection: Upgrade")
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, unrecorded("127.0.0.1"))
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.send(handshake)
			io.Copy(o.conn, o.in) // echo
		})
		client, prefix := h.to(o, secure)
		client.send(
			text("GET "+prefix+"/ws HTTP/1.1", "Host: a", "Upgrade: echo", "Connection: Upgrade") + "early")
		if got := client.readN(len(handshake) + 5); got != handshake+"early" {
			t.Errorf("%q", got)
		}
		client.conn.Close()
		h.wantUnrecorded(h.records(), 1)
	})
}

// TestUnrecordedFaults: clients are told what they would be told else. The archive lacks nothing
// that it should have.
func TestUnrecordedFaults(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		cfg := unrecorded("127.0.0.1")
		cfg.MaxBodySize = 1000
		cfg.OnClientAbort = "finish" // for the archive; here for nobody
		h := newHouse(t, cfg)
		asked, ended := make(chan struct{}), make(chan struct{})
		o := newOrigin(t, secure, func(o *peer) {
			switch head := o.readHead(); {
			case strings.Contains(head, "/twice"):
				o.send(text("HTTP/1.1 200 OK", "Content-Length: 3", "Transfer-Encoding: chunked"))
			case strings.Contains(head, "/slow"):
				close(asked)
				o.send("HTTP/1.1 2")
				o.readAll()
				close(ended)
			}
		})
		ask := func(request string) string {
			client, prefix := h.to(o, secure)
			client.send(strings.ReplaceAll(request, "TARGET", prefix))
			return client.readAll()
		}
		wantFault(t, ask(text("GET TARGET/nothing HTTP/1.1", "Host: a", "Connection: close")), "502",
			"closed the connection")
		wantFault(t, ask(text("GET TARGET/twice HTTP/1.1", "Host: a", "Connection: close")), "502",
			"both Content-Length")
		wantFault(t, ask(text("POST TARGET/long HTTP/1.1", "Host: a", "Content-Length: 1001")), "413",
			"max-body-size")
		client, prefix := h.to(o, secure)
		client.send(text("GET "+prefix+"/slow HTTP/1.1", "Host: a"))
		<-asked
		client.conn.Close()
		<-ended
		o.close()
		wantFault(t, ask(text("GET TARGET/ HTTP/1.1", "Host: a", "Connection: close")), "502",
			"refused the connection")
		h.wantUnrecorded(h.records(), 3)
	})
}

// TestUnrecordedWhileNothingCanBeWritten: the state of the archive is nothing to exchanges that are
// not for it.
func TestUnrecordedWhileNothingCanBeWritten(t *testing.T) {
	h := newHouse(t, unrecorded("localhost"))
	o := newOrigin(t, false, func(o *peer) {
		for o.readHead() != "" {
			o.send(numbered(1))
		}
	})
	_, port, _ := net.SplitHostPort(o.address)
	archive := filepath.Join(h.dir, "archive")
	if err := os.Rename(archive, archive+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(host string) string {
		client := h.dial()
		defer client.conn.Close()
		client.send(text("GET http://"+host+":"+port+"/ HTTP/1.1", "Host: a", "Connection: close"))
		return client.readHead()
	}
	until(t, "a 503", func() bool { return strings.HasPrefix(ask("127.0.0.1"), "HTTP/1.1 503") })
	if head := ask("localhost"); !strings.HasPrefix(head, "HTTP/1.1 200") || h.rec.Ready() == nil {
		t.Errorf("%q while the recorder is ready: %v", head, h.rec.Ready() == nil)
	}
	if err := os.Remove(archive); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(archive+".away", archive); err != nil {
		t.Fatal(err)
	}
}

// TestUnrecordedNames: what name servers say of an unrecorded host is not recorded either.
func TestUnrecordedNames(t *testing.T) {
	server := newNameServer(t)
	o := newOrigin(t, false, func(p *peer) {
		p.readHead()
		p.send(text("HTTP/1.1 200 OK", "Connection: close", "Content-Length: 0"))
	})
	_, port, _ := net.SplitHostPort(o.address)
	cfg := unrecorded("site.test")
	cfg.RecordDNS = true
	cfg.Resolver = server.servers()
	h := newHouse(t, cfg)
	client := h.dial()
	client.send(text(fmt.Sprintf("GET http://site.test:%s/ HTTP/1.1", port), "Host: site.test"))
	if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("%q", got)
	}
	h.wantUnrecorded(h.records(), 1)
	server.mu.Lock()
	defer server.mu.Unlock()
	if len(server.asked) == 0 {
		t.Error("the name server was not asked")
	}
}

// TestUnrecordedTunnels: connections that lead to an unrecorded host, and never become an exchange,
// are not listed by its name either.
func TestUnrecordedTunnels(t *testing.T) {
	for name, behave := range map[string]func(h *house, address string){
		"no trust": func(h *house, address string) {
			p := h.tunnel(address, false)
			tls.Client(p.conn, &tls.Config{ServerName: "localhost"}).Handshake()
			p.conn.Close()
		},
		"malformed head": func(h *house, address string) {
			p := h.tunnel(address, true)
			p.send(text("GET / HTTP/1.1", "Content-Length: 1", "Content-Length: 2"))
			wantFault(h.t, p.readAll(), "400", "differ")
		},
		"another place": func(h *house, address string) {
			p := h.tunnel(address, true)
			p.send(text("GET https://localhost:1/secret HTTP/1.1", "Host: a"))
			wantFault(h.t, p.readAll(), "400", "another place")
		},
		"large head": func(h *house, address string) {
			p := h.tunnel(address, true)
			p.send("GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 2<<20))
			wantFault(h.t, p.readAll(), "431", "max-header-size")
		},
		"cut head": func(h *house, address string) {
			p := h.tunnel(address, false)
			p.send("GET / HTTP/1.1\r\nHos")
			p.conn.Close()
			h.untilClients(0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				hidden string
				want   int
			}{{"localhost", 0}, {"elsewhere.example", 1}} {
				h := newHouse(t, unrecorded(c.hidden))
				behave(h, "localhost:443")
				h.proxy.Shutdown(t.Context()) // so that all has been noted
				if gaps := h.gaps(); len(gaps) != c.want {
					t.Errorf("%s is unrecorded: gaps %v, want %d", c.hidden, gaps, c.want)
				}
			}
		})
	}
}
