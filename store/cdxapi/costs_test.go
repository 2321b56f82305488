package cdxapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"warcorder/store"
)

// TestCostlyFilters: what a filter reads counts as often as its expression is large, also of values
// that are short.
func TestCostlyFilters(t *testing.T) {
	s := server(t, newIndex(t, numbered(500)), small)
	for filter, want := range map[string]int{
		"~url:x.*": 200, "~url:(.*a?b?c?d?e?f?){90}x": 400, "!~url:(.*a?b?c?d?e?f?){90}": 400,
	} {
		path := "/cdx?url=a.example/*&filter=" + strings.NewReplacer("?", "%3F", "{", "%7B", "}", "%7D",
			"~", "%7E").Replace(filter)
		if status, body := ask(t, s, path); status != want {
			t.Errorf("%s: %d %.200s", filter, status, body)
		}
	}
}

// TestKeptBytes: what is kept to be put in order, or to resolve revisits, has a bound in bytes.
func TestKeptBytes(t *testing.T) {
	var captures []store.Capture
	for i := range 40 {
		c := captureOf("http://a.example/"+strings.Repeat("x", 100_000), i, "text/html", 200, "A")
		c.Digest = fmt.Sprintf("sha1:%032d", i)
		captures = append(captures, c)
	}
	s := server(t, newIndex(t, captures), small)
	for path, want := range map[string]int{
		"/cdx/search/cdx?url=a.example/*&limit=-4": 200, "/cdx/search/cdx?url=a.example/*&limit=-40": 400,
		"/cdx?url=a.example/*&closest=2026&limit=4": 200, "/cdx?url=a.example/*&closest=2026&limit=40": 400,
	} {
		if status, body := ask(t, s, path+"&fl=timestamp"); status != want ||
			want == 400 && !strings.Contains(body, "limit") {
			t.Errorf("%s: %d %.200s", path, status, body)
		}
	}
	o := originals{of: map[string]*original{}, most: 100, bytes: small.bytes}
	for i := range captures {
		o.note(&captures[i])
	}
	if n := len(o.of); n < 2 || n > small.bytes/100_000 {
		t.Errorf("%d originals are kept", n)
	}
}

// TestNoIndex: while there is no index, an answer says so.
func TestNoIndex(t *testing.T) {
	h := Pywb(Collection{Index: func() *store.Bolt { return nil }})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/cdx?url=a.example", nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestManyParameters: names are compared with those that are known only if they are few.
func TestManyParameters(t *testing.T) {
	var query strings.Builder
	for i := range maxParams + 1 {
		fmt.Fprintf(&query, "&a%d=", i)
	}
	if p := paramsOf(query.String(), pywbKnows); p.err == nil || len(p.values) > 0 {
		t.Errorf("%v, %d are kept", p.err, len(p.values))
	}
}

// TestTemplates: a template makes no line much longer than its URL.
func TestTemplates(t *testing.T) {
	s := server(t, newIndex(t, numbered(1)), small)
	for template, want := range map[string]int{
		"http://x/{timestamp}/{url}?{url}": 200, strings.Repeat("{url}", maxURLs+1): 400,
		strings.Repeat("x", maxTemplate+1): 400,
	} {
		path := "/cdx?url=a.example/*&output=link&memento_format=" + url.QueryEscape(template)
		if status, body := ask(t, s, path); status != want ||
			want == 400 && !strings.Contains(body, "memento_format") {
			t.Errorf("%.40s: %d %.200s", template, status, body)
		}
	}
}
