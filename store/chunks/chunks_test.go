package chunks

import (
	"slices"
	"testing"
)

// TestDecoder takes the chunks off bodies that come in pieces of every size.
func TestDecoder(t *testing.T) {
	for _, c := range []struct {
		name, body, want string
		whole            bool
	}{
		{"one", "5\r\nhello\r\n0\r\n\r\n", "hello", true},
		{"two, extensions", "2;a=b\r\nhe\r\n003 \r\nllo\r\n00;x\r\n\r\n", "hello", true},
		{"hexadecimal", "a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n",
			"01234567890123456789a", true},
		{"line feeds alone", "5\nhello\n0\n\n", "hello", true},
		{"trailers", "5\r\nhello\r\n0\r\nA: b\r\nC: d\r\n\r\n", "hello", true},
		{"empty", "0\r\n\r\n", "", true},
		{"nothing", "", "", false},
		{"no end", "5\r\nhello\r\n0\r\n", "hello", false},
		{"no last chunk", "5\r\nhello\r\n", "hello", false},
		{"cut in the data", "5\r\nhel", "hel", false},
		{"something behind", "5\r\nhello\r\n0\r\n\r\nx", "hello", false},
		{"data too long", "5\r\nhello!\r\n0\r\n\r\n", "hello", false},
		{"no size", "\r\nhello", "", false},
		{"no number", "x\r\nhello", "", false},
		{"a size too long", "0000000000000005\r\nhello\r\n0\r\n\r\n", "", false},
	} {
		for size := 1; size <= len(c.body)+1; size++ {
			var d Decoder
			var got []byte
			for piece := range slices.Chunk([]byte(c.body), size) {
				for len(piece) > 0 {
					var data []byte
					data, piece = d.Next(piece)
					got = append(got, data...)
				}
			}
			if string(got) != c.want || d.Whole() != c.whole {
				t.Errorf("%s in pieces of %d: %q, %v", c.name, size, got, d.state)
			}
		}
	}
}
