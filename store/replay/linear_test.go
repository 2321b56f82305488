package replay

import (
	"strings"
	"testing"
	"time"
)

// TestLinear: heads of the longest kind that a relay lets pass are read in time that is linear in
// their length. Each takes a second at most; what is quadratic takes minutes.
func TestLinear(t *testing.T) {
	const size = 1 << 20
	of := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	bounded := func(piece string, read func()) {
		began := time.Now()
		read()
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%q: it took %v", piece, took)
		}
	}
	names := make([]string, maxVary)
	for i := range names {
		names[i] = strings.Repeat("a", i+1)
	}
	long := "a:" + strings.Repeat("x", 99) + "\n"
	for _, piece := range []string{"a:b\r\n", "a:\r\n b\r\n", "\t\n", "a\n", long} {
		h := head("GET / HTTP/1.1\r\na: x\r\n" + of(piece) + "\r\n")
		bounded(piece, func() {
			h.get("a")
			h.has("b")
			varyOf(head("\r\nVary:" + h.get("a") + "\r\n\r\n"))
			differing(h, h, names)
		})
	}
	for _, piece := range []string{",", "a,", `"`, `",`, `\`, `"\`, " ;", "; ,", "a b", "gzip;q=0,",
		"*,", "\x00", "é", "%", "://", "../", "?", "#", "@", "[", ":"} {
		value := of(piece)
		bounded(piece, func() {
			accepts(value, "gzip")
			varyOf(head("\r\nVary: " + value + "\r\n\r\n"))
			plainValue(value)
			tokens(value)
			resolve("http://example.com/", value)
			nearnessOf("http://example.com/"+value, "https://"+value)
			alike(value, value+"x")
			shortened(value)
			plainURL(value)
		})
	}
	for _, piece := range []string{"/", "a/", "../", `\`, "é.", "%", ":", "@"} {
		bounded(piece, func() {
			resolve("http://example.com/"+of(piece), of(piece))
			resolve("http://example.com/", "//"+of(piece))
		})
	}
}
