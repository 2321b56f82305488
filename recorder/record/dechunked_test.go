package record

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestEntityOfChunks: the keys are made of the same data as the digests, however a chunk's size is
// written and in whatever pieces it comes.
func TestEntityOfChunks(t *testing.T) {
	for name, c := range map[string]struct {
		body, want string
		broken     bool
	}{
		"plain":  {"5\r\na=b&c\r\n2\r\n=d\r\n0\r\n\r\n", "a=b&c=d", false},
		"spaces": {"5 \r\na=b&c\r\n2 ;x\r\n=d\r\n0\r\n\r\n", "a=b&c=d", false},
		"long extension": {"5;" + strings.Repeat("x", 5000) + "\r\na=b&c\r\n2\r\n=d\r\n0\r\n\r\n",
			"a=b&c=d", false},
		"many extensions": {strings.Repeat("1;"+strings.Repeat("x", 4000)+"\r\na\r\n", 20) + "0\r\n\r\n",
			strings.Repeat("a", 20), false},
		"trailers":       {"5\r\na=b&c\r\n0\r\nX: y\r\n\r\n", "a=b&c", false},
		"cut in a chunk": {"5\r\na=b", "a=b", true},
		"cut behind one": {"5\r\na=b&c\r\n", "a=b&c", true},
		"no size":        {"5\r\na=b&c\r\nx", "a=b&c", true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, slow := range []bool{false, true} {
				body := strings.NewReader(c.body)
				var e entity
				var err error
				if slow {
					err = e.read(iotest.OneByteReader(body), int64(len(c.body)), true)
				} else {
					err = e.read(body, int64(len(c.body)), true)
				}
				if err != nil || string(e.Start) != c.want || e.broken != c.broken {
					t.Errorf("%q, broken %v, %v", e.Start, e.broken, err)
				}
			}
		})
	}
	var e entity
	failed := errors.New("the disk")
	if err := e.read(iotest.ErrReader(failed), 10, true); err != failed {
		t.Errorf("%v", err)
	}
}

// TestDechunker takes the chunks off bodies that come in pieces of every size.
func TestDechunker(t *testing.T) {
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
			var d Dechunker
			var got []byte
			for piece := range slices.Chunk([]byte(c.body), size) {
				for len(piece) > 0 {
					var data []byte
					data, piece = d.Next(piece)
					got = append(got, data...)
				}
			}
			if string(got) != c.want || (d.state == atEnd) != c.whole {
				t.Errorf("%s in pieces of %d: %q, %v", c.name, size, got, d.state)
			}
		}
	}
}
