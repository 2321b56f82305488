package proxy

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/route/routetest"
	"warcorder/recorder"
)

// TestParentRefuses: what a parent says to us is told as a sentence of ours, and is no answer of
// the origin's: neither passed on nor recorded. The client learns neither the parent's address nor
// its password, the log only the address.
func TestParentRefuses(t *testing.T) {
	const secret = "s3cr3t"
	answers := func(text string) func(net.Conn) {
		return func(conn net.Conn) {
			conn.Read(make([]byte, 4<<10))
			io.WriteString(conn, text)
			io.Copy(io.Discard, conn)
		}
	}
	const demand = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n" +
		"Content-Length: 7\r\n\r\nparents"
	for name, c := range map[string]struct {
		scheme string
		secure bool
		script func(net.Conn)
		says   string
	}{
		"407 to a request": {"http", false, answers(demand), "does not take the user"},
		"407 to a CONNECT": {"http", true, answers(demand), "does not take the user"},
		"407, no Basic": {"http", false, answers(strings.Replace(demand, "Basic", "NTLM", 1)),
			"another way than Basic"},
		"403 to a CONNECT":   {"http", true, answers("HTTP/1.1 403 parents\r\n\r\n"), "403 Forbidden"},
		"early bytes":        {"http", true, answers("HTTP/1.1 200 OK\r\n\r\nparents"), "TLS handshake"},
		"silence":            {"http", true, answers(""), "did not answer in time"},
		"silence of SOCKS":   {"socks5h", false, answers(""), "did not answer in time"},
		"no TLS":             {"https", false, answers("parents"), "TLS handshake with it failed"},
		"no certificate":     {"https", false, untrusted, "its certificate is not valid"},
		"an end":             {"http", true, func(net.Conn) {}, "closed the connection"},
		"an end of SOCKS":    {"socks5", false, func(net.Conn) {}, "SOCKS5"},
		"an endless answer":  {"http", true, endlessly("HTTP/1.1 200 x\r\n", "a: parent\r\n"), "64 KiB"},
		"endless interims":   {"http", true, endlessly("", "HTTP/1.1 100 parents\r\n\r\n"), "64 KiB"},
		"a reply of SOCKS":   {"socks5", true, answers("HTTP/1.1 400 parents\r\n\r\n"), "SOCKS5"},
		"an unknown address": {"socks5h", true, answers("\x05\x00\x05\x04\x00\x01"), "host unreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			parent := routetest.Listen(t, nil, c.script)
			cfg := byWay(t, c.scheme+"://user:"+secret+"@"+parent.Address)
			status := "HTTP/1.1 502 "
			if strings.Contains(c.says, "in time") {
				status = "HTTP/1.1 504 "
				cfg.Timeout.Connect, cfg.Timeout.TLS = time.Second, time.Second
			}
			h := newHouse(t, cfg)
			o := repeating(t, c.secure, "")
			client, prefix := h.to(o, c.secure)
			client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a", "Connection: close"))
			got := client.readAll()
			if !strings.HasPrefix(got, status) || !strings.Contains(got, c.says) {
				t.Errorf("%q", got)
			}
			gaps := fmt.Sprint(h.gaps())
			if !strings.Contains(gaps, recorder.GapUpstream) || len(h.gaps()) != 1 {
				t.Errorf("gaps %s", gaps)
			}
			records := h.records()
			if len(of(records, "response")) > 0 || len(o.connections()) > 0 {
				t.Errorf("%d responses, %d connections", len(of(records, "response")), len(o.connections()))
			}
			for _, text := range []string{got, gaps, fmt.Sprintf("%s", records)} {
				if strings.Contains(text, "parents") || strings.Contains(text, parent.Address) {
					t.Errorf("the parent shows in %s", text)
				}
			}
			log, led := h.log.String(), name == "early bytes" // the parent says that it leads there
			if strings.Contains(log, secret) || strings.Contains(log, parent.Address) == led {
				t.Errorf("log: %s", log)
			}
		})
	}
}

