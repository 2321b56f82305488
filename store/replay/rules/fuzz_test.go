package rules

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"warcorder/store"
)

// What a request that is looked for may cost, and a capture that is looked at: for each byte, and
// besides. The time is far more than it takes, for slow machines.
const (
	allocatedPerByte = 512
	allocatedAnyway  = 16 << 20
	timePerByte      = 20 * time.Microsecond
	timeAnyway       = 10 * time.Second
)

// checkCost calls work, and refuses what is not linear in n bytes.
func checkCost(t *testing.T, what string, n int, work func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started := time.Now()
	work()
	took := time.Since(started)
	runtime.ReadMemStats(&after)
	made := after.TotalAlloc - before.TotalAlloc
	if made > uint64(n)*allocatedPerByte+allocatedAnyway {
		t.Errorf("%s: %d bytes allocated for %d", what, made, n)
	}
	if took > time.Duration(n)*timePerByte+timeAnyway {
		t.Errorf("%s: %v for %d bytes", what, took, n)
	}
}

// shapes are what a page could send to make work.
func shapes(n int) []Asked {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)+1) }
	get := func(url string) Asked { return Asked{Method: "GET", URL: "https://a.example/" + url} }
	return []Asked{
		get("?" + fill("_=1700000000000&")),
		get("?_=1700000000000&" + fill("a&")),
		get("?_=1700000000000&" + fill("%25")),
		get(fill("a/") + "?_=1700000000000"),
		get(fill("wp-admin/") + "?nonce=1"),
		get(fill(";jsessionid=1")),
		get(fill("1700000000000&")),
		form("https://a.example/", fill("__VIEWSTATE=%41&")),
		form("https://a.example/", "__VIEWSTATE="+fill("A")),
		form("https://a.example/", "_token=a&"+fill("--")),
		{Method: "POST", URL: "https://a.example/", ContentType: "application/json",
			Body: []byte(`{"nonce":"aa11bb22","a":[` + fill("1,") + "1]}")},
		{Method: "POST", URL: "https://a.example/", ContentType: "multipart/form-data; boundary=x",
			Body: []byte("--x\r\nContent-Disposition: form-data; name=\"_token\"\r\n\r\n" + fill("\r\n--") +
				"\r\n--x--\r\n")},
		{Method: "POST", URL: "https://a.example/collect?cb=123456", Body: []byte(fill("\x00\xff"))},
	}
}

// TestCost: what is looked for, and what is looked at, cost what they weigh; and none is taken for
// what it is not.
func TestCost(t *testing.T) {
	set := Shipped()
	for _, n := range []int{1 << 10, 32 << 10, 512 << 10} {
		for _, a := range shapes(n) {
			size := len(a.URL) + len(a.Body)
			name := a.Method + " " + a.URL[:min(len(a.URL), 60)]
			var searches []Search
			checkCost(t, name+" for", size, func() { searches = set.For(&a) })
			if len(searches) > 4*maxJoint {
				t.Errorf("%s: %d searches", name, len(searches))
			}
			c := asCapture(&a)
			probe := Asked{Method: a.Method, URL: "https://a.example/?_=1700000000000&cb=123456",
				ContentType: a.ContentType, Body: []byte("_token=a")}
			for _, s := range append(searches, set.For(&probe)...) {
				checkCost(t, name+" fits", size, func() { s.Fits(c) })
			}
		}
	}
}

// TestTooMany: a request of more arguments than maxArgs has no rule; one of as many has.
func TestTooMany(t *testing.T) {
	for n, want := range map[int]bool{maxArgs: true, maxArgs + 1: false} {
		query := "_=1700000000000" + strings.Repeat("&a=1", n-1)
		get := Asked{Method: "GET", URL: "https://a.example/?" + query}
		if got := len(Shipped().For(&get)) > 0; got != want {
			t.Errorf("%d arguments: %v", n, got)
		}
		a := form("https://a.example/", "_token=1"+strings.Repeat("&a=1", n-1))
		if got := len(Shipped().For(&a)) > 0; got != want {
			t.Errorf("%d fields: %v", n, got)
		}
	}
}

// FuzzFor: a request that is asked for as it was captured fits whatever it is looked for by, and
// lies under the prefix; and what is asked costs no more than it weighs.
func FuzzFor(f *testing.F) {
	set := Shipped()
	for _, r := range set.rules {
		for _, p := range append(r.same, r.differs...) {
			f.Add(p[0].Method, p[0].URL, p[0].ContentType, string(p[0].Body))
		}
	}
	for _, a := range append(shapes(256), posts()...) {
		f.Add(a.Method, a.URL, a.ContentType, string(a.Body))
	}
	f.Fuzz(func(t *testing.T, method, url, contentType, body string) {
		a := Asked{Method: method, URL: url, ContentType: contentType, Body: []byte(body)}
		if method == "" || strings.ToUpper(method) != method {
			return
		}
		checkCost(t, "fuzzed", len(url)+len(body), func() { checkItself(t, set, &a) })
	})
}

// checkItself looks for a request in itself.
func checkItself(t *testing.T, set *Set, a *Asked) {
	t.Helper()
	c := asCapture(a)
	for _, s := range set.For(a) {
		if !s.Fits(c) {
			t.Errorf("%s: %s %q %q does not fit itself", s.Rule, a.Method, a.URL, a.Body)
		}
		if under := strings.HasPrefix(c.URLKey, s.Prefix); !s.Exact && !s.exactBefore(c) && !under {
			t.Errorf("%s: %q is not under %q", s.Rule, c.URLKey, s.Prefix)
		}
	}
}

// exactBefore reports whether c has no argument, so that another search is for it.
func (s *Search) exactBefore(c *store.Capture) bool { return c.URLKey+"?" == s.Prefix }

// FuzzParse: no text makes rules that cannot be followed.
func FuzzParse(f *testing.F) {
	f.Add(string(shipped[:4000]))
	for _, r := range strings.Split(string(shipped), "\n- name")[1:] {
		f.Add("- name" + r)
	}
	f.Add("- &a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		checkCost(t, "parse", len(text), func() {
			set, err := Parse([]byte(text))
			if err != nil {
				return
			}
			for _, a := range shapes(64) {
				checkItself(t, set, &a)
			}
		})
	})
}
