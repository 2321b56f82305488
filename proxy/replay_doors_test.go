package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/admin"
	"warcorder/proxy/hosts"
)

// askOddly has a proxy asked in every way that leads to an origin, or is a gap when it is recorded.
func (h *house) askOddly(t *testing.T, port string) {
	for _, host := range []string{"127.0.0.1", "a.test"} {
		plain := h.dial()
		for _, fields := range [][]string{{}, {"Range: bytes=0-1"}, {"If-None-Match: x"}} {
			line := "GET http://" + host + ":" + port + "/ HTTP/1.1"
			plain.send(text(append([]string{line}, fields...)...))
			plain.readN(contentLength(t, plain.readHead()))
		}
		plain.send("GET http://x y z\r\n\r\n")
		wantFault(t, plain.readAll(), "400", "refused")
		for _, secure := range []bool{false, true} {
			conn := h.tunnel(host+":"+port, false).conn
			if secure {
				conn = tls.Client(conn, &tls.Config{RootCAs: h.roots(), ServerName: "a.test"})
			}
			client := newPeer(t, conn)
			client.send(text("GET / HTTP/1.1", "Host: a.test"))
			client.readN(contentLength(t, client.readHead()))
			client.send(text("GET / HTTP/1.1", "Connection: upgrade", "Upgrade: websocket"))
			client.readN(contentLength(t, client.readHead()))
			client.send("GET x y z\r\n\r\n")
			wantFault(t, client.readAll(), "400", "refused")
		}
		nobody := h.tunnel(host+":"+port, false)
		tls.Client(nobody.conn, &tls.Config{ServerName: host, RootCAs: x509.NewCertPool()}).Handshake()
	}
	for sent, want := range map[string]string{
		text("CONNECT a.test:99999 HTTP/1.1"): "HTTP/1.1 400 ",
		"\x05\x01\x00":                        "\x05\xff",
		"GET http://a.test/ HTTP/1.1\r\n":     "",
	} {
		client := h.dial()
		client.send(sent)
		client.conn.(*net.TCPConn).CloseWrite()
		if got := client.readAll(); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q", sent, got)
		}
	}
}

// TestReplayAsksNobody: with a Source nothing is looked up or dialled, whatever settings say,
// nothing is recorded and nothing is a gap; with a recorder or without.
func TestReplayAsksNobody(t *testing.T) {
	o := newOrigin(t, false, silent)
	_, port, _ := net.SplitHostPort(o.address)
	names := script{"a.test": {"127.0.0.1"}}.start(t)
	cfg := replaying(always(text("HTTP/1.1 206 Partial Content", "Content-Range: bytes 0-1/9",
		"Content-Type: video/mp4", `ETag: "x"`, "Content-Length: 2") + "ok"))
	cfg.Resolver, cfg.RecordDNS = append(cfg.Resolver, names.address), true
	cfg.Tunnel, cfg.Complete.What = hosts.List{Hosts: []string{"a.test", "127.0.0.1"}}, completeAlways
	cfg.Anticache = "always"
	recording := newHouse(t, cfg)
	for _, h := range []*house{recording, newReplayHouse(t, cfg)} {
		h.askOddly(t, port)
		until(t, "the client that does not trust us is told of", func() bool {
			return strings.Contains(h.log.String(), "does not trust the certificate")
		})
		if strings.Contains(h.log.String(), `"level":"error"`) {
			t.Errorf("the log: %s", h.log)
		}
	}
	all := recording.records()
	if status := recording.rec.Status(); len(all) > 0 || len(status.Gaps) > 0 {
		t.Errorf("%d records, gaps %v", len(all), status.Gaps)
	}
	if n := len(o.connections()); n > 0 {
		t.Errorf("%d connections were dialled", n)
	}
	names.mu.Lock()
	defer names.mu.Unlock()
	if len(names.asked) > 0 {
		t.Errorf("names were looked up: %v", names.asked)
	}
}

// TestReplayedOwnPages: the proxy's own pages are at its own name, and no Source is asked for them.
func TestReplayedOwnPages(t *testing.T) {
	h := newReplayHouse(t, replaying(always(text("HTTP/1.1 500 Asked", "Content-Length: 0"))))
	h.wantOwnPages()
	client := h.dial()
	client.send(text("GET /trust HTTP/1.1", "Host: "+h.address))
	if got := client.readAll(); !strings.Contains(got, ownPageSays) {
		t.Errorf("%s%s", admin.Name, got)
	}
}

