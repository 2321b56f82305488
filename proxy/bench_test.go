package proxy

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"warcorder/proxy/http1"
)

// BenchmarkExchange is a small answer on kept connections, recorded: what a session, the recorder
// and both peers of the test take for it together. In each request a user shows a password, if
// there are users.
func BenchmarkExchange(b *testing.B) {
	for _, c := range []struct {
		name   string
		secure bool
		users  []string
	}{{"http", false, nil}, {"https", true, nil}, {"users", false, []string{"anna:secret"}}} {
		b.Run(c.name, func(b *testing.B) {
			secure := c.secure
			answer := text("HTTP/1.1 200 OK", "Content-Length: 1000") + strings.Repeat("x", 1000)
			o := newOrigin(b, secure, func(p *peer) {
				for p.readHead() != "" {
					p.seen.Reset()
					p.sent.Reset()
					p.send(answer)
				}
			})
			h := newHouse(b, asking(b, c.users...))
			client, prefix := h.to(o, secure)
			fields := []string{"", "Host: a"}
			if c.users != nil {
				fields = append(fields, shows(c.users[0]))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				client.seen.Reset()
				client.sent.Reset()
				fields[0] = fmt.Sprintf("GET %s/%d HTTP/1.1", prefix, i)
				client.send(text(fields...))
				client.readN(len(answer))
			}
			client.conn.Close()
		})
	}
}

// BenchmarkWeigh is what an answer takes that is not here whole with its head: whether the archive
// is to have all of it.
func BenchmarkWeigh(b *testing.B) {
	head := []byte(text("HTTP/1.1 200 OK", "Date: Thu, 01 Jan 1970 00:00:00 GMT", "Server: x",
		"Content-Type: text/javascript; charset=utf-8", "Content-Length: 100000",
		"Cache-Control: public, max-age=31536000", `ETag: "0123456789abcdef"`, "Vary: Accept-Encoding",
		"Content-Encoding: br", "Strict-Transport-Security: max-age=1", "X-Frame-Options: deny"))
	res, err := http1.ParseResponse(head, &http1.Request{})
	if err != nil {
		b.Fatal(err)
	}
	complete := defaultComplete()
	b.ReportAllocs()
	for b.Loop() {
		if ent := entityOf(&res, head); complete.wants(&ent) {
			b.Fatal("wanted")
		}
	}
}

// BenchmarkDial is a connection to an origin at an address of its own, and its end.
func BenchmarkDial(b *testing.B) {
	o := newOrigin(b, false, func(*peer) {})
	host, port, _ := net.SplitHostPort(o.address)
	h := newHouse(b, config())
	b.ReportAllocs()
	for b.Loop() {
		up, err := h.proxy.upstreams.dial(b.Context(), origin{host: host, port: port})
		if err != nil {
			b.Fatal(err)
		}
		up.close()
	}
}
