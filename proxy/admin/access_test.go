package admin

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// What browsers say of a request: site, mode and destination; and in older ones, or at addresses
// that are not of loopback, what is left.
func fields(site, mode, dest string, more ...string) http.Header {
	h := http.Header{"User-Agent": {"Mozilla/5.0"}, "Sec-Fetch-Site": {site}, "Sec-Fetch-Mode": {mode},
		"Sec-Fetch-Dest": {dest}}
	return with(h, more...)
}

func with(h http.Header, more ...string) http.Header {
	for i := 0; i < len(more); i += 2 {
		h.Add(more[i], more[i+1])
	}
	return h
}

func says(more ...string) http.Header { return with(http.Header{}, more...) }

func browser(more ...string) http.Header {
	return with(http.Header{"User-Agent": {"Mozilla/5.0 (X11)"}}, more...)
}

func typed() http.Header { return fields("none", "navigate", "document") }

// The addresses of a reader and of a stranger, and ours on their network.
const (
	here     = "127.0.0.1:40000"
	reader   = "192.0.2.9:40000"
	stranger = "192.0.2.10:40000"
	ours     = "192.0.2.1:8080"
)

// attacks are requests from all sides, and what they get of the pages that are open, of those for
// readers, and of those that change something.
var attacks = []struct {
	name, client, host, query string
	header                    http.Header
	open, read, change, noOne int // noOne: of those for readers, where readers is empty
}{
	// programs
	{"program", here, "127.0.0.1:8080", "", nil, 200, 200, 401, 401},
	{"at localhost", here, "LocalHost:8080", "", nil, 200, 200, 401, 401},
	{"another loopback", "127.3.2.1:1", "127.9.9.9", "", nil, 200, 200, 401, 401},
	{"IPv6", "[::1]:1", "[::1]:8080", "", nil, 200, 200, 401, 401},
	{"mapped", "[::ffff:127.0.0.1]:1", "127.0.0.1", "", nil, 200, 200, 401, 401},
	{"at any address", here, "0.0.0.0:8080", "", nil, 200, 403, 401, 401},
	{"at any address, mapped", here, "[::ffff:0.0.0.0]:8080", "", nil, 200, 403, 401, 401},
	{"at another address of ours", here, ours, "", nil, 200, 403, 401, 401},
	{"reader", reader, ours, "", nil, 200, 200, 401, 401},
	{"reader at localhost", reader, "localhost", "", nil, 200, 200, 401, 401},
	{"translated", "[2002:7f00:1::]:1", "127.0.0.1", "", nil, 200, 401, 401, 401},
	{"stranger", stranger, ours, "", nil, 200, 401, 401, 401},
	{"stranger at localhost", stranger, "127.0.0.1", "", nil, 200, 401, 401, 401},
	{"no address", "@", "127.0.0.1", "", nil, 200, 401, 401, 401},

	// names that others may point at us
	{"rebound", here, "rebound.example", "", nil, 421, 421, 421, 421},
	{"rebound, with port", here, "rebound.example:8080", "", nil, 421, 421, 421, 421},
	{"rebound, its own page", here, "rebound.example:8080", "",
		fields("same-origin", "cors", "empty"), 421, 421, 421, 421},
	{"rebound reader", reader, "rebound.example:8080", "",
		browser("Referer", "http://rebound.example:8080/"), 421, 421, 421, 421},
	{"rebound, with the token", here, "rebound.example", "token=" + secret, nil, 421, 421, 421, 421},
	{"begins like an address", here, "127.0.0.1.example", "", nil, 421, 421, 421, 421},
	{"below localhost", here, "a.localhost", "", nil, 421, 421, 421, 421},
	{"decimal", here, "2130706433", "", nil, 421, 421, 421, 421},
	{"no name", here, "", "", nil, 421, 421, 421, 421},

	// pages in browsers that say what they do
	{"typed", here, "127.0.0.1:8080", "", typed(), 200, 200, 401, 401},
	{"our page", here, "127.0.0.1:8080", "",
		fields("same-origin", "cors", "empty"), 200, 200, 401, 401},
	{"image", here, "127.0.0.1:8080", "",
		fields("cross-site", "no-cors", "image"), 403, 403, 401, 403},
	{"fetch", here, "127.0.0.1:8080", "",
		fields("cross-site", "cors", "empty", "Origin", "http://a.example"), 403, 403, 401, 403},
	{"another port", here, "127.0.0.1:8080", "",
		fields("same-site", "cors", "empty", "Origin", "http://127.0.0.1:3000"), 403, 403, 401, 403},
	{"frame", here, "127.0.0.1:8080", "",
		fields("cross-site", "navigate", "iframe"), 403, 403, 401, 403},
	{"link", here, "127.0.0.1:8080", "",
		fields("cross-site", "navigate", "document"), 200, 403, 401, 403},
	{"WebSocket", here, "127.0.0.1:8080", "",
		fields("cross-site", "websocket", "empty", "Origin", "http://a.example"), 403, 403, 401, 403},
	{"said twice", here, "127.0.0.1:8080", "",
		fields("none", "cors", "empty", "Sec-Fetch-Site", "cross-site"), 403, 403, 401, 403},
	{"said by two", here, "127.0.0.1:8080", "",
		fields("same-origin", "cors", "empty", "Origin", "http://a.example"), 403, 403, 401, 403},
	{"empty", here, "127.0.0.1:8080", "", fields("", "cors", "empty"), 403, 403, 401, 403},

	// pages in those that do not: older ones, and all beyond loopback
	{"old: image", here, "127.0.0.1:8080", "",
		browser("Referer", "http://a.example/"), 403, 403, 401, 403},
	{"old: image without Referer", here, "127.0.0.1:8080", "", browser(), 200, 403, 401, 403},
	{"old: fetch", here, "127.0.0.1:8080", "",
		browser("Origin", "http://a.example"), 403, 403, 401, 403},
	{"old: our page", here, "127.0.0.1:8080", "",
		browser("Referer", "http://127.0.0.1:8080/"), 200, 200, 401, 401},
	{"typed by a reader", reader, ours, "",
		browser("Upgrade-Insecure-Requests", "1"), 200, 403, 401, 403},
	{"followed by a reader", reader, ours, "",
		browser("Referer", "http://"+ours+"/", "Upgrade-Insecure-Requests", "1"), 200, 200, 401, 401},
	{"link", reader, ours, "",
		browser("Referer", "http://a.example/", "Upgrade-Insecure-Requests", "1"), 200, 403, 401, 403},
	{"Referer's port", reader, ours, "",
		browser("Referer", "http://192.0.2.1:80/"), 403, 403, 401, 403},
	{"Referer goes on", reader, ours, "",
		browser("Referer", "http://192.0.2.1:8080.a.example/"), 403, 403, 401, 403},
	{"Referer is short", reader, ours, "",
		browser("Referer", "http://192.0.2.1:8080"), 403, 403, 401, 403},
	{"Referer is secure", reader, ours, "",
		browser("Referer", "https://192.0.2.1:8080/"), 403, 403, 401, 403},
	{"opaque", reader, ours, "", browser("Origin", "null"), 403, 403, 401, 403},
	{"sandboxed link", reader, ours, "",
		browser("Origin", "null", "Upgrade-Insecure-Requests", "1"), 403, 403, 401, 403},
	{"strange name", reader, ours, "",
		says("User-Agent", "Kiosk", "Upgrade-Insecure-Requests", "1"), 200, 403, 401, 403},

	// the token
	{"token", stranger, ours, "", says("Authorization", "Bearer "+secret), 200, 200, 200, 200},
	{"other token", stranger, ours, "", says("Authorization", "Bearer another"), 200, 200, 200, 200},
	{"scheme in any case", here, "localhost", "",
		says("Authorization", "bearer  "+secret), 200, 200, 200, 200},
	{"token in the URL", stranger, ours, "token=" + secret, nil, 200, 200, 200, 200},
	{"token in the URL, of a page", stranger, ours, "a=b&token=" + secret,
		browser("Origin", "http://a.example"), 200, 200, 200, 200},
	{"token at another address", here, "0.0.0.0", "",
		says("Authorization", "Bearer "+secret), 200, 200, 200, 200},
	{"wrong token", stranger, ours, "",
		says("Authorization", "Bearer 0123456789abcdeF"), 200, 401, 401, 401},
	{"long token", stranger, ours, "",
		says("Authorization", "Bearer "+secret+"0"), 200, 401, 401, 401},
	{"short token", stranger, ours, "",
		says("Authorization", "Bearer 0123456789abcde"), 200, 401, 401, 401},
	{"empty token", stranger, ours, "", says("Authorization", "Bearer "), 200, 401, 401, 401},
	{"empty token in the URL", stranger, ours, "token=", nil, 200, 401, 401, 401},
	{"other scheme", stranger, ours, "", says("Authorization", "Basic "+secret), 200, 401, 401, 401},
	{"token as cookie", stranger, ours, "",
		says("Cookie", "warcorder-8080="+secret), 200, 401, 401, 401},
	{"wrong token, of a reader", here, "127.0.0.1", "token=x", nil, 200, 200, 401, 401},
	{"wrong token, of a page", here, "127.0.0.1:8080", "token=x",
		fields("cross-site", "no-cors", "image"), 403, 403, 401, 403},
}

