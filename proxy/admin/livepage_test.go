package admin

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"warcorder/proxy/hosts"
)

// framesOn are frames that a listener at an address has.
func framesOn(address string) func() netip.AddrPort {
	return func() netip.AddrPort { return netip.MustParseAddrPort(address) }
}

// lively is newAdmin with a live page.
func lively(t *testing.T, readers string, control bool) *Admin {
	t.Helper()
	cfg, controls := newAdmin(t, readers, func(*http.Request) {}), hosts.Networks{}
	if control {
		controls = cfg.readers
	}
	a := New(Config{Readers: cfg.readers, Tokens: []string{secret}, Listener: cfg.listener,
		Live: &Live{controls, framesOn("127.0.0.1:9999")}})
	a.Add(Switch("POST /pause", func() any { return "paused" }))
	return a
}

const bothReaders = "@loopback,192.0.2.9"

// What / shows.
const (
	livePage        = "the live page"
	withCookie      = livePage + ", and a cookie"
	toTrust         = "the way to the trust page"
	trustPageItself = "the trust page"
	goOn            = "the way on, and a cookie"
	nothing         = "nothing"
)

func shown(w *httptest.ResponseRecorder) (what string) {
	cookie := len(w.Result().Cookies()) > 0
	switch {
	case w.Code == 200 && strings.Contains(w.Body.String(), `src="live/app.js"`):
		if what = livePage; cookie {
			what = withCookie
		}
		return what
	case w.Code == 302 && w.Header().Get("Location") == "/trust" && !cookie:
		return toTrust
	case w.Code == 200 && strings.Contains(w.Body.String(), "http-equiv") && cookie:
		return goOn
	case w.Code == 200 && strings.Contains(w.Body.String(), "/ca.mobileconfig") && !cookie:
		return trustPageItself
	case (w.Code == 403 || w.Code == 421) && !cookie:
		return nothing
	}
	return w.Body.String()
}

// TestFront: who may read sees the live page, and in a browser gets the cookie with it, unless
// page-control says that it takes the token; others, and pages of other sites, get what they got
// without it.
func TestFront(t *testing.T) {
	for _, c := range []struct {
		name, client, host, path string
		header                   http.Header
		want                     string
		byToken                  string // with page-control: token, if that is something else
	}{
		{"program", here, "127.0.0.1:8080", "/", nil, livePage, ""},
		{"typed", here, "127.0.0.1:8080", "/", typed(), withCookie, livePage},
		{"at localhost", here, "localhost:8080", "/", typed(), withCookie, livePage},
		{"at IPv6", "[::1]:1", "[::1]:8080", "/", typed(), withCookie, livePage},
		{"our page asks", here, "127.0.0.1:8080", "/", fields("same-origin", "cors", "empty"), livePage, ""},
		{"at any address", here, "0.0.0.0:8080", "/", typed(), toTrust, ""},
		{"at another address of ours", here, ours, "/", browser("Upgrade-Insecure-Requests", "1"), toTrust, ""},
		{"reader's program", reader, ours, "/", nil, livePage, ""},
		{"typed by a reader, who may have been led", reader, ours, "/",
			browser("Upgrade-Insecure-Requests", "1"), toTrust, ""},
		{"followed by a reader", reader, ours, "/",
			browser("Referer", "http://"+ours+"/trust", "Upgrade-Insecure-Requests", "1"), withCookie, livePage},
		{"stranger", stranger, ours, "/", browser("Upgrade-Insecure-Requests", "1"), toTrust, ""},
		{"stranger's program", stranger, ours, "/", nil, toTrust, ""},
		{"stranger at localhost", stranger, "localhost:8080", "/", nil, toTrust, ""},

		{"led by another site", here, "127.0.0.1:8080", "/",
			fields("cross-site", "navigate", "document"), toTrust, ""},
		{"led by another port", here, "127.0.0.1:8080", "/",
			fields("same-site", "navigate", "document"), toTrust, ""},
		{"frame", here, "127.0.0.1:8080", "/", fields("cross-site", "navigate", "iframe"), nothing, ""},
		{"our own frame", here, "127.0.0.1:8080", "/", fields("same-origin", "navigate", "iframe"), livePage, ""},
		{"fetch", here, "127.0.0.1:8080", "/",
			fields("cross-site", "cors", "empty", "Origin", "http://a.example"), nothing, ""},
		{"fetch without consent", here, "127.0.0.1:8080", "/",
			fields("cross-site", "no-cors", "empty"), nothing, ""},
		{"rebound", here, "rebound.example:8080", "/", typed(), nothing, ""},
		{"our name in Host alone", here, Name, "/", typed(), nothing, ""},

		{"token in the URL", stranger, ours, "/?token=" + secret,
			browser("Upgrade-Insecure-Requests", "1"), goOn, ""},
		{"token before the path", stranger, ours, "/token=" + secret + "/",
			browser("Upgrade-Insecure-Requests", "1"), goOn, ""},
		{"token before the path, led by another site", stranger, ours, "/token=" + secret + "/",
			fields("cross-site", "navigate", "document"), goOn, ""},
		{"program with the token before the path", stranger, ours, "/token=" + secret + "/", nil, livePage, ""},
		{"token in a header", stranger, ours, "/", says("Authorization", "Bearer "+secret), livePage, ""},
	} {
		for _, control := range []bool{true, false} {
			want := c.want
			if !control && c.byToken != "" {
				want = c.byToken
			}
			for _, method := range []string{"GET", "HEAD"} {
				r := httptest.NewRequest(method, c.path, nil)
				r.Host, r.RemoteAddr, r.Header = c.host, c.client, c.header.Clone()
				if r.Header == nil {
					r.Header = http.Header{}
				}
				if got := shown(answer(lively(t, bothReaders, control), r)); got != want {
					t.Errorf("%s, %v: %s, want %s", c.name, control, got, want)
				}
			}
		}
	}
}

