package removing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/store/selection"
)

// TestRemoveFile: with a file goes what names its captures, and nothing else: no gap, no imported page
// and no copy of damage that belongs to other files.
func TestRemoveFile(t *testing.T) {
	r := start(t, nil)
	r.get("https://example.com/a", page(text("one")))
	r.rotate()
	r.get("https://example.com/b", page(text("two")))
	r.rotate()
	paths, err := filepath.Glob(r.dir.WARC("*.warc.gz"))
	if err != nil || len(paths) != 2 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		put(t, path+".torn", string(b))
	}
	listed := func(url string) string { return `{"ts":"2026-05-01T12:00:01Z","url":"` + url + `","id":"1"}` + "\n" }
	put(t, r.dir.Pages(), `{"format":"json-pages-1.0","id":"pages","title":"Pages"}`+"\n"+
		listed("https://example.com/a")+listed("https://example.com/b"))
	r.Gap("failed", "https://example.com/a", "went")
	r.Gap("failed", "https://other.example/", "is of no file")
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := r.remove(selection.Selection{Files: []string{filepath.Base(paths[0])}}, nil)
	if done.Captures != 1 || done.Gaps != 1 || done.Pages != 1 || len(done.Rest) != 1 {
		t.Errorf("%+v", done)
	}
	if gaps, err := r.Index().Gaps(0); err != nil || len(gaps.Latest) != 1 ||
		gaps.Latest[0].URL != "https://other.example/" {
		t.Errorf("%v, %v", gaps, err)
	}
	if b, err := os.ReadFile(r.dir.Pages()); err != nil || strings.Contains(string(b), "/a\"") ||
		!strings.Contains(string(b), "/b\"") {
		t.Errorf("%s, %v", b, err)
	}
	for i, path := range paths {
		if _, err := os.Stat(path + ".torn"); os.IsNotExist(err) != (i == 0) {
			t.Errorf("%s.torn: %v", path, err)
		}
	}
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
