package admin

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// TestIsName: no spelling but its own is the name, and none that others could have.
func TestIsName(t *testing.T) {
	for host, want := range map[string]bool{
		Name: true, Name + ".": true, TrustName: true, "a.b." + Name: true, TrustName + ".": true,
		"": false, "internal": false, ".": false, "x" + Name: false, Name + "..": false,
		Name + ".example": false, "warcorder.internal.a": false, "arcorder.internal": false,
		"warcorder-internal": false, "warcorder%2einternal": false,
		"\uff57arcorder.internal": false, "warcorder\u3002internal": false, "w\u0430rcorder.internal": false,
	} {
		if got := IsName(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

// through is a request that came through the proxy, to a name of ours.
func through(page, host, query string, secure bool, header http.Header) *http.Request {
	r := newRequest(page, here, host, query, header)
	local := net.TCPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:8080"))
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
	return ByName(r, secure)
}

// answerOrNone is the answer to a request; one that is none has no status.
func answerOrNone(a *Admin, r *http.Request) (w *httptest.ResponseRecorder) {
	w = httptest.NewRecorder()
	defer func() {
		if value := recover(); value == http.ErrAbortHandler && w.Body.Len() == 0 {
			w.Code = 0
		} else if value != nil {
			panic(value)
		}
	}()
	a.ServeHTTP(w, r)
	return w
}

// TestByName: under the proxy's own name is what is for everybody, and nothing else: not for a
// reader, not for who has the token, not under other names, not for pages of other sites.
func TestByName(t *testing.T) {
	bearer := says("Authorization", "Bearer "+secret)
	for _, c := range []struct {
		name, page, host, query string
		header                  http.Header
		want                    int
	}{
		{"program", "GET /", Name, "", nil, 200},
		{"the page's own address", "GET /trust", Name, "", nil, 200},
		{"HEAD", "HEAD /", Name, "", nil, 200},
		{"typed", "GET /", Name, "", browser("Upgrade-Insecure-Requests", "1"), 200},
		{"link", "GET /", Name, "",
			browser("Upgrade-Insecure-Requests", "1", "Referer", "http://a.example/"), 200},
		{"certificate", "GET /ca.mobileconfig", Name, "", browser("Referer", "http://"+Name+"/"), 200},
		{"script", "GET /proxy.pac", Name, "", nil, 200},
		{"probe", "GET /healthz", Name, "", nil, 200},
		{"nothing", "GET /nothing", Name, "", nil, 404},
		{"changes nothing", "POST /", Name, "", nil, 405},
		{"OPTIONS", "OPTIONS /", Name, "", nil, 405},

		{"status", "GET /status", Name, "", nil, 403},
		{"status, of our page", "GET /status", Name, "", browser("Referer", "http://"+Name+"/"), 403},
		{"status, with the token", "GET /status", Name, "", bearer, 403},
		{"status, with the token in the URL", "GET /status", Name, "token=" + secret, nil, 403},
		{"export", "GET /export", Name, "token=" + secret, nil, 403},
		{"record", "POST /record", Name, "", nil, 403},
		{"record, with the token", "POST /record", Name, "", bearer, 403},
		{"pause, with the token in the URL", "POST /pause", Name, "token=" + secret, nil, 403},
		{"asks before, with the token", "OPTIONS /record", Name, "token=" + secret,
			says("Origin", "http://a.example", "Access-Control-Request-Method", "POST"), 0},
		{"no cookie for the token", "GET /", Name, "token=" + secret, typed(), 200},

		{"image of another site", "GET /ca.crt", Name, "",
			browser("Referer", "http://a.example/"), 0},
		{"fetch of another site", "GET /trust", Name, "", browser("Origin", "http://a.example"), 0},
		{"of a page that there is not", "GET /nothing", Name, "", browser("Origin", "http://a.example"), 0},
		{"of another port", "GET /", Name + ":8080", "", browser("Origin", "http://a.example"), 0},
		{"of a name below", "GET /", "a." + Name, "", browser("Origin", "http://a.example"), 0},
		{"of a reader's page", "GET /status", Name, "", browser("Referer", "http://a.example/"), 0},
		{"upload of another site", "POST /record", Name, "token=" + secret,
			browser("Origin", "http://a.example"), 0},
		{"frame of another site", "GET /", Name, "",
			fields("cross-site", "navigate", "iframe", "Upgrade-Insecure-Requests", "1"), 0},
		{"frame with a file", "GET /ca.pem", Name, "",
			browser("Upgrade-Insecure-Requests", "1", "Referer", "http://a.example/"), 0},
		{"what fetches files", "GET /ca.mobileconfig", Name, "", browser(), 200},
		{"frame that hides where it is", "GET /ca.pem", Name, "",
			browser("Upgrade-Insecure-Requests", "1"), 403},

		{"the name that is asked", "GET /", TrustName, "", nil, 421},
		{"a name below", "GET /", "a." + Name, "", nil, 421},
		{"a name below, asked", "GET /here", "a." + Name, "", nil, 421},
		{"another name", "GET /", "a.example", "", nil, 421},
		{"an address", "GET /status", "127.0.0.1:8080", "", nil, 421},
	} {
		for _, secure := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				a := newAdmin(t, DefaultReaders, func(r *http.Request) { t.Error("worked") })
				header := c.header.Clone()
				if referer := header.Get("Referer"); secure && referer != "" {
					header.Set("Referer", strings.Replace(referer, "http://"+Name, "https://"+Name, 1))
				}
				w := answerOrNone(a, through(c.page, c.host, c.query, secure, header))
				if w.Code != c.want {
					t.Errorf("%d, want %d: %s", w.Code, c.want, w.Body)
				}
				if cors := w.Header().Get("Access-Control-Allow-Origin"); cors != "" ||
					len(w.Result().Cookies()) > 0 || strings.Contains(w.Body.String(), secret) {
					t.Errorf("%v %s", w.Header(), w.Body)
				}
			})
		}
	}
}

