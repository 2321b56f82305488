package collection

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// TestLeftovers: what is found is what may be removed by its name, and nothing else has such a name.
func TestLeftovers(t *testing.T) {
	d := newDir(t)
	if err := d.Make(DefaultMode); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"indexes/index.cdxj", "indexes/.index.cdxj.123", "indexes/mine.cdxj", "index.bolt", "index.bolt.old",
		"index.bolt.old.2", "index.bolt.damaged", "index.bolt.new", "archive/a.warc.gz",
		"archive/a.warc.gz.torn", "archive/a.warc.gz.torn.2", "archive/a.warc.gz.open", "archive/notes.torn",
		"recorder.json", "archive/a.warc.gz.recovering", "archive/b.warc.open", "spill/1.response.unreadable.2",
		// what people put beside
		"index.bolt.old-notes.txt", "index.bolt.old.txt", "index.bolt.old.", "index.bolt.damaged2",
		"indexes/.index.cdxj.swp", "indexes/.index.cdxj.", "indexes/index.cdxj.gz", "spill/unreadable.txt",
		"archive/a.warc.gz.torn.d/x", "index.bolt.old.3/x",
	} {
		path := filepath.Join(string(d), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/dev/null", d.WARC("b.warc.gz.torn")); err != nil {
		t.Fatal(err)
	}
	found, err := d.Leftovers()
	if err != nil {
		t.Fatal(err)
	}
	all := append(append(found.Exports, found.Indexes...), found.Torn...)
	var names []string
	for _, path := range all {
		name, _ := filepath.Rel(string(d), path)
		names = append(names, filepath.ToSlash(name))
		if back, is := d.Leftover(filepath.ToSlash(name)); !is || back != path {
			t.Errorf("%s: %s, %v", name, back, is)
		}
	}
	want := []string{"indexes/.index.cdxj.123", "indexes/index.cdxj", "index.bolt.damaged", "index.bolt.old",
		"index.bolt.old.2", "archive/a.warc.gz.torn", "archive/a.warc.gz.torn.2"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("got %q", names)
	}
	var others []string
	for _, path := range found.Others {
		name, _ := filepath.Rel(string(d), path)
		others = append(others, filepath.ToSlash(name))
	}
	if want := []string{"index.bolt.old.3", "archive/a.warc.gz.recovering", "archive/b.warc.gz.torn",
		"archive/b.warc.open", "spill/1.response.unreadable.2"}; !slices.Equal(others, want) {
		t.Errorf("for people: %q", others)
	}
	for _, name := range []string{
		"index.bolt.old-notes.txt", "archive/a.warc.gz.recovering", "spill/1.response.unreadable.2",
		"indexes/.index.cdxj.swp",
		"", ".", "..", "/", "/etc/passwd", "../index.bolt.old", "archive/../index.bolt.old/x", "index.bolt",
		"archive/a.warc.gz", "archive/a.warc.gz.open", "indexes/mine.cdxj", "archive/../../a.warc.gz.torn",
		"indexes/../x", "archive", "indexes/", "archive//a.warc.gz.torn", "spill/a.warc.gz.torn",
		"index.bolt.old/../../x",
	} {
		if path, is := d.Leftover(name); is {
			t.Errorf("%q is %s", name, path)
		}
	}
}
