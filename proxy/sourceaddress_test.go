package proxy

import (
	"net"
	"strings"
	"testing"

	"warcorder/proxy/dial"
)

// TestSourceAddress: connections begin where the setting says, and where they cannot there are
// none.
func TestSourceAddress(t *testing.T) {
	for _, c := range []struct{ source, host, want string }{
		{"", "127.0.0.1", "from 127.0.0.1"},
		{"127.0.0.9", "127.0.0.1", "from 127.0.0.9"},
		{"127.0.0.9, ::1", "a.test", "from 127.0.0.9"},
		{"::1", "127.0.0.1", "502 "},
		{"::1", "a.test", "no source-address is of the family"},
		{"127.0.0.9", "both.test", "from 127.0.0.9"},
		{"192.0.2.1", "127.0.0.1", "192.0.2.1"}, // an address that the machine has lost
	} {
		t.Run(c.source+" to "+c.host, func(t *testing.T) {
			o := newOrigin(t, false, func(p *peer) {
				p.readHead()
				from, _, _ := net.SplitHostPort(p.conn.RemoteAddr().String())
				p.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nfrom " + from)
			})
			_, port, _ := net.SplitHostPort(o.address)
			cfg := config()
			cfg.Resolver = script{"a.test": {"127.0.0.1"}, "both.test": {"::1 127.0.0.1"}}.serve(t)
			var err error
			if cfg.SourceAddress, err = dial.ParseSourceAddress(c.source); err != nil {
				t.Fatal(err)
			}
			h := newHouse(t, cfg)
			client := h.dial()
			client.send(text("GET http://"+net.JoinHostPort(c.host, port)+"/ HTTP/1.1", "Host: a"))
			if got := answerOn(client); !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