// TestFrontByName: under the proxy's own name / is the trust page for all, and nothing of the live
// page is there.
func TestFrontByName(t *testing.T) {
	a := lively(t, bothReaders, true)
	if got := shown(answerOrNone(a, through("GET /", Name, "", false, typed()))); got != trustPageItself {
		t.Error(got)
	}
	for _, page := range []string{"GET /live/app.js", "POST /pause"} {
		if w := answerOrNone(a, through(page, Name, "token="+secret, false, nil)); w.Code != 403 {
			t.Errorf("%s: %d", page, w.Code)
		}
	}
}

// TestNotLive: a program without a live page leads all to the trust page, which has no link to it.
func TestNotLive(t *testing.T) {
	a := newAdmin(t, bothReaders, func(*http.Request) {})
	if got := shown(answer(a, newRequest("GET /", here, "127.0.0.1:8080", "", typed()))); got != toTrust {
		t.Error(got)
	}
	if w := answer(a, request("GET", "/live/app.js")); w.Code != 404 {
		t.Errorf("an asset: %d", w.Code)
	}
	const link = `<a href="/">`
	if w := answer(a, request("GET", "/trust")); strings.Contains(w.Body.String(), link) {
		t.Errorf("a link to it: %s", w.Body)
	}
	if w := answer(lively(t, "", true), request("GET", "/trust")); !strings.Contains(w.Body.String(), link) {
		t.Error("no link to it")
	}
}

// TestAssetsAreForReaders, and for nobody else.
func TestAssetsAreForReaders(t *testing.T) {
	a := lively(t, bothReaders, true)
	for _, c := range []struct {
		name, client, host string
		header             http.Header
		want               int
	}{
		{"our page", here, "127.0.0.1:8080", fields("same-origin", "cors", "script"), 200},
		{"reader's page", reader, ours, browser("Referer", "http://"+ours+"/live/app.js"), 200},
		{"stranger", stranger, ours, nil, 401},
		{"another site", here, "127.0.0.1:8080", fields("cross-site", "no-cors", "script"), 403},
		{"rebound", here, "a.example", nil, 421},
	} {
		if w := answer(a, newRequest("GET /live/app.js", c.client, c.host, "", c.header)); w.Code != c.want {
			t.Errorf("%s: %d, want %d", c.name, w.Code, c.want)
		}
	}
}

