package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/store/collection"
)

// newDir is a collection with a file, what is to take its place, and an export.
func newDir(t *testing.T) collection.Dir {
	t.Helper()
	d := collection.Dir(t.TempDir())
	if err := d.Make(collection.DefaultMode); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		d.WARC("a.warc.gz"): "old", d.Rewritten("a.warc.gz"): "newer", d.CDXJ(): "lines", d.Index(): "index",
		d.NewIndex(): "new index",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// content is what lies at a path; "" if nothing does.
func content(path string) string {
	b, _ := os.ReadFile(path)
	return string(b)
}

// TestResume: what a journal names takes its place, once; without a journal nothing does.
func TestResume(t *testing.T) {
	d := newDir(t)
	if resumed, _, err := Resume(d); resumed || err != nil || content(d.WARC("a.warc.gz")) != "old" {
		t.Error("without a journal", resumed, err)
	}
	j := Journal{ID: "<urn:uuid:1>", Files: []File{{"a.warc.gz", 5}, {"gone.warc.gz", 7}},
		Rest: []string{"indexes/index.cdxj", "index.bolt.old"}}
	if err := j.Write(d, collection.DefaultMode); err != nil {
		t.Fatal(err)
	}
	resumed, left, err := Resume(d)
	if !resumed || len(left) > 0 || err != nil || content(d.WARC("a.warc.gz")) != "newer" ||
		content(d.Index()) != "new index" ||
		content(d.CDXJ()) != "" {
		t.Error(resumed, err)
	}
	if names, _ := filepath.Glob(string(d) + "/*"); len(names) != 4 {
		t.Errorf("there are %q", names)
	}
	if resumed, _, err := Resume(d); resumed || err != nil {
		t.Error("again", resumed, err)
	}
}

// TestUndo: a journal is taken back as long as all that it names waits for its place.
func TestUndo(t *testing.T) {
	for name, test := range map[string]struct {
		files  []File
		pages  bool
		placed func(d collection.Dir) string // what is not there any more
		undone bool
	}{
		"all waits":           {files: []File{{"a.warc.gz", 5}}, undone: true},
		"no file":             {undone: true},
		"a file has gone":     {files: []File{{"gone.warc.gz", 7}, {"a.warc.gz", 5}}},
		"its pages have gone": {files: []File{{"a.warc.gz", 5}}, pages: true},
		"the index has gone":  {placed: collection.Dir.NewIndex},
	} {
		d := newDir(t)
		j := Journal{ID: "<urn:uuid:1>", Files: test.files, Pages: test.pages}
		if err := j.Write(d, collection.DefaultMode); err != nil {
			t.Fatal(err)
		}
		if test.placed != nil {
			os.Remove(test.placed(d))
		}
		undone, err := j.Undo(d)
		if left := content(d.Removal()); undone != test.undone || err != nil || (left == "") != undone {
			t.Errorf("%s: %v, %v, %q", name, undone, err, left)
		}
	}
}

// TestOtherIndex: an index that is not the one which was written takes no place.
func TestOtherIndex(t *testing.T) {
	d := newDir(t)
	j := Journal{ID: "<urn:uuid:1>", Files: []File{{"a.warc.gz", 5}}}
	if err := j.Write(d, collection.DefaultMode); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.NewIndex(), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if resumed, _, err := Resume(d); resumed || err == nil || content(d.Index()) != "index" {
		t.Error(resumed, err, content(d.Index()))
	}
	if err := Begin(d); err == nil {
		t.Error("another removal begins")
	}
}

// TestRest: what somebody has put where the rest was stays, and an index that was made when the places
// were taken takes none.
func TestRest(t *testing.T) {
	d := newDir(t)
	j := Journal{ID: "<urn:uuid:1>", Files: []File{{"a.warc.gz", 5}}, Rest: []string{"index.bolt.old",
		"indexes/index.cdxj"}}
	if err := errors.Join(j.Write(d, collection.DefaultMode), j.Place(d)); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		d.NewIndex(): "half an index", d.Index() + ".old/mine": "mine",
	} {
		os.Mkdir(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	resumed, left, err := Resume(d)
	if !resumed || err != nil || len(left) > 0 || content(d.Index()+".old/mine") != "mine" ||
		content(d.Index()) != "new index" || content(d.CDXJ()) != "" {
		t.Error(resumed, left, err)
	}
	if err := Begin(d); err != nil {
		t.Error(err)
	}
}

// TestStrangeJournals: a journal that names what no removal takes away, or is none, changes nothing.
func TestStrangeJournals(t *testing.T) {
	for name, text := range map[string]string{
		"empty":                  "",
		"torn":                   `{"files": [{"na`,
		"a file elsewhere":       `{"files": [{"name": "../archive/a.warc.gz", "size": 5}]}`,
		"no WARC file":           `{"files": [{"name": "index.bolt", "size": 5}]}`,
		"an open file":           `{"files": [{"name": "a.warc.gz.open", "size": 5}]}`,
		"a file of another size": `{"files": [{"name": "a.warc.gz", "size": 4}]}`,
		"the rest elsewhere":     `{"files": [], "rest": ["../../x"]}`,
		"the index":              `{"files": [], "rest": ["index.bolt"]}`,
		"a WARC file":            `{"files": [], "rest": ["archive/a.warc.gz"]}`,
		"an absolute path":       `{"files": [], "rest": ["/etc/hosts"]}`,
		"very many":              `{"files": [` + strings.Repeat(`{"name": "", "size": 0},`, 1000) + `{}]}`,
	} {
		d := newDir(t)
		if err := os.WriteFile(d.Removal(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if resumed, _, err := Resume(d); resumed || err == nil || content(d.WARC("a.warc.gz")) != "old" ||
			content(d.CDXJ()) != "lines" || content(d.Index()) != "index" {
			t.Errorf("%s: %v, %v", name, resumed, err)
		}
	}
	d := newDir(t)
	if err := os.Symlink(d.WARC("a.warc.gz"), d.Removal()); err == nil {
		if resumed, _, err := Resume(d); resumed || err == nil {
			t.Error("a link:", resumed, err)
		}
	}
}
