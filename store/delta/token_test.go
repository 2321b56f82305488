package delta

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestToken: a token is one word, and what is parsed of it is what was said.
func TestToken(t *testing.T) {
	token := Token{}
	for i := range 1000 {
		f := file{name: fmt.Sprintf("warcorder-20261124201500000-%05d-host.warc.gz", i), committed: int64(i) * 1e6}
		if i%10 == 3 {
			f.reduced, f.buried, f.tail = true, uint64(i), [8]byte{1, byte(i)}
		}
		token.files = append(token.files, f)
	}
	for _, want := range []Token{{}, {files: token.files[:1]}, token} {
		text := want.String()
		got, err := Parse(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v %v", text, got, err)
		}
		if !regexp.MustCompile(`^w1\.[A-Za-z0-9_-]+$`).MatchString(text) || len(text) > 100+12*len(want.files) {
			t.Errorf("%d bytes of %d files: %s", len(text), len(want.files), text)
		}
	}
	if got, err := Parse(""); err != nil || len(got.files) > 0 {
		t.Errorf("%v %v", got, err)
	}
	text := token.String()
	for _, bad := range []string{"w1.", "w1", "x", "w2." + text[3:], text[:len(text)-1], text + "A", text[1:],
		text + " ", strings.ToUpper(text), "@" + text, "w1.!!!!"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%.40s is taken", bad)
		}
	}
	if _, err := Parse("w9.AAAA"); err == nil || !strings.Contains(err.Error(), "another version") {
		t.Error(err)
	}
}

// TestTokenOr: of two tokens together, what has become something else is as the first says, and what has
// only grown as the second.
func TestTokenOr(t *testing.T) {
	first := Token{files: []file{{name: "cut", committed: 9}, {name: "gone", committed: 3},
		{name: "grown", committed: 5}, {name: "same", committed: 7, reduced: true, buried: 2}}}
	later := Token{files: []file{{name: "cut", committed: 12, reduced: true, buried: 1}, {name: "grown", committed: 8},
		{name: "new", committed: 1}, {name: "same", committed: 7, reduced: true, buried: 2}}}
	want := Token{files: []file{{name: "cut", committed: 9}, {name: "gone", committed: 3},
		{name: "grown", committed: 8}, {name: "new", committed: 1},
		{name: "same", committed: 7, reduced: true, buried: 2}}}
	before := later.String()
	if got := first.Or(later); !reflect.DeepEqual(got, want) || later.String() != before {
		t.Errorf("%+v", got)
	}
	if got := (Token{}).Or(later); !reflect.DeepEqual(got, later) {
		t.Errorf("of nothing: %+v", got)
	}
}

// pack makes a text of bytes as a token has them.
func pack(raw []byte) string {
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, flate.BestCompression)
	w.Write(raw)
	w.Close()
	return version + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

// TestHostileToken: what a text makes of itself is bounded, whatever it says.
func TestHostileToken(t *testing.T) {
	for name, raw := range map[string][]byte{
		"zeros": make([]byte, 64<<20),
		"files": bytes.Repeat([]byte{0, 1, 'a', 0, 0}, 4<<20),
	} {
		text := pack(raw)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Parse(text)
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; err == nil || grown > 128<<20 {
			t.Errorf("%s: %v, %d bytes", name, err, grown)
		}
	}
}

// FuzzToken: no text makes Parse panic, and what it takes is written as it was read.
func FuzzToken(f *testing.F) {
	f.Add(Token{files: []file{{name: "a", committed: 1}, {name: "ab", committed: 2, reduced: true}}}.String())
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		token, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(token.String())
		if err != nil || !reflect.DeepEqual(again, token) {
			t.Errorf("%v %v %v", token, again, err)
		}
	})
}
