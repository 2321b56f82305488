package proxy

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/admin"
	"warcorder/proxy/hosts"
	"warcorder/proxy/http1/http1test"
)

// askOwn sends a request and reads its answer.
func (p *peer) askOwn(lines ...string) (head, body string) {
	p.send(text(lines...))
	head = p.readHead()
	if strings.HasPrefix(lines[0], "HEAD ") {
		return head, ""
	}
	return head, p.readN(contentLength(p.t, head))
}

// tunnelNamed connects through a CONNECT to address, with TLS for a name.
func (h *house) tunnelNamed(address, name string) *peer {
	h.t.Helper()
	conn := tls.Client(h.tunnel(address, false).conn,
		&tls.Config{RootCAs: h.roots(), ServerName: name, NextProtos: []string{"h2", "http/1.1"}})
	if err := conn.Handshake(); err != nil {
		h.t.Fatalf("TLS for %s in %s: %v", name, address, err)
	}
	return newPeer(h.t, conn)
}

const ownPageSays = "<h1>warcorder</h1>"

// wantOwnPages asks for own pages in each way in which they are there.
func (h *house) wantOwnPages(fields ...string) {
	h.t.Helper()
	lines := func(first string) []string { return append([]string{first}, fields...) }
	page := func(client *peer, first string, more ...string) {
		h.t.Helper()
		head, body := client.askOwn(append(lines(first), more...)...)
		if !strings.HasPrefix(head, "HTTP/1.1 200 ") || !strings.Contains(head, "\r\nConnection: keep-alive\r\n") ||
			!strings.HasPrefix(first, "HEAD ") && !strings.Contains(body, ownPageSays) {
			h.t.Errorf("%s: %s %.200s", first, head, body)
		}
	}
	plain := h.dial()
	for _, first := range []string{
		"GET http://warcorder.internal/ HTTP/1.1",
		"GET http://warcorder.internal HTTP/1.1",
		"GET HTTP://WarCorder.Internal./trust HTTP/1.1",
		"GET http://warcorder.internal:80/?a=b HTTP/1.1",
		"GET http://user:password@warcorder.internal/ HTTP/1.1",
		"HEAD http://warcorder.internal/ HTTP/1.1",
	} {
		page(plain, first, "Host: elsewhere.example")
	}
	for _, c := range []struct{ address, name string }{
		{"warcorder.internal:443", "warcorder.internal"},
		{"WARCORDER.internal:443", "warcorder.internal"},
		{"warcorder.internal.:443", "warcorder.internal"},
		{"warcorder.internal:80", "warcorder.internal"},
		{"192.0.2.1:443", "warcorder.internal"},
		{"a.test:443", "Warcorder.Internal"},
	} {
		if !strings.Contains(strings.ToLower(c.address), admin.Name) && h.proxy.current().cfg.Tunnel.All {
			continue // what the CONNECT names passes untouched
		}
		client := h.tunnelAs(c.address, false, strings.Join(append([]string{"X: y"}, fields...), "\r\n"))
		conn := tls.Client(client.conn, &tls.Config{RootCAs: h.roots(), ServerName: c.name})
		secure := newPeer(h.t, conn)
		page(secure, "GET / HTTP/1.1", "Host: warcorder.internal")
		page(secure, "HEAD /trust HTTP/1.1")
		_, port, _ := net.SplitHostPort(c.address)
		page(secure, "GET https://"+c.name+":"+port+"/ HTTP/1.1", "Host: warcorder.internal.:443")
		conn.Close()
	}
	clear := h.tunnelAs("warcorder.internal:80", false, strings.Join(append([]string{"X: y"}, fields...), "\r\n"))
	page(clear, "GET / HTTP/1.1", "Host: warcorder.internal")
	page(clear, "GET http://warcorder.internal/ HTTP/1.1", "Host: warcorder.internal")
}

// wantNothingLeft: nothing is recorded, counted or told.
func (h *house) wantNothingLeft() {
	h.t.Helper()
	all := h.records()
	if status := h.rec.Status(); len(all) > 0 || len(status.Gaps) > 0 {
		h.t.Errorf("%d records, gaps %v", len(all), status.Gaps)
	}
	if log := h.log.String(); strings.Contains(log, "internal") {
		h.t.Errorf("the log: %s", log)
	}
}

