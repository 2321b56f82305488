package admin

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// at is a request for a page that came by a connection to our address local.
func at(page, client, local, host string) *http.Request {
	r := newRequest(page, client, host, "", nil)
	end := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(local))
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, end))
}

// TestProxyAt: the address that is to be set as the proxy is the one that the client has used, in a
// spelling of ours; whatever else Host holds is nowhere in the page, the script or the QR code.
func TestProxyAt(t *testing.T) {
	a := newAdmin(t, "", func(*http.Request) {})
	a.hostname = "studio"
	for host, want := range map[string]string{
		"127.0.0.1:8080":            "127.0.0.1:8080",
		"127.0.0.1:9000":            "127.0.0.1:9000", // a port that is forwarded
		"LocalHost:8080":            "localhost:8080",
		"Studio:8080":               "studio:8080",
		"192.0.2.1":                 "192.0.2.1:80",
		"[::1]:8080":                "[::1]:8080",
		"[0:0:0:0:0:0:0:1]:8080":    "[::1]:8080",
		"[::ffff:192.0.2.1]:8080":   "192.0.2.1:8080",
		"0.0.0.0:8080":              "127.0.0.1:8080",
		"127.0.0.1:":                "127.0.0.1:8080",
		"127.0.0.1:99999":           "127.0.0.1:8080",
		`127.0.0.1:80";alert(1);//`: "127.0.0.1:8080",
		`[fe80::1%";alert(1)//]:80`: "[fe80::1]:80",
		`[fe80::1%<script>]:80`:     "[fe80::1]:80",
	} {
		for _, page := range []string{"GET /trust", "GET /proxy.pac"} {
			w := answer(a, at(page, here, "127.0.0.1:8080", host))
			text := w.Body.String()
			if w.Code != 200 || !strings.Contains(text, want) || strings.Contains(text, "alert") ||
				strings.Contains(text, "<script>]") || strings.Contains(text, "%") && page != "GET /trust" {
				t.Errorf("%s %s: %d %s", host, page, w.Code, text)
			}
		}
	}
	a.hostname = `x";alert(1)//`
	if got := a.ownAt(a.hostname + ":80"); got != "" {
		t.Error(got)
	}
}

// TestForPhones: other devices are shown an address that they reach, and who asks from another
// machine none that it has not used.
func TestForPhones(t *testing.T) {
	out := outward()
	found := "" // a machine without a network has none
	if out.IsValid() {
		found = out.String() + ":8080"
	}
	for _, c := range []struct{ name, listener, client, local, host, want string }{
		{"loopback", "127.0.0.1:8080", here, "127.0.0.1:8080", "127.0.0.1:8080", ""},
		{"loopback 6", "[::1]:8080", "[::1]:1", "[::1]:8080", "[::1]:8080", ""},
		{"one address", "192.0.2.1:8080", here, "127.0.0.1:8080", "localhost:8080", "192.0.2.1:8080"},
		{"used", "0.0.0.0:8080", reader, ours, ours, ours},
		{"used by name", "0.0.0.0:8080", reader, ours, "studio:8080", ours},
		{"a port that is forwarded", "0.0.0.0:8080", reader, "172.17.0.2:8080", "192.0.2.1:80", "192.0.2.1:80"},
		{"on this machine", "0.0.0.0:8080", here, "127.0.0.1:8080", "127.0.0.1:8080", found},
		{"all", "[::]:8080", here, "127.0.0.1:8080", "localhost:8080", found},
	} {
		a := newAdmin(t, "", func(*http.Request) {})
		a.listener, a.hostname = netip.MustParseAddrPort(c.listener), "studio"
		r := at("GET /trust", c.client, c.local, c.host)
		if got := a.forPhones(r); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		text := answer(a, r).Body.String()
		shown := c.want != "" && IsLocal(r)
		if strings.Contains(text, "<svg") != shown ||
			strings.Contains(text, `href="http://`+c.want+`/trust"`) != shown {
			t.Errorf("%s: %s", c.name, text)
		}
		if local := strings.Contains(text, "warcorder browser"); local != IsLocal(r) {
			t.Errorf("%s: the commands are there: %v", c.name, local)
		}
	}
}
