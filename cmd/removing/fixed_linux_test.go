package removing

import (
	"os/exec"
	"testing"

	"warcorder/store/selection"
)

// TestImmutable: a file that cannot be replaced is found before anything is decided; it goes on as if
// nothing had been asked, and when the file is let go, the same removal comes to its end. Where nobody
// may make a file immutable, both are the same.
func TestImmutable(t *testing.T) {
	r := start(t, nil)
	for range 2 {
		r.get("https://example.com/secret", page(text("hush")))
		r.get("https://example.com/kept", page(text("plain")))
		r.rotate()
	}
	before, last := r.all(), r.dir.WARC(r.files()[1])
	if exec.Command("chattr", "+i", last).Run() == nil {
		defer exec.Command("chattr", "-i", last).Run()
		_, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, Wish{Choose: Chosen(t.Context(),
			selection.Selection{URL: "https://example.com/secret"})})
		if err == nil {
			t.Error("no error")
		}
		r.same(before)
		r.get("https://example.com/later", page(text("later")))
		r.close()
		r.open()
		if out, err := exec.Command("chattr", "-i", last).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	}
	if done := r.remove(selection.Selection{URL: "https://example.com/secret"}, nil); done.Captures != 2 {
		t.Errorf("%+v", done)
	}
	r.verified()
}
