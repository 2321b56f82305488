package admin

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// fields are what a browser says of a request: site, mode and destination.
func fields(site, mode, dest string) http.Header {
	return http.Header{"Sec-Fetch-Site": {site}, "Sec-Fetch-Mode": {mode}, "Sec-Fetch-Dest": {dest}}
}

func origin(of string) http.Header { return http.Header{"Origin": {of}} }

// TestCrossSite: what a page of another site makes a browser send gets nothing and starts nothing,
// but that a link may lead to what is meant for people, and to certificates.
func TestCrossSite(t *testing.T) {
	link, image := fields("cross-site", "navigate", "document"), fields("cross-site", "no-cors",
		"image")
	for _, c := range []struct {
		name, method, path, host string
		header                   http.Header
		want                     int
	}{
		{"a program", "GET", "/export", "127.0.0.1:8080", nil, 200},
		{"typed", "GET", "/export", "127.0.0.1:8080", fields("none", "navigate", "document"), 200},
		{"from our own page", "GET", "/export", "127.0.0.1:8080", fields("same-origin", "navigate", "document"), 200},
		{"image", "GET", "/export", "127.0.0.1:8080", image, 403},
		{"fetch", "GET", "/status", "localhost:8080", fields("cross-site", "cors", "empty"), 403},
		{"page on another port", "GET", "/status", "localhost:8080", fields("same-site", "cors", "empty"), 403},
		{"link to work", "GET", "/export", "127.0.0.1:8080", link, 403},
		{"link to a page for people", "GET", "/", "127.0.0.1:8080", link, 200},
		{"link to a certificate", "GET", "/ca.pem", "127.0.0.1:8080", link, 200},
		{"link to the PAC", "GET", "/proxy.pac", "127.0.0.1:8080", link, 200},
		{"frame", "GET", "/", "127.0.0.1:8080", fields("cross-site", "navigate", "iframe"), 403},
		{"image of a certificate", "GET", "/ca.pem", "127.0.0.1:8080", image, 403},
		{"form", "POST", "/", "127.0.0.1:8080", link, 403},
		{"said twice", "GET", "/status", "127.0.0.1:8080", http.Header{"Sec-Fetch-Site": {"none", "cross-site"}}, 403},
		{"old browser", "GET", "/status", "127.0.0.1:8080", origin("http://other.example"), 403},
		{"old browser, opaque", "GET", "/status", "127.0.0.1:8080", origin("null"), 403},
		{"old browser, other port", "GET", "/status", "127.0.0.1:8080", origin("http://127.0.0.1:3000"), 403},
		{"old browser, our own page", "GET", "/status", "127.0.0.1:8080", origin("http://127.0.0.1:8080"), 200},
		{"change, with the token", "POST", "/change", "127.0.0.1:8080", fields("cross-site", "cors", "empty"), 200},
		{"consent to a change", "OPTIONS", "/change", "127.0.0.1:8080", fields("cross-site", "cors", "empty"), 403},
		{"any address", "GET", "/export", "0.0.0.0:8080", nil, 403},
		{"any address, mapped", "GET", "/export", "[::ffff:0.0.0.0]:8080", nil, 403},
		{"any address, certificate", "GET", "/ca.pem", "0.0.0.0:8080", nil, 200},
		{"another loopback", "GET", "/status", "127.9.9.9:8080", nil, 200},
		{"loopback of IPv6", "GET", "/status", "[::1]:8080", nil, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := New(Authority{}, func() (any, bool) { return nil, true })
			worked := false
			work := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { worked = true })
			for _, pattern := range []string{"GET /export", "GET /proxy.pac"} {
				a.Handle(pattern, work)
			}
			a.HandleWithToken("POST /change", "secret", work)
			r := httptest.NewRequest(c.method, c.path, nil)
			r.Host, r.RemoteAddr = c.host, "127.0.0.1:1"
			if c.header != nil {
				r.Header = c.header
			}
			r.Header.Set("Authorization", "Bearer secret")
			w := httptest.NewRecorder()
			a.ServeHTTP(w, r)
			if w.Code != c.want || worked && c.want != 200 {
				t.Errorf("%d %q, worked: %v, want %d", w.Code, strings.TrimSpace(w.Body.String()), worked,
					c.want)
			}
		})
	}
}
