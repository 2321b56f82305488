package admin

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"warcorder/proxy/hosts"
)

const secret = "0123456789abcdef"

// newAdmin makes pages of each kind, with two tokens; worked is called by those that do something.
func newAdmin(t testing.TB, readers string, worked func(r *http.Request)) *Admin {
	t.Helper()
	networks, err := hosts.ParseNetworks(readers)
	if err != nil {
		t.Fatal(err)
	}
	a := New(Config{
		CA: Authority{PEM: []byte("the pem"), DER: []byte("the der"), PKCS12: []byte("the p12"),
			Mobileconfig: []byte("the profile"), Name: "the root", Password: "the password"},
		Listener: netip.MustParseAddrPort("127.0.0.1:8080"),
		Readers:  networks,
		Tokens:   []string{"", "another", secret},
		State:    func() (any, bool) { return map[string]string{"what was": "recorded"}, true },
		Ready:    func() error { return nil },
	})
	work := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		worked(r)
		io.WriteString(w, "what was recorded")
	})
	a.Add(Page{"GET /export", Readers, false, work})
	a.Add(Page{"GET /gaps", Readers, true, work})
	a.Add(Page{"POST /record", TokenHolder, true, work})
	a.Add(Switch("POST /pause", func() any { worked(nil); return nil }))
	a.Add(Work("POST /rotate", func(context.Context) (any, error) { worked(nil); return nil, nil }))
	return a
}

// request is one that reaches us from a program of this machine, unless a test says otherwise.
func request(method, path string) *http.Request {
	r := httptest.NewRequest(method, path, nil)
	r.Host, r.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:1"
	return r
}

func answer(a *Admin, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w
}

func TestPages(t *testing.T) {
	a := newAdmin(t, DefaultReaders, func(*http.Request) {})
	for path, want := range map[string]string{
		"/trust":           "<code>127.0.0.1</code>, port\n<code>8080</code>",
		"/proxy.pac":       `"PROXY 127.0.0.1:8080"`,
		"/ca.pem":          "the pem",
		"/ca.crt":          "the der",
		"/ca.p12":          "the p12",
		"/ca.mobileconfig": "the profile",
		"/healthz":         "ok\n",
		"/readyz":          "ok\n",
		"/status":          `"what was": "recorded"`,
		"/export":          "what was recorded",
	} {
		w := answer(a, request("GET", path))
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %q, want 200 and %q", path, w.Code, w.Body, want)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff",
			"Cross-Origin-Resource-Policy": "same-origin", "X-Frame-Options": "DENY",
			"Referrer-Policy": "same-origin", "Cache-Control": "no-store"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
	if w := answer(a, request("GET", "/")); w.Code != 302 || w.Header().Get("Location") != "/trust" {
		t.Errorf("the front page: %d %v", w.Code, w.Header())
	}
	for method, want := range map[string]int{"GET": 404, "OPTIONS": 404} {
		if w := answer(a, request(method, "/nothing")); w.Code != want {
			t.Errorf("%s of an unknown page: %d, want %d", method, w.Code, want)
		}
	}
	if w := answer(a, request("GET", "/pause")); w.Code != 405 {
		t.Errorf("GET of a page that changes something: %d", w.Code)
	}
}

// TestNothingCanBeRecorded: who looks at a status alone sees it, and strangers see no paths.
func TestNothingCanBeRecorded(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "/home/secret/w.warc", Err: syscall.ENOSPC}
	for _, c := range []struct {
		why   error
		ready string
	}{
		{full, "nothing can be recorded: no space left on device\n"},
		{errors.New("/home/secret is nearly full"), "nothing can be recorded: the log and /status say why\n"},
	} {
		a := New(Config{
			State: func() (any, bool) { return c.why.Error(), false },
			Ready: func() error { return c.why },
		})
		if w := answer(a, request("GET", "/readyz")); w.Code != 503 || w.Body.String() != c.ready {
			t.Errorf("%d %q, want %q", w.Code, w.Body, c.ready)
		}
		if w := answer(a, request("GET", "/healthz")); w.Code != 200 {
			t.Errorf("healthz: %d", w.Code)
		}
		a.readers, _ = hosts.ParseNetworks(DefaultReaders)
		if w := answer(a, request("GET", "/status")); w.Code != 503 ||
			!strings.Contains(w.Body.String(), "secret") {
			t.Errorf("status: %d %q", w.Code, w.Body)
		}
	}
}