// TestOwnName: clients that go through the proxy get its own pages by its name, whatever the
// settings, and nothing of it is looked up, dialled, sent to a parent, recorded, counted or told.
func TestOwnName(t *testing.T) {
	for name, set := range map[string]func(t *testing.T, cfg *Config){
		"default":        func(*testing.T, *Config) {},
		"tunnel":         func(_ *testing.T, cfg *Config) { cfg.Tunnel.All = true },
		"tunnel by name": func(_ *testing.T, cfg *Config) { cfg.Tunnel.Hosts = []string{admin.Name, "*.internal"} },
		"no-record":      func(_ *testing.T, cfg *Config) { cfg.NoRecord.All = true },
		"deny": func(t *testing.T, cfg *Config) {
			var err error
			if cfg.Deny, err = hosts.ParseSet("*"); err != nil {
				t.Fatal(err)
			}
		},
		"upstream": func(t *testing.T, cfg *Config) {
			parent := newOrigin(t, false, func(*peer) { t.Error("the parent was asked") })
			cfg.Upstream = byWay(t, "http://"+parent.address).Upstream
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := newNameServer(t)
			cfg := config()
			cfg.Resolver, cfg.RecordDNS = server.servers(), true
			set(t, &cfg)
			h := newHouse(t, cfg)
			h.wantOwnPages()
			h.proxy.Pause()
			h.wantOwnPages()
			h.proxy.Resume()
			h.wantNothingLeft()
			if len(server.asked) > 0 {
				t.Errorf("asked for %q", server.asked)
			}
		})
	}
}

// TestOwnNameWhileNothingCanBeWritten: a disk that is full refuses others alone.
func TestOwnNameWhileNothingCanBeWritten(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, each(numbered(1)))
	archive := filepath.Join(h.dir, "archive")
	if err := os.Rename(archive, archive+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, "a 503", func() bool { return strings.Fields(h.fetch(o, false, "/"))[1] == "503" })
	h.wantOwnPages()
	if err := os.Remove(archive); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(archive+".away", archive); err != nil {
		t.Fatal(err)
	}
}

// TestOwnNameAsksWhoItIs: who may not use the proxy has no use of its name either.
func TestOwnNameAsksWhoItIs(t *testing.T) {
	cfg := asking(t, "anna:secret")
	cfg.Clients = networks(t, "127.0.0.1")
	h := newHouse(t, cfg)
	request := text("GET http://warcorder.internal/ HTTP/1.1", "Host: a", "Connection: close")
	client := h.dial()
	client.send(request)
	wantFault(t, client.readAll(), "407", "password")
	client = h.dial()
	client.send(text("CONNECT warcorder.internal:443 HTTP/1.1", "Host: a"))
	wantFault(t, client.readAll(), "407", "password")
	client = h.dialFrom(stranger)
	client.send(request)
	wantFault(t, client.readAll(), "403", "(clients)")
	h.wantOwnPages(shows("anna:secret"))
	if all := h.records(); len(all) > 0 {
		t.Errorf("%d records", len(all))
	}
}

// TestOwnNameBesideOthers: one connection carries requests to the proxy's own name and to origins,
// in any order, pipelined as well; each gets the answer to what it has asked.
func TestOwnNameBesideOthers(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, each(numbered(1)))
	client := h.dial()
	own := text("GET http://warcorder.internal/healthz HTTP/1.1", "Host: a")
	other := text("GET http://"+o.address+"/x HTTP/1.1", "Host: a")
	client.send(own + other + own + own + other)
	for i, want := range []string{"ok\n", "", "ok\n", "ok\n", ""} {
		head := client.readHead()
		body := client.readN(contentLength(t, head))
		if !strings.HasPrefix(head, "HTTP/1.1 200 ") || want != "" && body != want ||
			want == "" && head+body != numbered(1) {
			t.Errorf("%d: %q %q", i, head, body)
		}
	}
	client.conn.Close()
	if n := len(of(h.records(), "response")); n != 1 { // and a revisit, or both
		if n = len(of(h.records(), "response")) + len(of(h.records(), "revisit")); n != 2 {
			t.Errorf("%d records", n)
		}
	}
}

