package removing

import (
	"slices"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/selection"
)

// TestTook: what was done says of which URLs it has taken anything: of those that went, by capture or by
// gap, and of those that were named, whenever they were; of no other.
func TestTook(t *testing.T) {
	const goes, other, gap, never = "https://a.example/goes", "https://a.example/other", "https://b.example/gap",
		"https://a.example/never"
	for name, test := range map[string]struct {
		wish selection.Selection // or what is old
		took []string
		cut  []string // of URLs that begin so
	}{
		"a URL": {selection.Selection{URL: goes}, []string{goes}, []string{goes, other, never}},
		"a gap": {selection.Selection{URL: gap}, []string{gap}, []string{gap}},
		"a host": {selection.Selection{URL: goes, Match: store.Host}, []string{goes, other, never},
			[]string{goes, other, never}},
		"what was before": {selection.Selection{To: "20260501120001"}, []string{goes}, []string{goes, other, never}},
		"the page of a host until then": {selection.Selection{URL: goes, Match: store.Host, To: "20260501120001"},
			[]string{goes}, []string{goes, other, never}},
		"by age": {selection.Selection{}, []string{goes}, []string{goes, other, never}},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			r.get(goes, page(text("one")))
			r.get(other, page(text("two")))
			r.Gap("upstream", gap, "no such host") // now, which is behind all of these times
			r.rotate()
			wish := Wish{Choose: Chosen(t.Context(), test.wish)}
			if test.wish.IsAll() {
				wish.Choose = Older(t.Context(), r.dir, time.Second, r.now.Add(500*time.Millisecond))
			}
			done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, wish)
			if err != nil || !done.Done {
				t.Fatalf("%+v, %v", done, err)
			}
			for cut, want := range map[bool][]string{false: test.took, true: test.cut} {
				var took []string
				for _, url := range []string{goes, other, gap, never} {
					if done.Took(url, cut) {
						took = append(took, url)
					}
				}
				if !slices.Equal(took, want) {
					t.Errorf("cut %t: it took %q, want %q", cut, took, want)
				}
			}
			if done.Took("https://a.example:8443/goes", true) != (name != "a gap") {
				t.Error("a host at another port")
			}
		})
	}
}
