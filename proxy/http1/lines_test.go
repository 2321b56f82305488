package http1

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFields: folds go on with their field, and what is no field is passed over.
func TestFields(t *testing.T) {
	head := lines("HTTP/1.1 200 OK: x", "A: 1 ", " 2", "no field", " of none", "b:", "C :3", "A:4", "D E: 5")
	var got []string
	Fields(head, func(name, value []byte) { got = append(got, fmt.Sprintf("%s=%s", name, value)) })
	if want := []string{"A=1", "A=2", "b=", "C=3", "A=4"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWithout: fields go with their folds, in any spelling, and all else stays byte for byte.
func TestWithout(t *testing.T) {
	for _, c := range [][2]string{
		{"GET / HTTP/1.1\r\nHost: a\r\nRange: bytes=0-\r\nX: y\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n"},
		{"GET / HTTP/1.1\r\nRANGE:\r\n bytes=0-\r\n\t, 3-4\r\nHost:  a\n\r\n",
			"GET / HTTP/1.1\r\nHost:  a\n\r\n"},
		{"Range: / HTTP/1.1\r\nRange-X: 1\r\nXRange: 2\r\nrange : 3\r\nRange\r\n\r\n",
			"Range: / HTTP/1.1\r\nRange-X: 1\r\nXRange: 2\r\nRange\r\n\r\n"},
		{"GET / HTTP/1.1\r\nIf-Range: x\r\nRange: y\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"},
		{"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"},
	} {
		if got := string(Without(nil, []byte(c[0]), "range", "if-range")); got != c[1] {
			t.Errorf("%q gives %q, want %q", c[0], got, c[1])
		}
	}
}

// TestLinesAreLinear: a head of any shape is gone through once. A million lines take a tenth of a
// second, on a busy machine a few, and hours if each looks at all others.
func TestLinesAreLinear(t *testing.T) {
	for name, line := range map[string]string{"fields": "a:b\r\n", "folds": " a\r\n", "empty": "a\n"} {
		head := []byte("GET / HTTP/1.1\r\nA: b\r\n" + strings.Repeat(line, 1<<20) + "\r\n")
		began := time.Now()
		n := 0
		Fields(head, func(_, _ []byte) { n++ })
		Without(make([]byte, 0, len(head)), head, "range", "if-range")
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: %v for %d bytes, %d fields", name, took, len(head), n)
		}
	}
}