// frontCookie is the cookie that the browser of a reader gets with the live page.
func frontCookie(t *testing.T, a *Admin, client, host string) *http.Cookie {
	t.Helper()
	header := typed()
	if client == reader {
		header = browser("Referer", "http://"+host+"/trust", "Upgrade-Insecure-Requests", "1")
	}
	w := answer(a, newRequest("GET /", client, host, "", header))
	if shown(w) != withCookie || !strings.Contains(w.Body.String(), `data-control="true"`) {
		t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	if cookie := w.Header().Get("Set-Cookie"); !strings.HasSuffix(cookie, "; Path=/; HttpOnly; SameSite=Strict") {
		t.Errorf("%s", cookie)
	}
	return w.Result().Cookies()[0]
}

// TestChangeFromPage: what the live page asks for is done for who may read; without the page, from
// elsewhere, or from a page of another site, nothing is, whether its browser sends the cookie or not.
func TestChangeFromPage(t *testing.T) {
	const lo, at = "127.0.0.1:8080", "http://127.0.0.1:8080"
	self := func(origin string) http.Header {
		return fields("same-origin", "cors", "empty", "Origin", origin, "Referer", origin+"/")
	}
	for _, c := range []struct {
		name, cookieOf, client, host string
		header                       http.Header
		want, bare                   int // bare: without the cookie
	}{
		{"the live page", here, here, lo, self(at), 200, 401},
		{"at localhost", here, here, "localhost:8080", self("http://localhost:8080"), 200, 401},
		{"at IPv6", here, "[::1]:9", "[::1]:8080", self("http://[::1]:8080"), 200, 401},
		{"beyond loopback", reader, reader, ours, says("Origin", "http://"+ours), 200, 401},

		{"curl", here, here, lo, nil, 403, 401},
		{"curl at another address", here, stranger, ours, nil, 401, 401},
		{"curl at another address, as the page", here, stranger, ours, self("http://" + ours), 401, 401},
		{"curl at a reader's address, as the page", here, reader, ours, self("http://" + ours), 401, 401},
		{"a reader's, taken to this machine", reader, here, lo, self(at), 401, 401},
		{"wrong token in the URL", here, here, lo, nil, 403, 401},

		{"fetch", here, here, lo, fields("cross-site", "cors", "empty", "Origin", "http://a.example"), 403, 401},
		{"fetch without consent", here, here, lo,
			fields("cross-site", "no-cors", "empty", "Origin", "http://a.example"), 403, 401},
		{"fetch of another port", here, here, lo,
			fields("same-site", "no-cors", "empty", "Origin", "http://127.0.0.1:3000"), 403, 401},
		{"form", here, here, lo,
			fields("cross-site", "navigate", "document", "Origin", "http://a.example"), 403, 401},
		{"form of another port", here, here, lo,
			fields("same-site", "navigate", "document", "Origin", "http://127.0.0.1:3000"), 403, 401},
		{"form in a frame", here, here, lo,
			fields("cross-site", "navigate", "iframe", "Origin", "http://a.example"), 403, 401},
		{"form in a sandbox", here, here, lo,
			fields("cross-site", "navigate", "iframe", "Origin", "null"), 403, 401},
		{"our Origin, other site", here, here, lo,
			fields("cross-site", "cors", "empty", "Origin", at), 403, 401},
		{"our Origin, of no page", here, here, lo, fields("none", "cors", "empty", "Origin", at), 403, 401},
		{"our site, no Origin", here, here, lo, fields("same-origin", "cors", "empty"), 403, 401},
		{"localhost's page at 127.0.0.1", here, here, lo,
			fields("cross-site", "cors", "empty", "Origin", "http://localhost:8080"), 403, 401},
		{"our name's page", here, here, lo,
			fields("cross-site", "cors", "empty", "Origin", "http://"+Name), 403, 401},
		{"rebound", here, here, "rebound.example:8080", self("http://rebound.example:8080"), 421, 421},
		{"rebound reader", reader, reader, "rebound.example", says("Origin", "http://rebound.example"), 421, 421},
		{"form beyond loopback", reader, reader, ours,
			browser("Origin", "http://a.example", "Upgrade-Insecure-Requests", "1"), 403, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := lively(t, bothReaders, true)
			host := map[string]string{here: lo, reader: ours}[c.cookieOf]
			cookie := frontCookie(t, a, c.cookieOf, host)
			for _, given := range []bool{true, false} {
				r := newRequest("POST /pause", c.client, c.host, "", c.header)
				want := c.bare
				if given {
					r.AddCookie(cookie)
					want = c.want
				}
				w := answer(a, r)
				if w.Code != want || w.Header().Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("cookie %v: %d, want %d: %s", given, w.Code, want, w.Body)
				}
			}
		})
	}
}

// TestChangeByToken: with page-control: token the page of who has none changes nothing, and has no
// buttons for it; a person who comes with the token has them.
func TestChangeByToken(t *testing.T) {
	a := lively(t, bothReaders, false)
	w := answer(a, newRequest("GET /", here, "127.0.0.1:8080", "", typed()))
	if shown(w) != livePage || !strings.Contains(w.Body.String(), `data-control="false"`) {
		t.Errorf("%s %v", w.Body, w.Header())
	}
	self := fields("same-origin", "cors", "empty", "Origin", "http://127.0.0.1:8080")
	if w := answer(a, newRequest("POST /pause", here, "127.0.0.1:8080", "", self)); w.Code != 401 ||
		!strings.Contains(w.Body.String(), "recorder.token") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	cookie := cookieFor(t, a, here, "127.0.0.1:8080")
	r := newRequest("GET /", here, "127.0.0.1:8080", "", typed())
	r.AddCookie(cookie)
	if w := answer(a, r); !strings.Contains(w.Body.String(), `data-control="true"`) {
		t.Errorf("%s", w.Body)
	}
	r = newRequest("POST /pause", here, "127.0.0.1:8080", "", self)
	r.AddCookie(cookie)
	if w := answer(a, r); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	r = httptest.NewRequest("POST", "/token="+secret+"/pause", nil)
	r.Host, r.RemoteAddr = ours, stranger
	if w := answer(a, r); w.Code != 200 {
		t.Errorf("by the token before the path: %d %s", w.Code, w.Body)
	}
}

