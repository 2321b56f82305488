package pushing

import (
	"strings"
	"testing"

	"warcorder/store/delta"
)

// FuzzPushed: what a token file says is read as it was written, or is an error.
func FuzzPushed(f *testing.F) {
	zero := new(delta.Token).String()
	for _, text := range []string{"", "\n", zero + "\n", "\nmore " + zero + " YSAx\n", "more", "\nmore x y",
		"\nmore  YSAx", "\ntable 0123456789abcdef\n", "\ntable 0", zero + "\nmore " + zero + " ?"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePushed(text)
		if err != nil {
			return
		}
		again, err := parsePushed(p.String())
		if err != nil || again.behind != p.behind || again.table != p.table || (again.until == nil) != (p.until == nil) ||
			again.since.String() != p.since.String() {
			t.Errorf("%q: %+v, and again %+v, %v", text, p, again, err)
		}
	})
}

// TestPushedDamaged: of a file with one bit that is wrong nothing is skipped that the server may lack.
func TestPushedDamaged(t *testing.T) {
	c := newCollection(t)
	c.add("a.warc.gz", 10, true)
	until := c.token()
	want := pushed{until: &until, behind: "com,example)/000005 20260501120000"}
	text := want.String()
	if got, err := parsePushed(text); err != nil || got.behind != want.behind {
		t.Fatalf("%+v %v", got, err)
	}
	for i := range text {
		for bit := range 8 {
			bad := []byte(text)
			bad[i] ^= 1 << bit
			got, err := parsePushed(string(bad))
			if err == nil && got.behind != "" && (got.behind != want.behind || got.until.String() != until.String()) {
				t.Errorf("%q is read as %+v", bad, got)
			}
		}
	}
	old, _, _ := strings.Cut(text[1:], " Y29t")
	got, err := parsePushed("\n" + old + " Y29t\n")
	if err != nil || got.behind != "" || got.until == nil {
		t.Errorf("without a sum: %+v %v", got, err)
	}
}
