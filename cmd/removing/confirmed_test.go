package removing

import (
	"testing"

	"warcorder/store/selection"
)

// TestConfirmed: what has come since somebody has confirmed goes only when that was shown too.
func TestConfirmed(t *testing.T) {
	r := start(t, nil)
	r.get("https://example.com/hush", page(text("one body")))
	r.get("https://example.com/revisit", page(text("one body")))
	r.rotate()
	hush := selection.Selection{URL: "https://example.com/hush"}
	plan := func(fingerprint string) func(*Wish) { return func(w *Wish) { w.Plan = fingerprint } }
	shown := r.remove(hush, func(w *Wish) { w.DryRun = true })
	if again := r.remove(hush, func(w *Wish) { w.DryRun = true }); again.Fingerprint != shown.Fingerprint {
		t.Errorf("%+v, and %+v", shown, again)
	}
	r.get("https://example.com/unrelated", page(text("three")))
	r.get("https://example.com/hush", page(text("two")))
	before := r.all()
	changed := r.remove(hush, plan(shown.Fingerprint))
	if changed.Done || !changed.Changed || changed.Captures != 2 {
		t.Errorf("%+v", changed)
	}
	r.same(before)
	r.get("https://example.com/unrelated", page(text("four")))
	if done := r.remove(hush, plan(changed.Fingerprint)); !done.Done || done.Captures != 2 {
		t.Errorf("%+v", done)
	}
	r.verified()
}
