package cmd

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestBackup: a copy of a collection that was made while it was recorded, file after file as rsync
// does, opens as a whole one: all that was in files when the copy began is there, and a torn index
// costs nothing but the time to make it anew. So it is with a copy of archive/ alone.
func TestBackup(t *testing.T) {
	for name, kept := range map[string]func(path string) bool{
		"all":      func(string) bool { return true },
		"archives": func(path string) bool { return path == "archive" || filepath.Dir(path) == "archive" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := newSite(t)
			p := startRecording(t)
			stop := load500(t, p, site)
			before, _, _ := p.run("export", "--all", "-o", "-")
			copyOf := t.TempDir()
			copyFiles(t, filepath.Join(p.dir, "collections"), filepath.Join(copyOf, "collections"), kept)
			stop()
			if code := p.stop(); code != 0 {
				t.Errorf("the recorder ended with %d", code)
			}
			restored := &program{t: t, dir: copyOf}
			if out, errs, code := restored.run("recover"); code != 0 {
				t.Fatalf("recover: %d %s%s", code, out, errs)
			}
			after, _, _ := restored.run("export", "--all", "-o", "-")
			have := map[string]bool{}
			for line := range strings.Lines(after) {
				have[line] = true
			}
			missing := 0
			for line := range strings.Lines(before) {
				if !have[line] && !have[strings.Replace(line, ".warc.gz.open", ".warc.gz", 1)] {
					missing++
				}
			}
			if n := strings.Count(before, "\n"); missing > 0 || n < 500 {
				t.Errorf("%d of %d lines are not in the copy", missing, n)
			}
			if out, errs, code := restored.run("verify"); code != 0 {
				t.Errorf("verify: %d %s%s", code, out, errs)
			}
		})
	}
}

// load500 has 500 pages recorded, and more until stop.
func load500(t *testing.T, p *program, site *site) (stop func()) {
	var ended atomic.Bool
	enough, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for n := 0; !ended.Load(); n++ {
			p.fetch(fmt.Sprintf("%s/text/%d/1000", site.plain.URL, n))
			if n == 500 {
				close(enough)
			}
		}
	}()
	select {
	case <-enough:
	case <-over:
		t.FailNow()
	}
	return func() { ended.Store(true); <-over }
}

// copyFiles copies the files of each collection that are kept, one after another.
func copyFiles(t *testing.T, from, to string, kept func(path string) bool) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, _ := filepath.Rel(from, path)
		_, below, _ := strings.Cut(inside, string(filepath.Separator))
		switch target := filepath.Join(to, inside); {
		case entry.IsDir():
			return os.MkdirAll(target, 0o700)
		case !kept(below):
			return nil
		default:
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(target, content, 0o600)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