// TestOwnNameRefused: what names the proxy and is not a request for a page of it gets a sentence.
func TestOwnNameRefused(t *testing.T) {
	h := newHouse(t, config())
	for _, c := range []struct{ name, first, status, says string }{
		{"another port", "GET http://warcorder.internal:8080/ HTTP/1.1", "421", "the usual ports"},
		{"HTTPS without a tunnel", "GET https://warcorder.internal/ HTTP/1.1", "421", "inside a CONNECT"},
		{"a name below", "GET http://a.warcorder.internal/ HTTP/1.1", "421", "nothing is here"},
		{"a reader's page", "GET http://warcorder.internal/status HTTP/1.1", "403",
			"http://" + h.address + "/status"},
		{"a change", "POST http://warcorder.internal/record HTTP/1.1", "403", "past the proxy"},
		{"no page", "GET http://warcorder.internal/x HTTP/1.1", "404", ""},
		{"a path that is none", "GET http://warcorder.internal/%zz HTTP/1.1", "404", ""},
		{"another method", "DELETE http://warcorder.internal/ HTTP/1.1", "405", ""},
		{"a method of nobody's", "PROPFIND http://warcorder.internal/ HTTP/1.1", "405", ""},
		{"OPTIONS of the server", "OPTIONS http://warcorder.internal HTTP/1.1", "405", ""},
		{"TRACE", "TRACE http://warcorder.internal/ HTTP/1.1", "405", ""},
		{"two slashes", "GET http://warcorder.internal//evil.example/ HTTP/1.1", "404", ""},
	} {
		client := h.dial()
		head, body := client.askOwn(c.first, "Host: a", "Authorization: Bearer x")
		wantFault(t, head+body, c.status, c.says)
		if head, _ := client.askOwn("HEAD http://warcorder.internal/ HTTP/1.1"); !strings.HasPrefix(head, "HTTP/1.1 200 ") {
			t.Errorf("%s: the connection does not go on: %q", c.name, head)
		}
	}
	for _, c := range []struct{ name, sent, status, says string }{
		{"upload", text("POST http://warcorder.internal/ HTTP/1.1", "Content-Length: 3") + "123", "405", ""},
		{"chunked upload", text("POST http://warcorder.internal/record HTTP/1.1",
			"Transfer-Encoding: chunked") + "3\r\n123\r\n0\r\n\r\n", "403", ""},
		{"upload that waits", text("PUT http://warcorder.internal/ HTTP/1.1", "Content-Length: 3",
			"Expect: 100-continue"), "405", ""},
		{"WebSocket", text("GET http://warcorder.internal/ HTTP/1.1", "Connection: Upgrade, close",
			"Upgrade: websocket", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13"), "200", ownPageSays},
		{"HTTP/1.0", text("GET http://warcorder.internal/ HTTP/1.0"), "200", ownPageSays},
		{"the question", text("GET http://warcorder.internal/here HTTP/1.1"), "200", `{"recorder":"`},
		{"a line that is no field", text("GET http://warcorder.internal/ HTTP/1.1", "Connection: close",
			"no field"), "400", ""},
	} {
		client := h.dial()
		client.send(c.sent)
		got := client.readAll()
		wantFault(t, got, c.status, c.says)
		if strings.Count(got, "HTTP/1.1 ") != 1 {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	for name, fields := range map[string][]string{
		"a page of another site": {"Origin: http://a.example"},
		"its upload":             {"Origin: http://a.example", "Content-Length: 3"},
		"a large head":           {"X: " + strings.Repeat("x", maxFrontHead)},
	} {
		client := h.dial()
		client.send(text(append([]string{"GET http://warcorder.internal/here HTTP/1.1"}, fields...)...))
		begun := time.Now()
		if got := client.readAll(); got != "" || time.Since(begun) > config().Timeout.Idle/2 {
			t.Errorf("%s gets an answer: %q after %v", name, got, time.Since(begun))
		}
	}
	h.proxy.Shutdown(t.Context())
	if gaps := h.gaps(); len(gaps) > 0 {
		t.Errorf("%+v", gaps)
	}
}

// TestOwnTunnels: a tunnel that leads to the proxy's own name leads nowhere else, and one that leads
// elsewhere and names it in its handshake leads here.
func TestOwnTunnels(t *testing.T) {
	h := newHouse(t, config())
	for _, c := range []struct{ name, address, sni, first, host, status string }{
		{"another Host", "warcorder.internal:443", admin.Name, "GET / HTTP/1.1", "a.example", "421"},
		{"two Hosts", "warcorder.internal:443", admin.Name, "GET / HTTP/1.1",
			admin.Name + "\r\nHost: " + admin.Name, "421"},
		{"another handshake", "warcorder.internal:443", "a.example", "GET / HTTP/1.1", "a.example", "421"},
		{"another handshake, our Host", "warcorder.internal:443", "a.example", "GET / HTTP/1.1", admin.Name, "421"},
		{"another port", "192.0.2.1:8443", admin.Name, "GET / HTTP/1.1", admin.Name, "421"},
		{"a name below in the handshake", "warcorder.internal:443", "a." + admin.Name, "GET / HTTP/1.1",
			"a." + admin.Name, "421"},
		{"another place in the target", "warcorder.internal:443", admin.Name,
			"GET https://a.example/ HTTP/1.1", admin.Name, "400"},
		{"a CONNECT within", "warcorder.internal:443", admin.Name, "CONNECT a.example:443 HTTP/1.1",
			"a.example", "400"},
		{"a reader's page", "warcorder.internal:443", admin.Name, "GET /status HTTP/1.1", admin.Name, "403"},
	} {
		client := h.tunnelNamed(c.address, c.sni)
		client.send(text(c.first, "Host: "+c.host, "Connection: close"))
		if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 "+c.status+" ") {
			t.Errorf("%s: %.300q", c.name, got)
		}
	}
	clear := h.tunnel("warcorder.internal:8080", false)
	clear.send(text("GET / HTTP/1.1", "Host: warcorder.internal:8080", "Connection: close"))
	wantFault(t, clear.readAll(), "421", "usual ports")
	h.proxy.Shutdown(t.Context())
	if gaps := h.gaps(); len(gaps) > 0 {
		t.Errorf("%+v", gaps)
	}
}

// TestOwnNameIsNotTrusted: whoever asks the trust page's question and does not trust the
// certificate has its answer, and is no gap and no line of the log.
func TestOwnNameIsNotTrusted(t *testing.T) {
	for _, c := range distrusting {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, config())
			c.act(t, h.tunnel(admin.TrustName+":443", false).conn.(*net.TCPConn), admin.TrustName)
			h.untilClients(0)
			h.wantNothingLeft()
		})
	}
}

