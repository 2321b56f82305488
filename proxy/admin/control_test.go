package admin

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"warcorder/proxy/hosts"
)

// TestControl: the page changes something without the token where Live.Control has its address, and
// nowhere else; who may not read has no page. What the page has no button for takes the token itself.
func TestControl(t *testing.T) {
	lan := browser("Referer", "http://"+ours+"/trust", "Upgrade-Insecure-Requests", "1")
	for _, c := range []struct {
		name, control, client, host string
		typed                       http.Header
		want                        bool
	}{
		{"loopback: this machine", "@loopback", here, "127.0.0.1:8080", typed(), true},
		{"loopback: a reader elsewhere", "@loopback", reader, ours, lan, false},
		{"readers: this machine", bothReaders, here, "127.0.0.1:8080", typed(), true},
		{"readers: a reader elsewhere", bothReaders, reader, ours, lan, true},
		{"readers: nobody else", "@any", stranger, ours, lan, false},
		{"token: this machine", "", here, "127.0.0.1:8080", typed(), false},
		{"token: a reader elsewhere", "", reader, ours, lan, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := lively(t, bothReaders, false)
			networks, err := hosts.ParseNetworks(c.control)
			if err != nil {
				t.Fatal(err)
			}
			a.live.Control = networks
			a.Add(Page{"POST /record", TokenHolder, true, http.NotFoundHandler()})
			w := answer(a, newRequest("GET /", c.client, c.host, "", c.typed))
			cookies := w.Result().Cookies()
			if got := strings.Contains(w.Body.String(), `data-control="true"`); got != c.want || len(cookies) > 0 != c.want {
				t.Errorf("buttons: %v, cookies: %v", got, cookies)
			}
			self := fields("same-origin", "cors", "empty", "Origin", "http://"+c.host)
			for page, want := range map[string]int{"POST /pause": 200, "POST /record": 401} {
				r := newRequest(page, c.client, c.host, "", self)
				for _, cookie := range cookies {
					r.AddCookie(cookie)
				}
				if !c.want {
					want = 401
				}
				if w := answer(a, r); w.Code != want {
					t.Errorf("%s: %d, want %d: %s", page, w.Code, want, w.Body)
				}
			}
		})
	}
}

// TestAsked: of each request that may change something somebody is told who sent it; not of what is
// refused, and not of what only reads.
func TestAsked(t *testing.T) {
	a := lively(t, bothReaders, true)
	told := []string{}
	a.told = func(r *http.Request, byPage bool) {
		told = append(told, fmt.Sprint(r.URL.Path, " ", r.RemoteAddr, " ", byPage))
	}
	cookie := frontCookie(t, a, here, "127.0.0.1:8080")
	self := fields("same-origin", "cors", "empty", "Origin", "http://127.0.0.1:8080")
	r := newRequest("POST /pause", here, "127.0.0.1:8080", "", self)
	answer(a, r)
	r.AddCookie(cookie)
	answer(a, r)
	answer(a, newRequest("POST /pause", stranger, ours, "token="+secret, nil))
	if want := []string{"/pause " + here + " true", "/pause " + stranger + " false"}; !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
}

// TestBehindTLS: the page works behind a server that takes TLS off and leaves Host alone, by what the
// browser says; no field that such a server might add, or anybody else, makes a page of another
// origin ours.
func TestBehindTLS(t *testing.T) {
	a := lively(t, bothReaders, true)
	back := httptest.NewServer(a)
	defer back.Close()
	to, err := url.Parse(back.URL)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.SetXForwarded()
		r.Out.Host = r.In.Host
	}})
	defer front.Close()
	client := front.Client()
	client.Transport.(*http.Transport).TLSClientConfig.MinVersion = tls.VersionTLS12
	ask := func(method, path string, header http.Header, cookies ...*http.Cookie) *http.Response {
		t.Helper()
		r, err := http.NewRequest(method, front.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header
		for _, cookie := range cookies {
			r.AddCookie(cookie)
		}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	page := ask("GET", "/", typed())
	if page.StatusCode != 200 || len(page.Cookies()) != 1 {
		t.Fatalf("%d %v", page.StatusCode, page.Header)
	}
	other := "https://127.0.0.1:1"
	plain := "http://" + strings.TrimPrefix(front.URL, "https://")
	for _, c := range []struct {
		name   string
		header http.Header
		want   int
	}{
		{"the page", fields("same-origin", "cors", "empty", "Origin", front.URL), 200},
		{"a browser that does not say the site", says("Origin", front.URL), 403},
		{"another port", fields("same-site", "cors", "empty", "Origin", other), 403},
		{"another port, as no browser says it", fields("same-origin", "cors", "empty", "Origin", other), 403},
		{"our name, another site", fields("cross-site", "cors", "empty", "Origin", front.URL), 403},
		{"without TLS", fields("cross-site", "cors", "empty", "Origin", plain), 403},
		{"another site, which says that it has TLS", fields("cross-site", "cors", "empty",
			"Origin", front.URL, "X-Forwarded-Proto", "https"), 403},
	} {
		if got := ask("POST", "/pause", c.header, page.Cookies()...).StatusCode; got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestSecured: the port that all know may be said or not.
func TestSecured(t *testing.T) {
	for _, c := range []struct {
		origin, host string
		want         bool
	}{
		{"https://archive", "archive", true},
		{"https://archive", "Archive:443", true},
		{"https://archive:443", "archive", true},
		{"https://archive:8443", "archive:8443", true},
		{"https://archive:8443", "archive", false},
		{"https://archive", "archive:8443", false},
		{"https://", "", false},
		{"http://archive", "archive", false},
		{"null", "archive", false},
	} {
		r := request("POST", "/pause")
		r.Host = c.host
		if isSecured(c.origin, r, true) != c.want || isSecured(c.origin, r, false) {
			t.Errorf("%s at %s: %v", c.origin, c.host, !c.want)
		}
	}
}