// untrusted is a parent that speaks TLS, with a certificate that nobody vouches for.
func untrusted(conn net.Conn) {
	tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{originCertificate()}}).Handshake()
}

// endlessly is a parent that never comes to the end of its answer.
func endlessly(first, piece string) func(net.Conn) {
	return func(conn net.Conn) {
		conn.Read(make([]byte, 4<<10))
		io.WriteString(conn, first)
		for {
			if _, err := io.WriteString(conn, piece); err != nil {
				return
			}
		}
	}
}

// TestParentIsSelf: a way that leads back to the proxy is refused when it is dialled, and so is an
// origin that is the proxy, whatever the way.
func TestParentIsSelf(t *testing.T) {
	parent := routetest.HTTP(t, nil, "", "")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	own := ln.Addr().String()
	h := newHouseAt(t, byWay(t, "a.test=http://"+own+","+parent.URL("http")), recorderConfig, ln)
	for target, says := range map[string]string{
		"a.test": "which is this one itself",
		own:      "is this proxy itself",
		"localhost" + own[strings.LastIndexByte(own, ':'):]: "is this proxy itself",
	} {
		client := h.dial()
		client.send(text("GET http://"+target+"/ HTTP/1.1", "Host: a", "Connection: close"))
		if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 508 ") ||
			!strings.Contains(got, says) {
			t.Errorf("%s: %q", target, got)
		}
	}
	if seen := parent.Seen(); len(seen) > 0 {
		t.Errorf("%+v", seen)
	}
}

// TestParentMustBeProven: a parent whose certificate is not valid is told nothing, whatever
// insecure-upstream says of origins.
func TestParentMustBeProven(t *testing.T) {
	_, parentTLS := vouched(t)
	parent := routetest.HTTP(t, parentTLS, "user", "s3cr3t")
	h := newHouse(t, byWay(t, parent.URL("https"))) // with insecure-upstream for all
	for _, secure := range []bool{false, true} {
		o := repeating(t, secure, "")
		client, prefix := h.to(o, secure)
		client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a", "Connection: close"))
		if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 502 ") ||
			!strings.Contains(got, "its certificate is not valid") {
			t.Errorf("%q", got)
		}
	}
	for _, seen := range parent.Seen() {
		if seen.User != "" || len(seen.Asked) > 0 {
			t.Errorf("%+v", seen)
		}
	}
	if log := h.log.String(); !strings.Contains(log, "x509: ") || len(parent.Seen()) != 2 {
		t.Errorf("%d connections, log: %s", len(parent.Seen()), log)
	}
}

// TestMadeUpNameLeavesNoWay: the host of a CONNECT decides the way, not the name in the handshake.
func TestMadeUpNameLeavesNoWay(t *testing.T) {
	parent := routetest.HTTP(t, nil, "", "")
	h := newHouse(t, byWay(t, "free.test=direct,"+parent.URL("http")))
	o := repeating(t, true, text("HTTP/1.1 204 No Content"))
	_, port, _ := net.SplitHostPort(o.address)
	client := h.tunnel("origin.test:"+port, false)
	client.conn = tls.Client(client.conn, &tls.Config{ServerName: "free.test", RootCAs: h.roots()})
	client = newPeer(t, client.conn)
	client.send(text("GET / HTTP/1.1", "Host: free.test"))
	if got := client.readHead(); !strings.HasPrefix(got, "HTTP/1.1 204 ") {
		t.Errorf("%q", got)
	}
	if seen := parent.Seen(); len(seen) != 1 || seen[0].Asked[0] != "origin.test:"+port {
		t.Errorf("%+v", seen)
	}
}

