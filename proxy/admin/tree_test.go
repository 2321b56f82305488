package admin

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// withTree is newAdmin with a tree: /web/ ends with a URL, /cdx does not. seen gets each request
// that comes there.
func withTree(t testing.TB, readers string, seen func(*http.Request)) *Admin {
	t.Helper()
	a := newAdmin(t, readers, seen)
	a.AddTree(Tree{
		Page: Page{For: Readers, JSON: true, Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				seen(r)
				io.WriteString(w, "what was recorded")
			})},
		Has:       func(path string) bool { return path == "/cdx" || strings.HasPrefix(path, "/web/") },
		EndsInURL: func(path string) bool { return strings.HasPrefix(path, "/web/") },
	})
	return a
}

// treeRequest is a request as net/http makes it of a target.
func treeRequest(method, target, client, host string, header http.Header) *http.Request {
	r := httptest.NewRequest(method, "http://x/", nil)
	bare, err := http.NewRequest(method, "http://x"+target, nil)
	if err != nil {
		panic(err)
	}
	r.URL, r.RequestURI, r.RemoteAddr, r.Host = bare.URL, target, client, host
	r.URL.Scheme, r.URL.Host = "", ""
	for name, values := range header {
		r.Header[name] = values
	}
	return r
}

// TestTreeTarget: the handler of a tree gets the target as it was sent, without a token of ours,
// and what belongs to a URL is left to it.
func TestTreeTarget(t *testing.T) {
	for _, c := range []struct {
		name, target, seen string // "" is not seen
		status             int
	}{
		{"slashes", "/web/1id_/http://h//p/../q", "/web/1id_/http://h//p/../q", 200},
		{"escapes", "/web/1id_/http://h/%2F%41|^?a=%20|^", "/web/1id_/http://h/%2F%41|^?a=%20|^", 200},
		{"a token of the URL", "/web/1id_/http://h/p?a=b&token=x&c", "/web/1id_/http://h/p?a=b&token=x&c",
			200},
		{"an empty query", "/web/1id_/http://h/p?", "/web/1id_/http://h/p?", 200},
		{"before the path", "/token=" + secret + "/web/1id_/http://h/p?token=x&a",
			"/web/1id_/http://h/p?token=x&a", 200},
		{"a wrong one before it", "/token=x/web/1id_/http://h/p?token=x", "/web/1id_/http://h/p?token=x", 200},
		{"in the query", "/cdx?url=http://h//p%3Ftoken=y&token=" + secret + "&a=%7c|",
			"/cdx?url=http://h//p%3Ftoken=y&a=%7c|", 200},
		{"a wrong one in the query", "/cdx?token=x&url=h", "/cdx?url=h", 200},
		{"both", "/token=x/cdx?url=h&token=" + secret, "/cdx?url=h", 200},
		{"ours in the URL", "/web/1id_/http://h/p?a=b&token=" + secret, "", 400},
		{"ours in the URL, escaped", "/web/1id_/http://h/p?token=%30" + secret[1:], "", 400},
		{"ours in a fragment's place", "/web/1id_/http://h/p?x=y;token=" + secret + "#a", "", 400},
		{"ours in the path of the URL", "/web/1id_/http://h/token=" + secret + "/p", "", 400},
		{"ours twice", "/token=" + secret + "/web/1id_/http://h/p?token=" + secret, "", 400},
		{"not one of the tree", "/webs/1id_/http://h/p", "", 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got *http.Request
			a := withTree(t, DefaultReaders, func(r *http.Request) { got = r })
			w := answer(a, treeRequest("GET", c.target, here, "127.0.0.1:8080", nil))
			// "//" of a path that no tree has is cleaned away by a redirect
			if w.Code != c.status && !(c.status == 404 && w.Code/100 == 3) {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			seen := ""
			if got != nil {
				seen = got.RequestURI
			}
			if seen != c.seen {
				t.Errorf("seen %q, want %q", seen, c.seen)
			}
			if strings.Contains(w.Body.String(), secret) {
				t.Errorf("it tells the token: %s", w.Body)
			}
			if got != nil && strings.HasPrefix(c.seen, "/cdx") &&
				got.URL.RawQuery != strings.TrimPrefix(c.seen, "/cdx?") {
				t.Errorf("query %q", got.URL.RawQuery)
			}
		})
	}
}

