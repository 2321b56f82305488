package proxy

import (
	"net"
	"strings"
	"testing"

	"warcorder/proxy/route/routetest"
	"warcorder/recorder"
)

// TestDenialsByWay: what is denied is denied on every way, before a parent hears of it: by the
// address where names are looked up here, else by the name, or the address that it stands for.
// Parents themselves are the operator's choice, wherever they are.
func TestDenialsByWay(t *testing.T) {
	for name, c := range map[string]struct {
		scheme, deny, allow, host string
		denied                    bool
	}{
		"a name":                 {"http", "*.secret.test", "", "a.secret.test", true},
		"another name":           {"http", "*.secret.test", "", "a.test", false},
		"all but one":            {"socks5h", "*", "a.test", "a.test", false},
		"all but another":        {"socks5h", "*", "b.test", "a.test", true},
		"an address":             {"http", "@loopback", "", "127.0.0.1", true},
		"an address in disguise": {"http", "@loopback", "", "2130706433", true},
		"this machine":           {"socks5h", "@loopback", "", "localhost", true},
		"looked up here":         {"socks5", "@loopback", "", "site.test", true},
		"looked up there":        {"socks5h", "@loopback", "", "site.test", false},
		"allowed here":           {"socks5", "@loopback", "site.test", "site.test", false},
	} {
		t.Run(name, func(t *testing.T) {
			parent := routetest.HTTP(t, nil, "", "")
			if strings.HasPrefix(c.scheme, "socks") {
				parent = routetest.SOCKS5(t, "", "")
			}
			cfg := byWay(t, parent.URL(c.scheme))
			cfg.Resolver = newNameServer(t).servers()
			cfg.Deny, cfg.Allow = set(t, c.deny), set(t, c.allow)
			h := newHouse(t, cfg)
			o := repeating(t, false, text("HTTP/1.1 204 No Content", "Connection: close"))
			_, port, _ := net.SplitHostPort(o.address)
			client := h.dial()
			client.send(text("GET http://"+c.host+":"+port+"/ HTTP/1.1", "Host: a", "Connection: close"))
			status := "HTTP/1.1 204 "
			if c.denied {
				status = "HTTP/1.1 403 "
			}
			if got := client.readAll(); !strings.HasPrefix(got, status) {
				t.Errorf("%q", got)
			}
			if asked := len(parent.Seen()) > 0; asked == c.denied {
				t.Errorf("the parent was asked: %t", asked)
			}
			if n := h.rec.Status().Gaps[recorder.GapBlocked]; (n == 1) != c.denied {
				t.Errorf("%d are blocked", n)
			}
		})
	}
}

// TestParentsNameIsInNoRecord: with record-dns what is looked up of origins is recorded, and
// nothing of parents.
func TestParentsNameIsInNoRecord(t *testing.T) {
	server := newNameServer(t)
	parent := routetest.SOCKS5(t, "", "")
	_, port, _ := net.SplitHostPort(parent.Address)
	cfg := byWay(t, "socks5://both.test:"+port+" socks5://brief.test:"+port)
	cfg.RecordDNS, cfg.Resolver = true, server.servers()
	h := newHouse(t, cfg)
	o := repeating(t, false, text("HTTP/1.1 204 No Content", "Connection: close"))
	client := h.dial()
	client.send(text("GET http://"+o.at("site.test")+"/ HTTP/1.1", "Host: a", "Connection: close"))
	if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 204 ") {
		t.Errorf("%q", got)
	}
	found := of(h.records(), "resource")
	if len(found) != 1 || found[0].header.Get("WARC-Target-URI") != "dns:site.test" {
		t.Errorf("%q", found)
	}
}
