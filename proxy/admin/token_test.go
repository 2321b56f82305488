package admin

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// cookieFor is the cookie that a person gets who comes with the token in the URL.
func cookieFor(t *testing.T, a *Admin, client, host string) *http.Cookie {
	t.Helper()
	w := answer(a, newRequest("GET /", client, host, "token="+secret, typed()))
	cookies := w.Result().Cookies()
	if w.Code != 200 || len(cookies) != 1 {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	return cookies[0]
}

// TestTokenBecomesCookie: a person who comes with the token in the URL goes on to the URL without
// it, with a cookie that only our pages can use; a program, or the page of another site, just gets
// what it asked for.
func TestTokenBecomesCookie(t *testing.T) {
	query := "a=%26&token=" + secret + "&%74oken=x&b"
	for _, c := range []struct {
		name, page string
		header     http.Header
		becomes    bool
	}{
		{"typed", "GET /export", typed(), true},
		{"link", "GET /export", fields("cross-site", "navigate", "document"), true},
		{"beyond loopback", "GET /export", browser("Upgrade-Insecure-Requests", "1"), true},
		{"fetch", "GET /export",
			fields("cross-site", "cors", "empty", "Origin", "http://a.example"), false},
		{"frame", "GET /export", fields("cross-site", "navigate", "iframe"), false},
		{"program", "GET /export", nil, false},
		{"form", "POST /record", fields("cross-site", "navigate", "document", "Origin", "null"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got *http.Request
			a := newAdmin(t, "", func(r *http.Request) { got = r })
			w := answer(a, newRequest(c.page, stranger, ours, query, c.header))
			if w.Code != 200 || strings.Contains(w.Body.String(), secret) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if !c.becomes {
				if got == nil || got.URL.RawQuery != "a=%26&b" ||
					strings.Contains(got.RequestURI, "oken") || len(w.Result().Cookies()) > 0 {
					t.Errorf("%v %v", got, w.Header())
				}
				return
			}
			cookie := w.Header().Get("Set-Cookie")
			if got != nil || !strings.Contains(w.Body.String(), `content="0; url=/export?a=%26&amp;b"`) ||
				!strings.HasPrefix(cookie, "warcorder-8080=") || strings.Contains(cookie, secret) ||
				!strings.HasSuffix(cookie, "; Path=/; HttpOnly; SameSite=Strict") ||
				w.Header().Get("Referrer-Policy") != "origin" {
				t.Errorf("%s %v", w.Body, w.Header())
			}
		})
	}
}

// TestCookie reads from pages of ours, and changes what a page of ours has a button for and says that
// it asks for, and nothing else. It
// counts at the address that it was given to, in this process, for some time, and on no other site.
func TestCookie(t *testing.T) {
	a := newAdmin(t, "", func(*http.Request) {})
	good := cookieFor(t, a, reader, ours)
	own, self := "http://"+ours, fields("same-origin", "cors", "empty", "Origin", "http://"+ours)
	other := cookieFor(t, newAdmin(t, "", func(*http.Request) {}), reader, ours)
	over := *good
	over.Value = a.proofs.cookie(newRequest("GET /", reader, ours, "", nil), time.Now().Unix()-1)
	late := *good
	late.Value = strings.Replace(good.Value, "1", "2", 1)
	for _, c := range []struct {
		name, client string
		cookie       *http.Cookie
		header       http.Header
		read, change int
	}{
		{"our page", reader, good, self, 200, 200},
		{"our page, without a browser's other fields", reader, good, says("Origin", own), 200, 200},
		{"no page", reader, good, nil, 200, 403},
		{"typed", reader, good, typed(), 200, 403},
		{"link on our page", reader, good, browser("Referer", own+"/"), 200, 403},
		{"another port", reader, good,
			fields("same-site", "cors", "empty", "Origin", "http://192.0.2.1:3000"), 403, 403},
		{"another port, image", reader, good, browser(), 403, 403},
		{"another port, form", reader, good,
			browser("Origin", "http://192.0.2.1:3000", "Upgrade-Insecure-Requests", "1"), 403, 403},
		{"another port's Referer", reader, good, browser("Referer", "http://192.0.2.1:3000/"), 403, 403},
		{"another site", reader, good,
			fields("cross-site", "cors", "empty", "Origin", "http://a.example"), 403, 403},
		{"opaque", reader, good, says("Origin", "null"), 403, 403},
		{"Origin without port", reader, good, says("Origin", "http://192.0.2.1"), 403, 403},
		{"secure Origin", reader, good, says("Origin", "https://"+ours), 403, 403},
		{"Origin is ours, site is not", reader, good,
			fields("same-site", "cors", "empty", "Origin", own), 403, 403},
		{"taken to another machine", stranger, good, self, 401, 401},
		{"of another process", reader, other, self, 401, 401},
		{"over", reader, &over, self, 401, 401},
		{"made longer", reader, &late, self, 401, 401},
		{"empty", reader, &http.Cookie{Name: good.Name}, self, 401, 401},
		{"under another name", reader, &http.Cookie{Name: "warcorder", Value: good.Value}, self, 401, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			for page, want := range map[string]int{"GET /status": c.read, "GET /export": c.read,
				"POST /pause": c.change, "POST /record": 401} {
				r := newRequest(page, c.client, ours, "", c.header)
				r.AddCookie(c.cookie)
				if w := answer(a, r); w.Code != want || w.Header().Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s: %d, want %d: %s %v", page, w.Code, want, w.Body, w.Header())
				}
			}
		})
	}
}

