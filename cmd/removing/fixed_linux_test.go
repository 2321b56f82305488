package removing

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"warcorder/store/collection"
	"warcorder/store/selection"
)

// TestImmutable: a file that cannot be replaced, or one in a directory that only takes files, is found
// before anything is decided or finished; recording goes on as if nothing had been asked, and nothing is
// left. When the file is let go, the same removal comes to its end. Where nobody may change the
// attributes, both are the same.
func TestImmutable(t *testing.T) {
	for name, test := range map[string]struct {
		attribute string
		path      func(r *recording) string
		open      bool // a file is being written
	}{
		"a file":                           {"i", lastFile, false},
		"the archive":                      {"a", archiveOf, false},
		"the archive, while it is written": {"a", archiveOf, true},
		"the collection":                   {"a", func(r *recording) string { return string(r.dir) }, false},
		"the pages of imports":             {"i", func(r *recording) string { return r.dir.Pages() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			for i := range 2 {
				r.get("https://example.com/secret", page(text("hush")))
				r.get("https://example.com/kept", page(text("plain")))
				if i == 0 || !test.open {
					r.rotate()
				}
			}
			put(t, r.dir.Pages(), listOf([2]string{dateOf(1), "https://example.com/secret"}))
			before, path := r.all(), test.path(r)
			if exec.Command("chattr", "+"+test.attribute, path).Run() == nil {
				let := func() { exec.Command("chattr", "-"+test.attribute, path).Run() }
				defer let()
				for range 2 { // what the first leaves is not in the way of the second
					_, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, Wish{Choose: Chosen(t.Context(),
						selection.Selection{URL: "https://example.com/secret"})})
					if err == nil || !strings.Contains(err.Error(), "chattr -") {
						t.Error(err)
					}
				}
				r.same(before)
				if err := r.Ready(); err != nil {
					t.Error(err)
				}
				if left := r.leftOver(); len(left) > 0 {
					t.Errorf("left over: %q", left)
				}
				r.get("https://example.com/later", page(text("later")))
				let()
				r.close()
				r.open()
			}
			if done := r.remove(selection.Selection{URL: "https://example.com/secret"}, nil); done.Captures != 2 {
				t.Errorf("%+v", done)
			}
			r.verified()
		})
	}
}

// lastFile is the path of the last file of a recording.
func lastFile(r *recording) string {
	files := r.files()
	return r.dir.WARC(files[len(files)-1])
}

func archiveOf(r *recording) string { return r.dir.Archive() }

// leftOver are the names of what a removal has begun to write.
func (r *recording) leftOver() (names []string) {
	r.t.Helper()
	for _, dir := range []string{string(r.dir), r.dir.Archive()} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, entry := range entries {
			if strings.HasSuffix(entry.Name(), collection.NewSuffix) || strings.Contains(entry.Name(), "remov") ||
				strings.HasSuffix(entry.Name(), collection.RewrittenSuffix) {
				names = append(names, entry.Name())
			}
		}
	}
	return names
}
