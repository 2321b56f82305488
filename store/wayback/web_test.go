package wayback

import (
	"net/http"
	"strings"
	"testing"
)

// TestWeb: of each path the capture that is nearest to its time is shown, as it was recorded.
func TestWeb(t *testing.T) {
	r := record(t, "news", nil)
	at := func(text string) string { return page + text }
	r.commit("http://example.com/a", at("first"), 0)
	r.commit("http://example.com/a", at("second"), 1.999)
	r.commit("http://example.com/a", at("third"), 2.1)
	r.commit("http://example.com/a", "HTTP/1.1 304 Not Modified\r\n\r\n", 3)
	r.commit("http://example.com/a", "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-1/9\r\n"+
		"Content-Length: 2\r\n\r\npa", 4)
	r.commit("http://example.com/p?a=b&token=x&c=%7C", at("query"), 5)
	r.commit("http://example.com/dir//x%2Fy", at("slashes"), 5)
	r.commit("http://example.com/%zz", at("not to be read"), 5)
	r.commit("http://example.com/part", "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-1/9\r\n"+
		"Content-Length: 2\r\n\r\npa", 5)
	r.commit("http://example.com/missing", "HTTP/1.1 404 Nothing\r\nContent-Length: 4\r\n\r\nnone", 6)
	r.commit("http://example.com/empty", "HTTP/1.1 204 No Content\r\n\r\n", 6)
	r.commit("http://example.com/chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+
		"5\r\nhello\r\n6;x\r\n there\r\n0\r\n\r\n", 6)
	r.commit("http://example.com:8080/port", at("port"), 6)
	r.serve()
	for _, c := range []struct {
		name, path, body string
		status           int
	}{
		{"of a second", "20260304050000id_/http://example.com/a", "first", 200},
		{"the end of a second", "20260304050001id_/http://example.com/a", "second", 200},
		{"the next second", "20260304050002id_/http://example.com/a", "third", 200},
		{"before all", "2001id_/http://example.com/a", "first", 200},
		{"the oldest", "0id_/http://example.com/a", "first", 200},
		{"after all", "20300101000000id_/http://example.com/a", "third", 200},
		{"the latest", "id_/http://example.com/a", "third", 200},
		{"the latest, as the Wayback Machine has it", "2id_/http://example.com/a", "third", 200},
		{"a year", "2026id_/http://example.com/a", "third", 200},
		{"half of a month", "20260id_/http://example.com/a", "third", 200},
		{"no such month", "20269999999999id_/http://example.com/a", "third", 200},
		{"no scheme", "id_/example.com/a", "third", 200},
		{"other scheme", "id_/https://example.com/a", "third", 200},
		{"one slash", "id_/http:/example.com/a", "third", 200},
		{"host and port", "id_/example.com:8080/port", "port", 200},
		{"query", "id_/http://example.com/p?a=b&token=x&c=%7C", "query", 200},
		{"raw query", "id_/http://example.com/p?a=b&token=x&c=|", "query", 200},
		{"slashes", "id_/http://example.com/dir//x%2Fy", "slashes", 200},
		{"escaped as a whole", "id_/http%3A%2F%2Fexample.com%2F%25zz", "not to be read", 200},
		{"escaped, with a query", "id_/http%3A%2F%2Fexample.com%2Fp%3Fa=b%26token=x%26c=%257C", "query", 200},
		{"a part, if there is no whole", "id_/http://example.com/part", "pa", 206},
		{"not found by the origin", "id_/http://example.com/missing", "none", 404},
		{"no content", "id_/http://example.com/empty", "", 204},
		{"chunks", "id_/http://example.com/chunks", "hello there", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, at := range []string{"/web/", "/news/web/"} {
				got := r.ask("GET " + at + c.path)
				if got.StatusCode != c.status || got.body != c.body ||
					got.Header.Get("Memento-Datetime") == "" {
					t.Errorf("%s: %s %q %v", at, got.Status, got.body, got.Header)
				}
				head := r.ask("HEAD " + at + c.path)
				head.Header.Del("Date")
				if got.Header.Del("Date"); head.StatusCode != c.status || head.body != "" ||
					head.Header.Get("Memento-Datetime") != got.Header.Get("Memento-Datetime") ||
					head.Header.Get("Content-Length") != got.Header.Get("Content-Length") {
					t.Errorf("HEAD: %s %v, want %v", head.Status, head.Header, got.Header)
				}
			}
		})
	}
}