// TestNoTokens: where none is set none is right, and no cookie either.
func TestNoTokens(t *testing.T) {
	a := newAdmin(t, "", func(*http.Request) {})
	cookie := cookieFor(t, a, here, "localhost")
	a.proofs.tokens = nil
	for _, given := range []string{"", "Bearer ", "Bearer " + secret} {
		r := request("POST", "/pause")
		r.Header.Set("Authorization", given)
		r.AddCookie(cookie)
		r.URL.RawQuery = "token="
		if w := answer(a, r); w.Code != 401 {
			t.Errorf("%q: %d", given, w.Code)
		}
	}
}

// TestCookieNames: recorders at one address do not take each other's.
func TestCookieNames(t *testing.T) {
	for host, want := range map[string]string{"127.0.0.1:8080": "warcorder-8080", "localhost": "warcorder",
		"[::1]:81": "warcorder-81", "[::1]": "warcorder", "a:x=y": "warcorder", "a:": "warcorder"} {
		r := request("GET", "/")
		if r.Host = host; cookieName(r) != want {
			t.Errorf("%s: %s", host, cookieName(r))
		}
	}
}

// TestConsent: a page of another site reads what it has the token for in the URL, and nothing else;
// its browser asks before.
func TestConsent(t *testing.T) {
	worked := 0
	a := newAdmin(t, DefaultReaders, func(*http.Request) { worked++ })
	ask := fields("cross-site", "cors", "empty", "Origin", "http://a.example",
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization")
	for _, c := range []struct {
		name, page, query string
		header            http.Header
		want              int
		consents          bool
	}{
		{"asks before", "OPTIONS /record", "token=" + secret, ask, 204, true},
		{"asks before, wrong token", "OPTIONS /record", "token=x", ask, 403, false},
		{"asks before, no token", "OPTIONS /record", "", ask, 403, false},
		{"asks no more", "OPTIONS /record", "token=" + secret,
			says("Origin", "http://a.example"), 405, true},
		{"reads", "GET /export", "token=" + secret, says("Origin", "http://a.example"), 200, true},
		{"is opaque", "GET /export", "token=" + secret, says("Origin", "null"), 200, true},
		{"has it in a field", "GET /export", "",
			says("Origin", "http://a.example", "Authorization", "Bearer "+secret), 200, false},
		{"no page", "GET /export", "token=" + secret, nil, 200, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := answer(a, newRequest(c.page, stranger, ours, c.query, c.header))
			got := w.Header().Get("Access-Control-Allow-Origin")
			if w.Code != c.want || (got != "") != c.consents || c.consents && got != c.header.Get("Origin") ||
				w.Header().Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%d %v", w.Code, w.Header())
			}
			if byURL := strings.Contains(c.query, secret); byURL != (w.Header().Get("Vary") == "Origin") {
				t.Errorf("Vary: %q", w.Header().Get("Vary"))
			}
		})
	}
	if worked != 4 {
		t.Errorf("worked %d times, want 4", worked)
	}
}

