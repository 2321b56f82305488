package proxy

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkExchange is a small answer on kept connections, recorded: what a session, the recorder
// and both peers of the test take for it together.
func BenchmarkExchange(b *testing.B) {
	for _, secure := range []bool{false, true} {
		b.Run(map[bool]string{false: "http", true: "https"}[secure], func(b *testing.B) {
			answer := text("HTTP/1.1 200 OK", "Content-Length: 1000") + strings.Repeat("x", 1000)
			o := newOrigin(b, secure, func(p *peer) {
				for p.readHead() != "" {
					p.seen.Reset()
					p.sent.Reset()
					p.send(answer)
				}
			})
			h := newHouse(b, config())
			client, prefix := h.to(o, secure)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				client.seen.Reset()
				client.sent.Reset()
				client.send(text(fmt.Sprintf("GET %s/%d HTTP/1.1", prefix, i), "Host: a"))
				client.readN(len(answer))
			}
			client.conn.Close()
		})
	}
}