// TestPageIsOver: a page that was open for too long is told to load itself again.
func TestPageIsOver(t *testing.T) {
	a := lively(t, bothReaders, true)
	self := fields("same-origin", "cors", "empty", "Origin", "http://127.0.0.1:8080")
	w := answer(a, newRequest("POST /pause", here, "127.0.0.1:8080", "", self))
	if w.Code != 401 || !strings.Contains(w.Body.String(), "Load it again") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestFrames: the frames are at the host that the client has asked us at, in one spelling, or at
// their own where that is another address; where the client cannot reach them, there are none.
func TestFrames(t *testing.T) {
	a := lively(t, bothReaders, true)
	const lan = "192.0.2.1:8080"
	for _, c := range []struct{ listener, client, local, host, want, policy string }{
		{"127.0.0.1:9999", here, "127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1:9999", ""},
		{"127.0.0.1:9999", here, "127.0.0.1:8080", "LOCALHOST:8080", "http://localhost:9999", ""},
		{"127.0.0.1:9999", here, "127.0.0.1:8080", "127.0.0.1", "http://127.0.0.1:9999", ""},
		{"127.0.0.1:9999", here, "127.0.0.1:8080", "localhost:9090", "http://localhost:9999", ""}, // a forwarded port
		{"[::1]:9999", "[::1]:40000", "[::1]:8080", "[::1]:8080", "http://[::1]:9999", "http://*:9999"},
		{"[::]:9999", "[::1]:40000", "[::1]:8080", "[::1]:8080", "http://[::1]:9999", "http://*:9999"},
		{"127.0.0.2:9999", here, "127.0.0.1:8080", "localhost:8080", "http://127.0.0.2:9999", ""},
		{"[::1]:9999", here, "127.0.0.1:8080", "localhost:8080", "http://[::1]:9999", "http://*:9999"},
		{"0.0.0.0:9999", "192.0.2.9:40000", lan, lan, "http://192.0.2.1:9999", ""},
		{"192.0.2.7:9999", "192.0.2.9:40000", lan, lan, "http://192.0.2.7:9999", ""},
		{"127.0.0.1:9999", "192.0.2.9:40000", lan, lan, "", "'none'"},
	} {
		a.live.Frames = framesOn(c.listener)
		r := at("GET /", c.client, c.local, c.host)
		for name, values := range typed() {
			r.Header[name] = values
		}
		r.Header.Set("Referer", "http://"+c.host+"/trust")
		w := answer(a, r)
		if !strings.Contains(w.Body.String(), `data-previews="`+c.want+`"`) || !strings.Contains(
			w.Header().Get("Content-Security-Policy"), "; frame-src "+cmp.Or(c.policy, c.want)+";") {
			t.Errorf("%+v: %d %s %v", c, w.Code, w.Body, w.Header())
		}
	}
	a.live.Frames = nil
	w := answer(a, newRequest("GET /", here, "127.0.0.1:8080", "", typed()))
	if !strings.Contains(w.Header().Get("Content-Security-Policy"), "; frame-src 'none';") {
		t.Errorf("%v", w.Header())
	}
}

// TestWrongToken: who is let in without a token is told that the one in the address is none, and where
// the link on that page leads learns nothing of it. A page that lets its own name point here learns of
// no token whether it is right.
func TestWrongToken(t *testing.T) {
	for path, client := range map[string]string{"/?token=x": here, "/token=x/": here, "/token=x/status?a": here,
		"/status?token=x": here, "/?a&token=x": stranger} {
		r := httptest.NewRequest("GET", path, nil)
		r.Host, r.RemoteAddr, r.Header = "127.0.0.1:8080", client, typed()
		r.Header.Set("Accept", "text/html")
		w := answer(lively(t, bothReaders, true), r)
		if w.Code != 401 || !strings.Contains(w.Body.String(), "is not the one of this recorder") ||
			w.Header().Get("Referrer-Policy") != "no-referrer" || len(w.Result().Cookies()) > 0 {
			t.Errorf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
		}
	}
	for _, path := range []string{"/?token=x", "/token=x/", "/token=x/status", "/?token=" + secret} {
		r := httptest.NewRequest("GET", path, nil)
		r.Host, r.RemoteAddr, r.Header = "evil.example:8080", here, typed()
		if w := answer(lively(t, bothReaders, true), r); w.Code != 421 ||
			strings.Contains(w.Body.String(), "token") || len(w.Result().Cookies()) > 0 {
			t.Errorf("%s at another name: %d %v %s", path, w.Code, w.Header(), w.Body)
		}
	}
}