// TestTreeAttacks: a tree is for readers as any other page is, whichever request of the table asks.
func TestTreeAttacks(t *testing.T) {
	for _, c := range attacks {
		for _, readers := range []string{"@loopback,192.0.2.9", ""} {
			want := c.read
			if readers == "" {
				want = c.noOne
			}
			for _, target := range []string{"/cdx?url=h", "/web/1id_/http://h/p?q=token"} {
				query, ours := c.query, target
				if strings.HasPrefix(target, "/web/") && strings.Contains(query, secret) {
					ours, query = "/token="+secret+target, ""
				} else if query != "" {
					ours += "&" + query
				}
				worked := false
				a := withTree(t, readers, func(*http.Request) { worked = true })
				w := answer(a, treeRequest("GET", ours, c.client, c.host, c.header))
				if w.Code != want || worked != (want == 200) {
					t.Errorf("%s, %s, %s: %d, worked: %v, want %d: %s", c.name, readers, target, w.Code,
						worked, want, w.Body)
				}
				consents := want == 200 && strings.Contains(ours, secret) && c.header.Get("Origin") != ""
				for name, values := range w.Header() {
					if strings.HasPrefix(name, "Access-Control-") && !consents || values[0] == "*" {
						t.Errorf("%s: %s: %s", target, name, values)
					}
				}
			}
		}
	}
}

// TestTreeConsent: with the token in the URL a page of another site may read parts, and asks first.
func TestTreeConsent(t *testing.T) {
	a := withTree(t, "", func(*http.Request) {})
	ask := fields("cross-site", "cors", "empty", "Origin", "https://replay.example",
		"Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "range")
	get := fields("cross-site", "cors", "empty", "Origin", "https://replay.example", "Range", "bytes=0-9")
	for _, target := range []string{"/cdx?url=h&token=" + secret, "/token=" + secret + "/web/1id_/http://h/"} {
		w := answer(a, treeRequest("OPTIONS", target, stranger, ours, ask))
		if w.Code != 204 || w.Header().Get("Access-Control-Allow-Origin") != "https://replay.example" ||
			!strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "Range") ||
			!strings.Contains(w.Header().Get("Access-Control-Allow-Methods"), "GET") {
			t.Errorf("%d %v", w.Code, w.Header())
		}
		w = answer(a, treeRequest("GET", target, stranger, ours, get))
		if w.Code != 200 || w.Header().Get("Access-Control-Allow-Origin") != "https://replay.example" ||
			w.Header().Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
		for _, field := range []string{"Content-Range", "Content-Length", "Accept-Ranges"} {
			if !strings.Contains(w.Header().Get("Access-Control-Expose-Headers"), field) {
				t.Errorf("%s is not exposed", field)
			}
		}
	}
	for _, target := range []string{"/cdx?url=h", "/web/1id_/http://h/?token=x", "/token=x/web/1id_/http://h/"} {
		if w := answer(a, treeRequest("OPTIONS", target, here, "127.0.0.1:8080", ask)); w.Code == 204 ||
			w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
	}
}

// TestTreeCookie: a person who comes with the token before the path goes on to the target as it
// was.
func TestTreeCookie(t *testing.T) {
	a := withTree(t, "", func(r *http.Request) { t.Errorf("%s was worked on", r.RequestURI) })
	w := answer(a, treeRequest("GET", "/token="+secret+"/web/1id_/http://h//p?a=b&token=x", stranger, ours, typed()))
	if !strings.Contains(w.Body.String(), `content="0; url=/web/1id_/http://h//p?a=b&amp;token=x"`) ||
		len(w.Result().Cookies()) != 1 || strings.Contains(w.Body.String(), secret) {
		t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
	}
}

// TestPathOf: no log has a token, whatever is in it.
func TestPathOf(t *testing.T) {
	for path, want := range map[string]string{
		"/token=secret/export": "/export", "/token=sec%2Fret/export?a=b": "/export", "/token=secret": "/",
		"/web/id_/http://h/": "/web/id_/http://h/",
	} {
		if got := PathOf(httptest.NewRequest(http.MethodGet, path, nil)); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// TestMisplacedBytes: a token is found in a URL whatever bytes it has.
func TestMisplacedBytes(t *testing.T) {
	a := &Admin{proofs: newProofs([]string{"s3/c?r+t"})}
	for target, want := range map[string]bool{
		"/web/id_/http://h/?token=s3/c?r+t": true, "/web/id_/http://h/?token=s3/c?r%2Bt&a": true,
		"/web/id_/http://h/?token=s3%2Fc%3Fr%2Bt/": true, "/web/id_/http://h/?token=s3/c?r": false,
	} {
		r := httptest.NewRequest(http.MethodGet, target, nil)
		if got := a.misplaced(&asked{r: r, endsInURL: true}); got != want {
			t.Errorf("%s: %t", target, got)
		}
	}
}