// TestStatusIsOfOneMoment: a disk that fills between two looks does not make code and body differ.
func TestStatusIsOfOneMoment(t *testing.T) {
	serving := true
	a := New(Config{
		State: func() (any, bool) {
			was := serving
			serving = false
			return was, was
		},
		Ready: func() error {
			t.Error("it was looked at twice")
			return nil
		},
	})
	a.readers, _ = hosts.ParseNetworks(DefaultReaders)
	for _, want := range []struct {
		code int
		body string
	}{{200, "true\n"}, {503, "false\n"}} {
		if w := answer(a, request("GET", "/status")); w.Code != want.code || w.Body.String() != want.body {
			t.Errorf("%d %q, want %v", w.Code, w.Body, want)
		}
	}
}

func TestPagesEscapeWhatIsAskedFor(t *testing.T) {
	a := newAdmin(t, "", func(*http.Request) {})
	for _, path := range []string{"/trust", "/status", `/?token=` + secret + `&x="><script>`} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
		r.Host, r.RemoteAddr = `"><script>`, "127.0.0.1:1"
		r.Header.Set("Accept", "text/html")
		if strings.Contains(path, secret) {
			r.Host = "127.0.0.1"
			r.Header = typed()
		}
		w := answer(a, r)
		if strings.Contains(w.Body.String(), "<script>") {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
}

// TestErrors: people get HTML, programs what the page would give them.
func TestErrors(t *testing.T) {
	a := newAdmin(t, "", func(*http.Request) {})
	for _, c := range []struct{ method, path, accept, kind string }{
		{"GET", "/export", "*/*", "text/plain; charset=utf-8"},
		{"GET", "/status", "*/*", "application/json"},
		{"POST", "/record", "text/html", "application/json"},
		{"POST", "/pause", "", "application/json"},
		{"POST", "/rotate", "", "application/json"},
		{"GET", "/status", "text/html,*/*", "text/html; charset=utf-8"},
		{"GET", "/export", "text/html", "text/html; charset=utf-8"},
	} {
		r := request(c.method, c.path)
		r.Header.Set("Accept", c.accept)
		w := answer(a, r)
		if got := w.Header().Get("Content-Type"); w.Code != 401 || got != c.kind ||
			!strings.Contains(w.Body.String(), "recorder.token") ||
			w.Header().Get("WWW-Authenticate") != `Bearer realm="warcorder"` {
			t.Errorf("%+v: %d %s %s", c, w.Code, got, w.Body)
		}
		if said := (struct{ Error string }{}); c.kind == "application/json" &&
			(json.Unmarshal(w.Body.Bytes(), &said) != nil || said.Error == "") {
			t.Errorf("%+v: %s", c, w.Body)
		}
	}
}

// TestWork: what cannot be done is 503, with the reason; who has gone is waited for no longer.
func TestWork(t *testing.T) {
	a := newAdmin(t, "", func(*http.Request) {})
	a.Add(Work("POST /settle", func(ctx context.Context) (any, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}))
	ctx, cancel := context.WithCancelCause(t.Context())
	r := request("POST", "/settle").WithContext(ctx)
	r.Header.Set("Authorization", "Bearer "+secret)
	cancel(errors.New("the disk is full"))
	if w := answer(a, r); w.Code != 503 || w.Body.String() != "{\"error\":\"the disk is full\"}\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestWorkOn: work is told what the form says; a form without end, one that is checked in vain, and
// what stands in the URL are refused.
func TestWorkOn(t *testing.T) {
	a := newAdmin(t, "", func(*http.Request) {})
	var told []string
	check := func(form url.Values) error {
		if form.Has("urk") {
			return errors.New("what is that?")
		}
		return nil
	}
	a.Add(WorkOn("POST /remove", check, func(_ context.Context, form url.Values) (any, error) {
		told = append(told, form.Encode())
		return map[string]int{"captures": 3}, nil
	}))
	for body, want := range map[string]int{
		"url=x&forget=true": 200, "": 200, "url=" + strings.Repeat("x", 2<<20): 400, "url=%zz": 400,
		"urk=x": 400, "url=in+the+URL": 400,
	} {
		path := "/remove?pid=17"
		if strings.Contains(body, "in+the+URL") {
			path += "&url=other"
		}
		r := request("POST", path)
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", "Bearer "+secret)
		if w := answer(a, r); w.Code != want {
			t.Errorf("%.20q: %d %s", body, w.Code, w.Body)
		}
	}
	slices.Sort(told)
	if !slices.Equal(told, []string{"", "forget=true&url=x"}) {
		t.Errorf("told %q", told)
	}
}