// TestTraceTellsNoPassword: a parent that answers a TRACE would show the client what it is told.
func TestTraceTellsNoPassword(t *testing.T) {
	parent := routetest.HTTP(t, nil, "user", "s3cr3t")
	h := newHouse(t, byWay(t, parent.URL("http")))
	o := repeating(t, false, text("HTTP/1.1 204 No Content"))
	client := h.dial()
	client.send(text("TRACE http://"+o.address+"/ HTTP/1.1", "Host: a", "Max-Forwards: 0"))
	if got := client.readHead(); !strings.HasPrefix(got, "HTTP/1.1 405 ") {
		t.Errorf("%q", got)
	}
	if seen := parent.Seen(); len(seen) > 0 {
		t.Errorf("%+v", seen)
	}
}

// TestNothingUnaskedByWay: what an origin or a parent sends unasked, in whichever layer of TLS,
// ends the connection: the next client gets the answer to its own request.
func TestNothingUnaskedByWay(t *testing.T) {
	answer := func(n string) string { return text("HTTP/1.1 200 OK", "Content-Length: 1") + n }
	for _, secure := range []bool{false, true} {
		for _, kind := range []string{"http", "https", "socks5h", "https > https"} {
			t.Run(fmt.Sprintf("%t %s", secure, kind), func(t *testing.T) {
				file, parentTLS := vouched(t)
				cfg, _ := chainOfParents(t, kind, parentTLS)
				cfg.UpstreamCA = file
				h := newHouse(t, cfg)
				o := newOrigin(t, secure, func(p *peer) {
					p.readHead()
					p.send(answer("1") + answer("x")) // a second answer with the first
					p.readHead()
				})
				for range 2 {
					client, prefix := h.to(o, secure)
					client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
					if got := client.readN(len(answer("1"))); got != answer("1") {
						t.Errorf("%q", got)
					}
					client.conn.Close()
				}
				if n := len(o.connections()); n != 2 {
					t.Errorf("%d connections", n)
				}
			})
		}
	}
}

// TestUnaskedLaterByWay: the same of what comes once the connection idles: from the origin within
// its TLS, and from a parent around it.
func TestUnaskedLaterByWay(t *testing.T) {
	answer := text("HTTP/1.1 200 OK", "Content-Length: 1") + "1"
	file, parentTLS := vouched(t)
	for name, unasked := range map[string]func(parent, origin net.Conn){
		"the origin": func(_, origin net.Conn) { io.WriteString(origin, answer) },
		"the parent": func(parent, _ net.Conn) { io.WriteString(parent, answer) },
	} {
		t.Run(name, func(t *testing.T) {
			var parents, origins = make(chan net.Conn, 4), make(chan net.Conn, 4)
			o := newOrigin(t, true, func(p *peer) {
				origins <- p.conn
				for p.readHead() != "" {
					p.send(answer)
				}
			})
			parent := routetest.Listen(t, parentTLS, func(conn net.Conn) {
				conn.Read(make([]byte, 4<<10))
				there, err := net.Dial("tcp", o.address)
				if err != nil {
					return
				}
				defer there.Close()
				io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
				parents <- conn
				go func() { io.Copy(conn, there); conn.Close() }()
				io.Copy(there, conn)
			})
			cfg := byWay(t, "https://"+parent.Address)
			cfg.UpstreamCA = file
			h := newHouse(t, cfg)
			client := h.tunnel(o.address, true)
			ask := func() {
				client.send(text("GET / HTTP/1.1", "Host: a"))
				if got := client.readN(len(answer)); got != answer {
					t.Errorf("%q", got)
				}
				h.untilIdle(1)
			}
			ask()
			ask()
			if n := len(o.connections()); n != 1 {
				t.Fatalf("%d connections", n)
			}
			up := h.proxy.current().upstreams.newest
			unasked(<-parents, <-origins)
			for deadline := time.Now().Add(10 * time.Second); quiet(up.socket); { // until it is here
				if time.Now().After(deadline) {
					t.Fatal("nothing came")
				}
			}
			ask()
			if n := len(o.connections()); n != 2 {
				t.Errorf("%d connections", n)
			}
		})
	}
}