// TestCutToken: a token is found once and leaves nothing behind, however it is written, and the
// rest of the query stays as it came.
func TestCutToken(t *testing.T) {
	for query, want := range map[string][2]string{
		"":                          {"", ""},
		"a=b&c":                     {"", "a=b&c"},
		"token=x":                   {"x", ""},
		"token=x&a=%41+b":           {"x", "a=%41+b"},
		"a=1&token=x%26y&b=2":       {"x&y", "a=1&b=2"},
		"%74oken=x&t%6Fken=y&token": {"x", ""},
		"Token=x&tokens=y&token2=z": {"", "Token=x&tokens=y&token2=z"},
		"token=%zz&token=y":         {"y", ""},
		"%zz=1&token=y":             {"y", "%zz=1"},
		"a=token=x":                 {"", "a=token=x"},
	} {
		if token, others := cutToken(query); token != want[0] || others != want[1] {
			t.Errorf("%q: %q %q", query, token, others)
		}
	}
}

// TestLongRequests: whatever fills a head that is as long as can be, it takes time and memory in
// proportion to its length.
func TestLongRequests(t *testing.T) {
	a := newAdmin(t, "", func(*http.Request) {})
	const size = 1 << 20
	long := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	for name, fill := range map[string]func(r *http.Request){
		"pairs":          func(r *http.Request) { r.URL.RawQuery = long("&a=b") },
		"empty pairs":    func(r *http.Request) { r.URL.RawQuery = long("&") },
		"tokens":         func(r *http.Request) { r.URL.RawQuery = long("&token=x") },
		"escapes":        func(r *http.Request) { r.URL.RawQuery = long("&%74oke%6e=%78") },
		"a long token":   func(r *http.Request) { r.URL.RawQuery = "token=" + long("%78") },
		"cookies":        func(r *http.Request) { r.Header.Set("Cookie", long("warcorder-8080=1.2; ")) },
		"a long cookie":  func(r *http.Request) { r.Header.Set("Cookie", "warcorder-8080="+long("1")) },
		"sites":          func(r *http.Request) { r.Header["Sec-Fetch-Site"] = strings.Split(long("none,"), ",") },
		"a long Referer": func(r *http.Request) { r.Header.Set("Referer", "http://"+long("127.0.0.1:8080/")) },
		"a long Host":    func(r *http.Request) { r.Host = long("[::1]:") },
		"a long bearer":  func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+long("x ")) },
	} {
		t.Run(name, func(t *testing.T) {
			r := request("GET", "/status")
			fill(r)
			begun := time.Now()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w := answer(a, r)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 16*size || time.Since(begun) > 2*time.Second {
				t.Errorf("%d bytes, %v", took, time.Since(begun))
			}
			if w.Code < 400 || w.Body.Len() > 2*size {
				t.Errorf("%d with %d bytes", w.Code, w.Body.Len())
			}
		})
	}
}

// TestOwnName: readers beyond this machine may ask for it by its name. On this machine browsers do
// not say there what they do.
func TestOwnName(t *testing.T) {
	a := newAdmin(t, "@loopback,192.0.2.9", func(*http.Request) {})
	a.hostname = "archive.example"
	for client, want := range map[string]int{reader: 200, here: 403} {
		for _, host := range []string{"archive.example", "Archive.Example:8080"} {
			if w := answer(a, newRequest("GET /status", client, host, "", nil)); w.Code != want {
				t.Errorf("%s at %s: %d", client, host, w.Code)
			}
		}
	}
	for _, host := range []string{"a.archive.example", "archive.example.org", "archive"} {
		if w := answer(a, newRequest("GET /", reader, host, "", nil)); w.Code != 421 {
			t.Errorf("%s: %d", host, w.Code)
		}
	}
}