// TestSmuggledPastOwnName: whatever of framing leaves a doubt on where a request to the proxy's own
// name ends, no second request comes of it.
func TestSmuggledPastOwnName(t *testing.T) {
	h := newHouse(t, config())
	own := "http://warcorder.internal/healthz"
	smuggled := text("GET http://warcorder.internal/trust HTTP/1.1", "Host: a")
	try := func(name string, request string) {
		client := h.dial()
		client.send(request + smuggled)
		client.conn.(*net.TCPConn).CloseWrite()
		got := client.readAll()
		if strings.Contains(got, ownPageSays) || strings.Count(got, "HTTP/1.1 ") != 1 {
			t.Errorf("%s: %.400q", name, got)
		}
	}
	for name, fields := range http1test.Smuggled {
		try(name, string(http1test.Head(append([]string{"POST " + own + " HTTP/1.1"}, fields...)...))+"0\r\n\r\n")
	}
	for name, chunks := range http1test.BadChunks {
		try(name, text("POST "+own+" HTTP/1.1", "Transfer-Encoding: chunked")+chunks)
	}
	for name, first := range map[string]string{
		"two versions":       "GET " + own + " HTTP/1.1 HTTP/1.1",
		"a space in the URL": "GET " + own + " x HTTP/1.1",
	} {
		try(name, text(first, "Host: a", "Connection: close"))
	}
}

// TestOwnHeads: net/http is given a request of the session's own making, whatever the head holds: no
// line end gets from a head into an answer.
func TestOwnHeads(t *testing.T) {
	h := newHouse(t, config())
	for i := range 256 {
		client := h.dial()
		client.send(text(fmt.Sprintf("GET http://warcorder.internal/%c?%c HTTP/1.1", i, i),
			fmt.Sprintf("X-Y: z%c", i), "Connection: close"))
		got := []byte(client.readAll())
		head, _, _ := bytes.Cut(got, []byte("\r\n\r\n"))
		if n := bytes.Count(got, []byte("HTTP/1.1 ")); n != 1 || bytes.ContainsRune(head, 0) ||
			bytes.Count(head, []byte("\n")) != bytes.Count(head, []byte("\r\n")) {
			t.Errorf("%d: %d answers: %.300q", i, n, got)
		}
	}
}
