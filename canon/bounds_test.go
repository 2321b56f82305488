package canon

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warcorder/proxy/raced"
)

// What the keys of a request may cost: for each byte of body and URL, and besides. The
// bytes are those allocated in all, which are never in use at once; the time is ten times
// what the slowest shape takes, and more, for slow machines.
const (
	allocatedPerByte = 128
	allocatedAnyway  = 16 << 20 // Spec's query of 1 MiB, and the text that it is made of
	timePerByte      = 10 * time.Microsecond
	timeAnyway       = 20 * time.Second
)

// dialects are all dialects.
var dialects = []Dialect{Pywb, Spec, WarcioJS}

// cost is what a piece of work takes.
type cost struct {
	allocated uint64
	took      time.Duration
}

func costOf(work func()) cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started := time.Now()
	work()
	took := time.Since(started)
	runtime.ReadMemStats(&after)
	return cost{after.TotalAlloc - before.TotalAlloc, took}
}

// check reports whether the work on n bytes cost no more than linear work may.
func (c cost) check(t testing.TB, what string, n int) (ok bool) {
	t.Helper()
	if c.allocated > uint64(n)*allocatedPerByte+allocatedAnyway {
		t.Errorf("%s: %d bytes allocated for %d", what, c.allocated, n)
		return false
	}
	if c.took > time.Duration(n)*timePerByte+timeAnyway {
		t.Errorf("%s: %v for %d bytes", what, c.took, n)
		return false
	}
	return true
}

// sizes are those that each shape is tried in, smaller ones first: what is not linear fails
// before it takes forever.
func sizes() []int {
	if os.Getenv("CI_LONG") != "" {
		return []int{1 << 10, 16 << 10, 128 << 10, 1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20}
	}
	return []int{16 << 10, raced.Of(512 << 10)}
}

// TestBodiesCostWhatTheyWeigh: time, memory and the query's length are linear, whatever the body,
// in every dialect.
func TestBodiesCostWhatTheyWeigh(t *testing.T) {
	for _, shape := range hostileBodies {
		for _, dialect := range dialects {
			t.Run(shape.name+"/"+string(dialect), func(t *testing.T) {
				for _, n := range sizes() {
					if !checkCost(t, dialect, shape.contentType, shape.body(n)) {
						return
					}
				}
			})
		}
	}
}

// checkCost reports whether the keys of a request cost no more than they may.
func checkCost(t testing.TB, dialect Dialect, contentType, body string) bool {
	t.Helper()
	r := &Request{
		URL:         "http://example.org/",
		Method:      "POST",
		ContentType: contentType,
		Body:        []byte(body),
	}
	var keys Keys
	c := costOf(func() { keys = dialect.Keys(r) })
	if dialect == Pywb && !costOf(func() { QueryKey(r, "") }).check(t, "query", len(body)) {
		return false
	}
	return checkQuery(t, dialect, keys.RequestBody) &&
		c.check(t, string(dialect), len(body)+len(contentType))
}

// checkQuery reports whether a query is no longer than its dialect allows.
func checkQuery(t testing.TB, dialect Dialect, query string) bool {
	t.Helper()
	switch {
	case dialect == Spec && len(query) > maxSpecQuery,
		dialect == Pywb && utf8.RuneCountInString(query) > maxQuery,
		dialect == WarcioJS && cutUTF16(query, maxQuery) != query:
		t.Errorf("%s: a query of %d bytes", dialect, len(query))
		return false
	}
	return true
}

// TestHeadersCostWhatTheyWeigh: they are linear for any Content-Type and method, too.
func TestHeadersCostWhatTheyWeigh(t *testing.T) {
	const body = "--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--X--"
	for name, contentType := range map[string]func(n int) string{
		"semicolons": filled("multipart/form-data", ";", "boundary=X"),
		"quotes":     filled("multipart/form-data; boundary=", `"\`, ""),
		"boundaries": filled("multipart/form-data", ";boundary=X", ""),
		"a boundary": filled("multipart/form-data; boundary=", "X", ""),
		"spaces":     filled("application/json", " ", ""),
		"not UTF-8":  filled("multipart/form-data; boundary=", "\xff", ""),
	} {
		for _, dialect := range dialects {
			t.Run(name+"/"+string(dialect), func(t *testing.T) {
				for _, n := range sizes() {
					if !checkCost(t, dialect, contentType(n), body) {
						return
					}
				}
			})
		}
	}
	for _, dialect := range dialects {
		method := strings.Repeat("m\u00e9", 1<<18)
		r := &Request{URL: "http://example.org/", Method: method, Body: []byte(body)}
		costOf(func() { dialect.Keys(r) }).check(t, "method, "+string(dialect), len(method))
	}
}

// urlKeys are all keys of a URL.
func urlKeys(t testing.TB) map[string]func(url string) string {
	return map[string]func(url string) string{
		"surt":     func(url string) string { key, _ := SURT(url); return key },
		"warciojs": func(url string) string { key, _ := WarcioJS.Key(url); return key },
		"append":   func(url string) string { return WarcioJS.Append("http://a/", "POST", url) },
		"path":     rules(t).URL,
		"wwwoffle": func(url string) string { _, key := WWWOFFLE(url); return key },
		"form":     FormKey,
	}
}

// TestURLsCostWhatTheyWeigh: time and memory are linear for every key of a URL.
func TestURLsCostWhatTheyWeigh(t *testing.T) {
	for name, key := range urlKeys(t) {
		for _, shape := range hostileURLs {
			t.Run(name+"/"+shape.name, func(t *testing.T) {
				for _, n := range sizes() {
					if !checkURLCost(t, name, key, shape.url(n)) {
						return
					}
				}
			})
		}
	}
}

// checkURLCost reports whether a key of a URL costs no more than it may. It is no longer
// than three escapes for each byte.
func checkURLCost(t testing.TB, name string, key func(string) string, url string) bool {
	t.Helper()
	var made string
	c := costOf(func() { made = key(url) })
	if len(made) > 9*len(url)+64 {
		t.Errorf("%s: a key of %d bytes for %d", name, len(made), len(url))
		return false
	}
	return c.check(t, name, len(url))
}

// TestFormKeysCostWhatTheyWeigh: so they are for the form key, which is made of bodies too.
func TestFormKeysCostWhatTheyWeigh(t *testing.T) {
	for _, shape := range hostileBodies {
		if !strings.HasPrefix(shape.name, "form") {
			continue
		}
		t.Run(shape.name, func(t *testing.T) {
			for _, n := range sizes() {
				if key := FormKey(shape.body(n)); len(key) > maxForm {
					t.Errorf("a key of %d bytes", len(key))
				}
				if !checkURLCost(t, "form", FormKey, shape.body(n)) {
					return
				}
			}
		})
	}
}
