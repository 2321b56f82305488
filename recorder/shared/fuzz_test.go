package shared

import (
	"encoding/binary"
	"strings"
	"testing"

	"warcorder/store"
)

// FuzzValue: whatever stands under a key, with a check that is right, is an original within the bounds, which
// is read again as it was when it is written, or is none.
func FuzzValue(f *testing.F) {
	o := originalOf(7)
	for i, kind := range []byte(kinds) {
		if isSHA256(kind) {
			o.Digest = sha256Label + strings.Repeat("0a", sha256Size)
		}
		value, _ := appendValue(nil, keyOf(kind, &o.Key), o, "host/web")
		f.Add(byte(i), value[:len(value)-checkSize])
	}
	f.Fuzz(func(t *testing.T, n byte, value []byte) {
		kind := kinds[int(n)%len(kinds)]
		key := keyOf(kind, &store.OriginalKey{n})
		whole := binary.BigEndian.AppendUint32(value[:len(value):len(value)], checkOf(key, value))
		o, ok := decode(key, string(whole))
		if !ok {
			return
		}
		if len(whole) > maxValue || len(o.URL) > maxURL || len(o.File) > maxName {
			t.Fatalf("%d bytes, %+v", len(whole), o)
		}
		again, ok := appendValue(nil, key, &o, "")
		if !ok {
			t.Fatalf("it cannot be written: %+v", o)
		}
		if read, ok := decode(key, string(again)); !ok || read != o {
			t.Fatalf("%+v, and again %+v", o, read)
		}
	})
}

// FuzzGuard: an answer is judged the same in whatever pieces it comes.
func FuzzGuard(f *testing.F) {
	for _, text := range []string{"+OK\r\n", "*2\r\n$1\r\na\r\n$-1\r\n", "%1\r\n+a\r\n:1\r\n", "$-1\r\n-ERR x\r\n",
		"*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n", "$9000\r\n", "_\r\n#t\r\n,1.5\r\n"} {
		f.Add([]byte(text), 3)
	}
	f.Fuzz(func(t *testing.T, b []byte, step int) {
		whole, pieces, good := &guard{}, &guard{}, true
		step = 1 + (step&0xff)%16
		for at := 0; at < len(b) && good; at += step {
			good = pieces.look(b[at:min(at+step, len(b))])
		}
		if got := whole.look(b); got != good {
			t.Fatalf("%v as a whole, %v by %d", got, good, step)
		}
		if good && (whole.n != pieces.n || whole.rest != pieces.rest || whole.deep != pieces.deep ||
			whole.deep > maxDepth || whole.rest > maxBulk+2) {
			t.Fatalf("%+v, %+v", whole, pieces)
		}
	})
}
