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

// BenchmarkReplay is an answer of 10 KB from a Source in memory, and, relayed, the same one from an
// origin and recorded: replaying is to take no more.
func BenchmarkReplay(b *testing.B) {
	body := strings.Repeat("x", 10<<10)
	answer := text("HTTP/1.1 200 OK", "Content-Type: text/html", "Content-Length: 10240") + body
	chunked := text("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "2800\r\n" + body +
		"\r\n0\r\n\r\n"
	for _, c := range []struct {
		name   string
		secure bool
		answer string
	}{{"http", false, answer}, {"https", true, answer}, {"chunked", false, chunked}} {
		b.Run(c.name+"/replayed", func(b *testing.B) {
			h := newReplayHouse(b, replaying(always(c.answer)))
			client, prefix := h.toHost("a.test", c.secure)
			askOften(b, client, prefix, len(c.answer))
		})
		b.Run(c.name+"/relayed", func(b *testing.B) {
			o := newOrigin(b, c.secure, func(p *peer) {
				for p.readHead() != "" {
					p.forget()
					p.send(c.answer)
				}
			})
			h := newHouse(b, config())
			client, prefix := h.to(o, c.secure)
			askOften(b, client, prefix, len(c.answer))
		})
	}
}

// askOften asks on one connection, and reads answers of that size.
func askOften(b *testing.B, client *peer, prefix string, size int) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		client.forget()
		client.send(text(fmt.Sprintf("GET %s/%d HTTP/1.1", prefix, i), "Host: a"))
		client.readN(size)
	}
	client.conn.Close()
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
		up, err := h.proxy.current().upstreams.dial(b.Context(), origin{host: host, port: port})
		if err != nil {
			b.Fatal(err)
		}
		up.close()
	}
}