// TestWebMisses: what is not there, or cannot be asked for, is 404 with a sentence, and no memento.
func TestWebMisses(t *testing.T) {
	r := record(t, "news", nil)
	r.commit("http://example.com/304", "HTTP/1.1 304 Not Modified\r\n\r\n", 3)
	r.serve()
	for path, says := range map[string]string{
		"id_/http://example.com/other":          "/cdx?url=http%3A%2F%2Fexample.com%2Fother",
		"id_/http://example.com/304":            "No answer to a GET",
		"id_/":                                  "there is none",
		"id_":                                   "YYYYMMDDhhmmssid_/URL",
		"2026/http://example.com/":              "YYYYMMDDhhmmssid_/URL",
		"2026im_/http://example.com/":           "YYYYMMDDhhmmssid_/URL",
		"202603040500001id_/http://h/":          "YYYYMMDDhhmmssid_/URL",
		"-1id_/http://h/":                       "YYYYMMDDhhmmssid_/URL",
		"*/http://h/":                           "YYYYMMDDhhmmssid_/URL",
		"id_/http%3A%2F%2Fh%2F%zz":              "",
		"id_/../warc/index.cdxj":                "No answer",
		"id_/" + strings.Repeat("a/../", 5000):  "No answer",
		"id_/http://" + strings.Repeat("[", 99): "No answer",
	} {
		got := r.ask("GET /web/" + path)
		if got.StatusCode != 404 && says != "" || got.StatusCode/100 != 4 ||
			!strings.Contains(got.body, says) || got.Header.Get("Memento-Datetime") != "" {
			t.Errorf("%s: %s %s", path, got.Status, got.body)
		}
	}
}

// TestWebOpensNoViewer: what a browser has a viewer of its own for, whose documents have scripts of theirs
// and no policy of ours, is a file there; whichever of several types a browser takes.
func TestWebOpensNoViewer(t *testing.T) {
	const parts = "multipart/x-mixed-replace; boundary=x"
	for fields, want := range map[string]string{
		"Content-Type: application/pdf":                  "application/pdf as attachment",
		"Content-Type:  Text/PDF ; a=b":                  "Text/PDF ; a=b as attachment",
		"Content-Type: text/html, application/pdf":       "text/html, application/pdf as attachment",
		"Content-Type:\r\nContent-Type: application/pdf": "|application/pdf as attachment",
		"Content-Type: application/octet-stream":         "application/octet-stream as attachment",
		"Content-Type: " + parts:                         "application/octet-stream as attachment",
		"Content-Type: text/html, " + parts:              "application/octet-stream as attachment",
		"Content-Type:\r\nContent-Type: " + parts:        "application/octet-stream as attachment",
		"Content-Type: text/html":                        "text/html as ",
	} {
		r := record(t, "news", nil)
		r.commit("https://example.com/", "HTTP/1.1 200 OK\r\n"+fields+"\r\n\r\nbody", 0)
		r.serve()
		got := r.ask("GET /web/2id_/https://example.com/")
		is := strings.Join(got.Header["Content-Type"], "|") + " as " + got.Header.Get("Content-Disposition")
		if got.StatusCode != 200 || got.body != "body" || is != want {
			t.Errorf("%q: %s %q %q, want %q", fields, got.Status, got.body, is, want)
		}
	}
}

