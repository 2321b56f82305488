package removal

import (
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/store"
)

// TestTurns: of the revisits that need a response the earliest gets its body, and the others refer to
// that one, whatever their files; a 304 needs none, and one that only names what goes is told where its
// body lies.
func TestTurns(t *testing.T) {
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	one, two := source{place: place{1, 100}, length: 10}, source{place: place{1, 200}, length: 20}
	other := store.Location{File: "c", Offset: 7}
	p := Plan{files: map[uint32]store.File{2: {Name: "b"}, 3: {Name: "c"}}, needs: []need{
		{at: place{2, 10}, time: at(5), from: one, length: 1},
		{at: place{2, 20}, time: at(9), from: two, length: 2},
		{at: place{3, 30}, time: at(3), from: one, length: 3},
		{at: place{3, 40}, time: at(3), from: one, length: 4},
		{at: place{2, 50}, time: at(1), bare: true},
		{at: place{2, 60}, time: at(1), named: true, other: other},
		{at: place{2, 70}, time: at(1), named: true},
	}}
	all := p.turns()
	first := store.Location{File: "c", Offset: 30, Length: 3}
	want := map[int64]turn{
		10: {how: redirected, to: first}, 20: {how: moved}, 30: {how: moved}, 40: {how: redirected, to: first},
		50: {how: bodiless}, 60: {how: redirected, to: other}, 70: {how: redirected},
	}
	for _, turn := range slices.Concat(all[2], all[3]) {
		if w := want[turn.at.offset]; w.how != turn.how || w.to != turn.to {
			t.Errorf("at %d: %+v, want %+v", turn.at.offset, *turn, w)
		}
		delete(want, turn.at.offset)
	}
	if len(want) > 0 || p.Moved != 2 || p.Redirected != 4 || p.Bodiless != 1 {
		t.Errorf("%v, %+v", want, p.Summary)
	}
}

func sha1Of(letter string) string { return "sha1:" + strings.Repeat(letter, 32) }

// TestIsLike: a revisit is looked at unless its digest shows that its payload is another one.
func TestIsLike(t *testing.T) {
	md5 := "md5:" + strings.Repeat("ab", 16)
	for name, test := range map[string]struct {
		gone   []string // digests of what goes
		digest string
		want   bool
	}{
		"the same":               {[]string{sha1Of("A")}, sha1Of("A"), true},
		"the same, otherwise":    {[]string{sha1Of("A")}, "SHA-1:" + strings.Repeat("a", 32), true},
		"another":                {[]string{sha1Of("A")}, sha1Of("B"), false},
		"none":                   {[]string{sha1Of("A")}, "", true},
		"what is not understood": {[]string{sha1Of("A")}, "sha1:A", true},
		"of another algorithm":   {[]string{sha1Of("A")}, md5, true},
		"of one of two":          {[]string{md5, sha1Of("A")}, sha1Of("B"), true},
		"what goes has none":     {[]string{""}, sha1Of("B"), true},
		"one of them has none":   {[]string{"", sha1Of("A")}, sha1Of("B"), true},
	} {
		p := Plan{}
		g := p.nothingGone()
		for i, digest := range test.gone {
			g.add(&store.Capture{URL: "https://example.com/", Digest: digest}, place{1, int64(i)})
		}
		if got := g.isLike(test.digest); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestGoesGap: a gap goes if what was chosen names it: its URL and time or, by pages, that of a capture
// that goes, up to an hour behind it; in chosen files, with a capture of its URL.
func TestGoesGap(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	hush := "https://example.com/hush"
	has := func(uri string, at time.Time) bool { return uri == hush && at.Before(begin.Add(2*time.Hour)) }
	any := func(string, time.Time) bool { return true }
	for name, test := range map[string]struct {
		order Order
		url   string
		after time.Duration
		want  bool
	}{
		"the URL":                 {Order{Has: has}, hush, time.Hour, true},
		"the URL, later":          {Order{Has: has}, hush, 3 * time.Hour, false},
		"another URL":             {Order{Has: has}, "https://example.com/", 0, false},
		"no URL":                  {Order{Has: any}, "", 0, false},
		"a file or a connection":  {Order{Has: any}, "example.com:443", 0, false},
		"any URL":                 {Order{Has: any}, "https://example.com/", 0, true},
		"in files":                {Order{Has: any, Files: true}, hush, 3 * time.Hour, true},
		"in files, another URL":   {Order{Has: any, Files: true}, "https://example.com/", 0, false},
		"a page":                  {Order{}, hush, 0, true},
		"a page, as it broke off": {Order{}, hush, time.Hour, true},
		"a page, later":           {Order{}, hush, time.Hour + time.Second, false},
		"a page, before":          {Order{}, hush, -time.Second, false},
		"a page, another URL":     {Order{}, "https://example.com/", 0, false},
	} {
		p := Plan{order: test.order}
		p.gone = p.nothingGone()
		p.gone.add(&store.Capture{URL: hush, Time: begin}, place{1, 1})
		if got := p.GoesGap(&store.Gap{URL: test.url, Time: begin.Add(test.after)}); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