// TestNameAlone: who sends our name in a Host field to our address is led by a name server, and gets
// nothing.
func TestNameAlone(t *testing.T) {
	a := newAdmin(t, DefaultReaders, func(*http.Request) {})
	for _, host := range []string{Name, Name + ":8080", TrustName, Name + "."} {
		for _, page := range []string{"GET /", "GET /trust", "GET /here", "GET /status"} {
			if w := answer(a, newRequest(page, here, host, "", nil)); w.Code != 421 {
				t.Errorf("%s %s: %d", host, page, w.Code)
			}
		}
	}
	if w := answer(a, request("GET", "/here")); w.Code != 404 {
		t.Errorf("the question at an address: %d", w.Code)
	}
}

// TestHere: which recorder this is learns a page of a recorder, and no page of another site.
func TestHere(t *testing.T) {
	a := newAdmin(t, DefaultReaders, func(*http.Request) {})
	a.hostname = "studio"
	for origin, want := range map[string]int{
		"http://127.0.0.1:8080": 200, "http://127.0.0.1:9": 200, "http://localhost:8080": 200,
		"http://[::1]:8080": 200, "http://192.168.1.5:8080": 200, "http://10.0.0.1": 200,
		"http://[fd00::1]:8080": 200, "http://studio:8080": 200, "http://" + Name: 200,
		"https://" + Name: 200,

		"http://a.example": 0, "https://a.example": 0, "null": 0, "file://": 0,
		"http://192.0.2.9:8080": 0, "http://8.8.8.8": 0, "http://[2001:db8::1]": 0,
		"https://127.0.0.1:8080": 0, "http://127.0.0.1.a.example": 0, "http://localhost.a.example": 0,
		"http://a.localhost": 0, "http://" + Name + ":8080": 0, "http://" + Name + ".a.example": 0,
		"http://a." + Name: 0, "http://127.0.0.1@a.example": 0, "http://a.example:127.0.0.1": 0,
		"chrome-extension://abcdef": 0, "http://x@127.0.0.1": 0,
	} {
		for _, secure := range []bool{false, true} {
			host := map[bool]string{false: Name, true: TrustName}[secure]
			r := through("GET /here", host, "", secure, browser("Origin", origin))
			if secure { // where browsers say so
				r.Header.Set("Sec-Fetch-Site", "cross-site")
			}
			w := answerOrNone(a, r)
			got, cors := w.Body.String(), w.Header().Get("Access-Control-Allow-Origin")
			if r.Header.Get("Origin") == "https://"+Name && !secure {
				continue // a secure page asks over TLS alone
			}
			reads := strings.Contains(got, a.facts.Recorder)
			if w.Code != want || reads != (want == 200) || (cors == origin) != reads ||
				w.Header().Get("Cross-Origin-Resource-Policy") != "same-origin" {
				t.Errorf("%s, %v: %d %q %v", origin, secure, w.Code, got, w.Header())
			}
		}
	}
	for name, c := range map[string]struct {
		header http.Header
		want   int
	}{
		"program":          {nil, 200},
		"our page":         {browser("Referer", "http://"+Name+"/"), 200},
		"two origins":      {browser("Origin", "http://127.0.0.1", "Origin", "http://a.example"), 0},
		"image":            {browser("Referer", "http://a.example/"), 0},
		"image, says none": {browser(), 403},
		"link":             {browser("Referer", "http://a.example/", "Upgrade-Insecure-Requests", "1"), 0},
		"typed":            {browser("Upgrade-Insecure-Requests", "1"), 403},
	} {
		if w := answerOrNone(a, through("GET /here", Name, "", false, c.header)); w.Code != c.want {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}