// TestWebIsInert: what an origin sent acts on nothing of ours: of its fields those alone keep their
// names that say what the body is.
func TestWebIsInert(t *testing.T) {
	r := record(t, "news", nil)
	r.commit("https://example.com/a", "HTTP/1.1 302 Found\r\nContent-Type: text/html; charset=utf-8\r\n"+
		"Set-Cookie: a=b\r\nSet-Cookie: c=d\r\nStrict-Transport-Security: max-age=1\r\nClear-Site-Data: \"*\"\r\n"+
		"Service-Worker-Allowed: /\r\nAccess-Control-Allow-Origin: *\r\nRefresh: 0; url=http://live.example/\r\n"+
		"Content-Security-Policy: default-src *\r\nLink: </x>; rel=preload\r\nAlt-Svc: h2=\":443\"\r\n"+
		"WWW-Authenticate: Basic\r\nReport-To: {}\r\nNEL: {}\r\nConnection: close, X-Hop\r\nKeep-Alive: timeout=5\r\n"+
		"Location: ../b?c=d#e\r\nX-Folded: a\r\n  b\r\nno colon\r\nBad Name: x\r\nX-Control: a\x01b\r\n"+
		"Content-Language: en\r\nContent-Range: bytes 0-1/2\r\nContent-Disposition: attachment\r\n\r\n"+
		"<script>alert(1)</script>", 0)
	r.serve()
	got := r.ask("GET /news/web/id_/https://example.com/a")
	want := http.Header{
		"Content-Type":            {"text/html; charset=utf-8"},
		"Content-Language":        {"en"},
		"Content-Security-Policy": {"sandbox; default-src 'none'; frame-ancestors 'none'"},
		"X-Content-Type-Options":  {"nosniff"},
		"Memento-Datetime":        {"Wed, 04 Mar 2026 05:00:00 GMT"},
		"Content-Location":        {"/news/web/20260304050000id_/https://example.com/a"},
		"Location":                {"/news/web/20260304050000id_/https://example.com/b?c=d"},
		"Link":                    {`<https://example.com/a>; rel="original"`},
		"X-Archive-Src":           {r.captures()[0].File},
		"Content-Length":          {"25"},
	}
	if got.StatusCode != 302 || got.body != "<script>alert(1)</script>" {
		t.Errorf("%s %q", got.Status, got.body)
	}
	for name, values := range got.Header {
		if name == "Date" || name == "Connection" || strings.HasPrefix(name, "X-Archive-Orig-") {
			continue
		}
		if strings.Join(values, "|") != strings.Join(want[name], "|") {
			t.Errorf("%s: %q, want %q", name, values, want[name])
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
	for name, value := range map[string]string{
		"Set-Cookie": "a=b|c=d", "Strict-Transport-Security": "max-age=1", "Location": "../b?c=d#e",
		"X-Folded": "a b", "X-Control": "a b", "Connection": "close, X-Hop", "Content-Range": "bytes 0-1/2",
		"Content-Disposition": "attachment",
	} {
		if kept := strings.Join(got.Header.Values("X-Archive-Orig-"+name), "|"); kept != value {
			t.Errorf("X-Archive-Orig-%s: %q, want %q", name, kept, value)
		}
	}
}

// TestWebReplaced: a body of parts that are documents with fields of their own is a file.
func TestWebReplaced(t *testing.T) {
	r := record(t, "news", nil)
	body := "--b\r\nContent-Type: text/html\r\nContent-Security-Policy: default-src *\r\n\r\n<script>\r\n--b--"
	r.commit("https://example.com/a", "HTTP/1.1 200 OK\r\n"+
		"Content-Type: Multipart/X-Mixed-Replace; boundary=b\r\n\r\n"+body, 0)
	got := r.serve().ask("GET /web/id_/https://example.com/a")
	if kind := got.Header.Get("Content-Type"); kind != "application/octet-stream" || got.body != body {
		t.Errorf("%s %q", kind, got.body)
	}
}

// TestWebManyFields: however many fields a page has, and however long, few are passed on, and the
// answer says how many are not.
func TestWebManyFields(t *testing.T) {
	r := record(t, "news", nil)
	r.commit("http://example.com/many", "HTTP/1.1 200 OK\r\n"+strings.Repeat("a:\r\n", 5000)+
		"Content-Type: text/css\r\n\r\nx", 0)
	r.commit("http://example.com/long", "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nA: "+
		strings.Repeat("a", 200_000)+"\r\nB: b\r\n\r\nx", 0)
	r.serve()
	for path, left := range map[string]string{"many": "4926", "long": "1"} {
		got := r.ask("GET /web/id_/http://example.com/" + path)
		fields, size := 0, 0
		for name, values := range got.Header {
			for _, value := range values {
				fields, size = fields+1, size+len(name)+len(value)
			}
		}
		if got.StatusCode != 200 || fields > 95 || size > 80<<10 ||
			got.Header.Get("X-Warcorder-Fields-Left-Out") != left ||
			got.Header.Get("Content-Type") == "" && path == "long" {
			t.Errorf("%s: %s, %d fields of %d bytes, %s left out", path, got.Status, fields, size,
				got.Header.Get("X-Warcorder-Fields-Left-Out"))
		}
	}
}

// TestWebRevisit: a revisit has the body of its original, and its own head.
func TestWebRevisit(t *testing.T) {
	r := record(t, "news", nil)
	body := strings.Repeat("the same ", 200)
	for n := range 2 {
		r.commit("http://example.com/a", "HTTP/1.1 200 OK\r\nX-Number: "+string(rune('0'+n))+"\r\n\r\n"+body,
			float64(10*n))
	}
	if all := r.captures(); !all[1].IsRevisit() {
		t.Fatal("it is no revisit")
	}
	r.serve()
	got := r.ask("GET /web/20260304050010id_/http://example.com/a")
	if got.body != body || got.Header.Get("X-Archive-Orig-X-Number") != "1" {
		t.Errorf("%s %v %.20q", got.Status, got.Header, got.body)
	}
}

// TestWebCut: what broke off for the first client ends there, and says so.
func TestWebCut(t *testing.T) {
	r := record(t, "news", nil)
	r.commitCut("http://example.com/a", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello", 0, "disconnect")
	r.commitCut("http://example.com/b", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhello", 0,
		"disconnect")
	r.serve()
	for _, path := range []string{"a", "b"} {
		got := r.ask("GET /web/id_/http://example.com/" + path)
		if got.StatusCode != 200 || got.body != "hello" ||
			got.Header.Get("X-Warcorder-Truncated") != "disconnect" {
			t.Errorf("%s: %s %q %v", path, got.Status, got.body, got.Header)
		}
	}
}

// TestRoutes: each path leads to whom it says, with several collections only below a name, and what
// answers for the index gets its path without one.
func TestRoutes(t *testing.T) {
	r := record(t, "news", nil)
	other := record(t, "blue moon", nil)
	r.commit("http://example.com/a", page+"news", 0)
	other.commit("http://example.com/a", page+"moon", 0)
	for _, c := range []struct {
		path, alone, both string // beginnings of bodies; "" is 404
	}{
		{"/cdx?url=h//x", "pywb /cdx /cdx?url=h//x", ""},
		{"/cdx/search/cdx?url=h", "search /cdx/search/cdx /cdx/search/cdx?url=h", ""},
		{"/web/timemap/json/http://h//x?y", "timemap /web/timemap/json/http://h//x /web/timemap/json/http://h//x?y",
			""},
		{"/web/timemap/cdx?url=h", "timemap /web/timemap/cdx", ""},
		{"/news/cdx?url=h", "pywb /cdx /cdx?url=h", "pywb /cdx /cdx?url=h"},
		{"/news/index?url=h", "pywb /index /index?url=h", "pywb /index /index?url=h"},
		{"/news/cdx/search/cdx?a", "search /cdx/search/cdx", "search /cdx/search/cdx"},
		{"/news/web/timemap/link/http://h/%2f", "timemap /web/timemap/link/http://h// /web/timemap/link/http://h/%2f",
			"timemap /web/timemap/link/http://h// /web/timemap/link/http://h/%2f"},
		{"/blue%20moon/cdx?url=h", "", "pywb /cdx /cdx?url=h"},
		{"/blue%20moon/web/id_/http://example.com/a", "", "moon"},
		{"/news/web/id_/http://example.com/a", "news", "news"},
		{"/web/id_/http://example.com/a", "news", ""},
		{"/index?url=h", "", ""},
		{"/cdx/", "", ""},
		{"/news/cdx/x", "", ""},
		{"/warc/" + r.captures()[0].File, "\x1f\x8b", "\x1f\x8b"},
		{"/warc/" + other.captures()[0].File, "", "\x1f\x8b"},
		{"/news/warc/" + other.captures()[0].File, "", ""},
	} {
		for _, both := range []bool{false, true} {
			want := c.alone
			if r.serve(); both {
				r.serve(other)
				want = c.both
			}
			got := r.ask("GET " + c.path)
			if want == "" && got.StatusCode != 404 ||
				want != "" && (got.StatusCode != 200 || !strings.HasPrefix(got.body, want)) {
				t.Errorf("%s, both %t: %s %.80q", c.path, both, got.Status, got.body)
			}
		}
	}
}

// TestNameless: a collection without a name has no paths of an empty one, such as that of the front
// page.
func TestNameless(t *testing.T) {
	r := record(t, "news", nil)
	one := r.collection()
	one.Name = ""
	site := New(one)
	for path, want := range map[string]bool{"/": false, "": false, "//web/id_/http://h/": false,
		"//cdx": false, "/cdx": true, "/web/id_/http://h/": true} {
		if got := site.Has(path); got != want {
			t.Errorf("%q: %t", path, got)
		}
	}
}

// TestEndsInURL: of which paths the query is that of a URL.
func TestEndsInURL(t *testing.T) {
	r := record(t, "news", nil).serve()
	for path, want := range map[string]bool{
		"/web/id_/http://h/": true, "/news/web/id_/http://h/": true, "/web/timemap/cdx/http://h/": true,
		"/web/timemap/cdx": false, "/news/web/timemap/json": false, "/cdx": false, "/news/cdx": false,
		"/warc/a.warc.gz": false, "/news/warc/a": false, "/other/web/id_/http://h/": false, "/web/": true,
	} {
		if got := r.site.EndsInURL(path); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}

// FuzzWanted: whatever stands in a path is read in one way or refused.
func FuzzWanted(f *testing.F) {
	for _, seed := range []string{"20260304050000id_/http://h/", "2id_/h:80/", "id_/http%3a%2f%2fh", "0id_/urn:x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := parseWanted(text)
		if err == nil && (want.url == "" || len(want.url) > len(text)+len("http://") || want.at.Year() > 10_008) {
			t.Errorf("%q is %v", text, want)
		}
	})
}
