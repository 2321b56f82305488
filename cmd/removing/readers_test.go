package removing

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"warcorder/store"
	"warcorder/store/extract"
	"warcorder/store/har"
	"warcorder/store/pages"
	"warcorder/store/readback"
	"warcorder/store/report"
	"warcorder/store/selection"
)

// TestRemoveBesideWorks: a work that reads a collection in many steps, while something else is removed
// from it, says so: else what it found before would be told as missing, or left out.
func TestRemoveBesideWorks(t *testing.T) {
	kept := selection.Selection{URL: "https://example.com/kept", Match: store.Prefix}
	for name, work := range map[string]func(*recording, *readback.Files, func()) error{
		"har": func(r *recording, files *readback.Files, remove func()) error {
			var out bytes.Buffer
			done, err := har.Write(t.Context(), &out, sourceOf(r, files), selection.Selection{}, har.Options{
				LeftOut:  func(left *har.LeftOutError) { t.Error("left out: ", left) },
				Progress: func(_, _ int64) { remove() },
			})
			if done.LeftOut > 0 {
				t.Errorf("%+v", done)
			}
			return err
		},
		"extract": func(r *recording, files *readback.Files, remove func()) error {
			dir := filepath.Join(t.TempDir(), "extract")
			_, err := extract.Write(t.Context(), sourceOf(r, files), kept, dir, extract.Options{
				Collection: "x", Mode: 0o644, Progress: func(_, _ int64) { remove() },
			})
			if _, gone := os.Stat(dir); gone == nil {
				t.Error("the extract is there")
			}
			return err
		},
		"report": func(r *recording, files *readback.Files, remove func()) error {
			reports := report.New(r.Index(), files)
			reports.Gaps = func(limit int) (store.Gaps, error) {
				remove()
				return r.Gaps(limit)
			}
			_, err := reports.Each(t.Context(), report.Selection{}, func(*report.Report) error {
				t.Error("it reports")
				return nil
			})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			r.get("https://example.com/secret", page(text("hush")))
			for i := range 4 {
				r.get(fmt.Sprintf("https://example.com/kept%d", i), page(text(fmt.Sprint("kept", i))))
				r.rotate()
			}
			files := readback.New(r.dir, r.Index())
			defer files.Close()
			removed := false
			err := work(r, files, func() {
				if !removed {
					removed = true
					r.remove(selection.Selection{URL: "https://example.com/secret"}, nil)
				}
			})
			if !removed || !errors.Is(err, store.ErrReplaced) {
				t.Errorf("removed: %t, %v", removed, err)
			}
		})
	}
}

func sourceOf(r *recording, files *readback.Files) *selection.Source {
	return selection.New(r.Index(), files, pages.New(r.Index(), files))
}
