package http1

import (
	"testing"
)

func TestHeadEnd(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", -1},
		{"GET / HTTP/1.1\r\n", -1},
		{"a\r\n\r\nbody", 5},
		{"a\n\nbody", 3},
		{"a\r\n\nbody", 4},
		{"a\n\r\nbody", 4},
		{"a\n\r", -1},
	} {
		if end, _ := HeadEnd([]byte(c.text), 0); end != c.want {
			t.Errorf("%q: %d, want %d", c.text, end, c.want)
		}
		end, from := -1, 0 // byte by byte, as a slow peer sends it
		for i := range len(c.text) + 1 {
			if end, from = HeadEnd([]byte(c.text[:i]), from); end >= 0 {
				break
			}
		}
		if end != c.want {
			t.Errorf("%q byte by byte: %d, want %d", c.text, end, c.want)
		}
	}
}
