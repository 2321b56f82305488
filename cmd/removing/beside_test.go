package removing

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"warcorder/store/collection"
	"warcorder/store/selection"
)

// TestBeside: what people have put beside stays, whatever its name begins with, and keeps no removal
// from its end; what is not searched is told.
func TestBeside(t *testing.T) {
	r := start(t, nil)
	r.get("https://example.com/secret", page(text("hush")))
	r.get("https://example.com/kept", page(text("plain")))
	r.rotate()
	mine := []string{"index.bolt.old-notes.txt", "index.bolt.old.2/x", "indexes/.index.cdxj.swp"}
	strange := []string{"index.bolt.old.2", "archive/y.warc.gz.recovering", "archive/z.warc.gz.torn",
		"spill/x.response.unreadable"}
	for _, name := range append(mine, "index.bolt.old", strange[1], strange[3]) {
		path := filepath.Join(string(r.dir), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("https://example.com/secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(os.DevNull, r.dir.WARC("z.warc.gz.torn")); err != nil {
		t.Fatal(err)
	}
	done := r.remove(selection.Selection{URL: "https://example.com/secret"}, nil)
	if !slices.Equal(done.Rest, []string{"index.bolt.old"}) || !slices.Equal(done.Unread, strange) {
		t.Errorf("%+v", done)
	}
	r.close()
	r.open()
	for _, name := range append(mine, strange...) {
		if _, err := os.Lstat(filepath.Join(string(r.dir), name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(r.dir.Index() + collection.OldSuffix); err == nil || len(r.all()) != 1 {
		t.Errorf("%v, %d captures", err, len(r.all()))
	}
}