// TestReplayedForWhom: passwords, addresses and the number of clients are judged before a Source is
// asked.
func TestReplayedForWhom(t *testing.T) {
	answer := text("HTTP/1.1 200 OK", "Content-Length: 2") + "ok"
	ask := func(client *peer, fields ...string) string {
		lines := []string{"GET http://a.test/ HTTP/1.1", "Connection: close"}
		client.send(text(append(lines, fields...)...))
		return client.readAll()
	}
	cfg := asking(t, "anna:secret")
	cfg.Source = always(answer)
	h := newReplayHouse(t, cfg)
	wantFault(t, ask(h.dial()), "407", "a name and a password")
	wantFault(t, ask(h.dial(), shows("anna:wrong")), "407", "is none of this proxy's")
	if got := ask(h.dial(), shows("anna:secret")); got != answer {
		t.Errorf("%q", got)
	}
	if log := h.log.String(); !strings.Contains(log, "wrong name or password") ||
		!strings.Contains(log, `"user":"anna"`) {
		t.Errorf("the log: %s", log)
	}

	source, events := newWaiting()
	cfg = clientsOnly(t)
	cfg.Source, cfg.MaxConnections = source, 1
	h = newReplayHouse(t, cfg)
	wantFault(t, ask(h.dialFrom(stranger)), "403", "Your address")
	client := h.dial()
	client.send(text("GET http://a.test/ HTTP/1.1", "Host: a.test"))
	client.readHead()
	wantFault(t, ask(h.dial()), "503", "max-connections")
	close(events.more)
	client.readAll()
}

// TestReplayedPanics: a Source that breaks five times within a minute ends the proxy, without a
// recorder too.
func TestReplayedPanics(t *testing.T) {
	h := newReplayHouse(t, replaying(&broken{panics: true}))
	for range 5 {
		client := h.dial()
		client.send(text("GET http://a.test/ HTTP/1.1", "Host: a.test"))
		if got, _ := io.ReadAll(client.in); len(got) > 0 {
			t.Errorf("%q", got)
		}
	}
	err := <-h.served
	if err == nil || !strings.Contains(err.Error(), "5 times within a minute") {
		t.Errorf("serve: %v", err)
	}
	h.served <- nil
}

// TestShutdownWhileReplaying: what is in flight ends in its own time, or is cut when that is over.
// A Source that has nothing to say is not waited for.
func TestShutdownWhileReplaying(t *testing.T) {
	for _, c := range []struct {
		name     string
		silent   bool
		patience time.Duration
		got      string
	}{
		{"to its end", true, 20 * time.Second, "the end"},
		{"cut", true, time.Millisecond, ""},
		{"at rest", false, time.Hour, ""},
	} {
		onBothSchemes(t, func(t *testing.T, secure bool) {
			t.Run(c.name, func(t *testing.T) {
				source, events := newWaiting()
				events.silent = c.silent
				h := newReplayHouse(t, replaying(source))
				client, prefix := h.toHost("a.test", secure)
				client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a.test"))
				begins := strings.Repeat("x", largeBuffer) // which nothing holds back
				events.more <- begins
				client.readHead()
				client.readN(20_000)
				stopped := make(chan struct{})
				go func() { h.stop(c.patience); close(stopped) }()
				until(t, "it is to end", h.proxy.clients.closing.Load)
				if c.got != "" {
					events.more <- c.got
					close(events.more)
				}
				got, err := io.ReadAll(client.in)
				<-stopped
				<-events.closed
				if !strings.HasSuffix(string(got), c.got) {
					t.Errorf("it ends with %.20q", got[max(0, len(got)-20):])
				}
				if err == nil && c.got == "" && !secure {
					t.Error("the end looks like that of a whole body")
				}
			})
		})
	}
}

// TestRestedReplayIsWaitedFor: a connection on which a Source had nothing to say for a while is as
// good as any when it has answered.
func TestRestedReplayIsWaitedFor(t *testing.T) {
	first, second := make(chan string), make(chan string)
	head := []byte(text("HTTP/1.1 200 OK", "Content-Length: 3"))
	bodies := make(chan *waiting, 2)
	bodies <- &waiting{ctx: t.Context(), more: first, closed: make(chan struct{})}
	bodies <- &waiting{ctx: t.Context(), more: second, closed: make(chan struct{}), silent: true}
	h := newReplayHouse(t, replaying(sourceFunc(func(context.Context, string, string, []byte,
		io.Reader) ([]byte, io.ReadCloser, error) {
		return head, <-bodies, nil
	})))
	client, prefix := h.toHost("a.test", false)
	request := text("GET "+prefix+"/ HTTP/1.1", "Host: a.test")
	client.send(request)
	first <- "one"
	client.readN(len(head) + 3)
	client.send(request)
	second <- "tw"
	stopped := make(chan struct{})
	go func() { h.stop(20 * time.Second); close(stopped) }()
	until(t, "it is to end", h.proxy.clients.closing.Load)
	second <- "o"
	if got := client.readAll(); !strings.HasSuffix(got, "two") {
		t.Errorf("%q", got)
	}
	<-stopped
}
