package removing

import (
	"errors"
	"os"
	"testing"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/removal"
	"warcorder/store/selection"
)

// planned makes a plan of the collection as it is, without that the recorder stands aside.
func (r *recording) planned(sel selection.Selection) *removal.Plan {
	r.t.Helper()
	files := readback.New(r.dir, r.Index())
	r.t.Cleanup(func() { files.Close() })
	order, err := Chosen(r.t.Context(), sel)(r.Index(), files)
	if err != nil {
		r.t.Fatal(err)
	}
	plan, err := removal.Make(r.t.Context(), r.dir, r.Index(), files, order)
	if err != nil {
		r.t.Fatal(err)
	}
	return plan
}

// TestMeanwhile: what is recorded while captures are removed, and behind that, refers to nothing of
// them.
func TestMeanwhile(t *testing.T) {
	r := start(t, nil)
	hush := selection.Selection{URL: "https://example.com/hush"}
	r.get("https://example.com/hush", page(text("one body")))
	asked := 0
	done := r.remove(hush, func(w *Wish) {
		w.Confirm = func(*removal.Summary) (bool, error) {
			asked++
			r.get("https://example.com/meanwhile", page(text("one body")))
			return true, nil
		}
	})
	r.get("https://example.com/behind", page(text("one body")))
	if asked != 1 || done.Captures != 1 {
		t.Errorf("asked %d times; %+v", asked, done)
	}
	for _, s := range r.all() {
		if s.body != text("one body") || s.url == "https://example.com/meanwhile" && s.mime == "warc/revisit" {
			t.Errorf("%+v", s)
		}
	}
	r.verified()
}

// TestForgotten: a recorder that has stored a payload, of which a removal has taken the only copy, stores
// it again.
func TestForgotten(t *testing.T) {
	r := start(t, nil)
	r.get("https://example.com/hush", page(text("one body")))
	r.remove(selection.Selection{URL: "https://example.com/hush"}, nil)
	r.get("https://example.com/behind", page(text("one body")))
	for _, s := range r.all() {
		if s.body != text("one body") || s.mime == "warc/revisit" {
			t.Errorf("%+v", s)
		}
	}
	r.verified()
}

// TestAgain: a plan is not carried out if revisits need what goes that are in files which are not
// finished, or have come since; and it can be shown all the same.
func TestAgain(t *testing.T) {
	r := start(t, nil)
	hush := selection.Selection{URL: "https://example.com/hush"}
	r.get("https://example.com/hush", page(text("one body")))
	r.get("https://example.com/other", page(text("another body")))
	r.rotate()
	early := r.planned(hush)
	r.get("https://example.com/revisit", page(text("one body")))
	r.get("https://example.com/other-revisit", page(text("another body")))
	if _, err := r.planned(hush).Write(t.Context(), r.cfg.Mode, 0); !errors.Is(err, removal.ErrAgain) {
		t.Errorf("in a file that is not finished: %v", err)
	}
	if dry := r.remove(hush, func(w *Wish) { w.DryRun = true }); dry.Captures != 1 {
		t.Errorf("%+v", dry)
	}
	revisits := 0
	err := r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
		needs := c.URL == "https://example.com/revisit"
		if err := early.Check(c); errors.Is(err, removal.ErrAgain) != needs || !needs && err != nil {
			t.Errorf("%s: %v", c.URL, err)
		}
		if c.MIME == "warc/revisit" {
			revisits++
		}
		return true
	})
	if err != nil || revisits != 2 {
		t.Errorf("%d revisits, %v", revisits, err)
	}
	if done := r.remove(hush, nil); done.Captures != 1 || done.Moved != 1 {
		t.Errorf("%+v", done)
	}
	r.verified()
}

// TestReread: a file that does not have the captures that it must have takes no place.
func TestReread(t *testing.T) {
	r := start(t, nil)
	r.get("https://example.com/one", page(text("one body")))
	r.get("https://example.com/two", page(text("another body")))
	r.rotate()
	before := r.all()
	files, err := r.Index().Files()
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	b, err := os.ReadFile(r.dir.WARC(files[0].Name))
	if err != nil {
		t.Fatal(err)
	}
	path := r.dir.Rewritten(files[0].Name)
	put(t, path, string(b))
	for _, captures := range []int64{1, 3} {
		err := r.Alone(t.Context(), func() error {
			return r.Renew(t.Context(), recorder.Renewal{
				IDs:    []uint32{files[0].ID},
				Files:  []recovery.Anew{{Name: files[0].Name, Path: path, Size: int64(len(b)), Captures: captures}},
				Check:  func(*store.Capture) error { return nil },
				Drop:   func(*store.Gap) bool { return false },
				Decide: func() error { t.Error("it is decided"); return nil },
				Place:  func() error { t.Error("it takes its place"); return nil },
			})
		})
		if err == nil {
			t.Errorf("%d captures, and there are 2", captures)
		}
	}
	r.same(before)
	if err := os.Remove(path); err != nil {
		t.Error(err)
	}
	r.verified()
}
