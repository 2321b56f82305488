package record

import (
	"errors"
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