// TestAttacks: each request of the table gets of each page what it may have, and no more; of what
// it may not have nothing is worked out.
func TestAttacks(t *testing.T) {
	pages := map[string][]string{
		"open": {"GET /trust", "HEAD /trust", "GET /proxy.pac", "GET /ca.pem", "GET /ca.crt", "GET /ca.p12",
			"GET /ca.mobileconfig", "GET /healthz", "GET /readyz"},
		"read":   {"GET /status", "HEAD /status", "GET /gaps", "GET /export", "HEAD /export"},
		"change": {"POST /record", "POST /pause", "POST /rotate"},
	}
	for _, c := range attacks {
		for _, readers := range []string{"@loopback,192.0.2.9", ""} {
			want := map[string]int{"open": c.open, "read": c.read, "change": c.change}
			if readers == "" {
				want["read"] = c.noOne
			}
			t.Run(c.name+" "+readers, func(t *testing.T) {
				for kind, all := range pages {
					for _, page := range all {
						attack(t, newRequest(page, c.client, c.host, c.query, c.header), readers, want[kind])
					}
				}
			})
		}
	}
}

func newRequest(page, client, host, query string, header http.Header) *http.Request {
	method, path, _ := strings.Cut(page, " ")
	r := request(method, path)
	r.Host, r.RemoteAddr, r.URL.RawQuery = host, client, query
	for name, values := range header {
		r.Header[name] = values
	}
	return r
}

// attack holds what a request gets against what it may get.
func attack(t *testing.T, r *http.Request, readers string, want int) {
	t.Helper()
	worked := false
	w := answer(newAdmin(t, readers, func(r *http.Request) { worked = true }), r)
	if probe := isProbe(r) && want == 421 && senderOf(r) == program; probe {
		want = 200 // under whatever name
	}
	if w.Code != want || worked && want != 200 {
		t.Errorf("%s %s: %d, worked: %v, want %d: %s", r.Method, r.URL.Path, w.Code, worked, want, w.Body)
	}
	if want != 200 && strings.Contains(w.Body.String(), "recorded\"") ||
		strings.Contains(fmt.Sprint(w.Body, w.Header()), secret) {
		t.Errorf("%s: %s %v", r.URL.Path, w.Body, w.Header())
	}
	consents := want == 200 && strings.Contains(r.URL.RawQuery, secret) && r.Header.Get("Origin") != ""
	for name := range w.Header() {
		if strings.HasPrefix(name, "Access-Control-") && !consents || name == "Set-Cookie" {
			t.Errorf("%s: %s: %s", r.URL.Path, name, w.Header().Get(name))
		}
	}
}
