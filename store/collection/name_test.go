package collection

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStateOf: what names in archive/ say of their files.
func TestStateOf(t *testing.T) {
	for name, want := range map[string]struct {
		state State
		of    string
	}{
		"a.warc.gz":                     {Finished, "a.warc.gz"},
		"a.warc":                        {Finished, "a.warc"},
		"a.warc.zst":                    {Finished, "a.warc.zst"},
		".warc.gz":                      {Finished, ".warc.gz"},
		"a.torn.warc.gz":                {Finished, "a.torn.warc.gz"},
		"a.warc.gz.warc":                {Finished, "a.warc.gz.warc"},
		"a.warc.gz.open":                {Open, "a.warc.gz"},
		"a.warc.open":                   {Begun, "a.warc"},
		"a.warc.zst.open":               {Begun, "a.warc.zst"},
		"a.warc.gz.torn":                {Torn, "a.warc.gz"},
		"a.warc.gz.torn.2":              {Torn, "a.warc.gz"},
		"a.warc.gz.torn.17":             {Torn, "a.warc.gz"},
		"a.warc.gz.open.torn":           {Torn, "a.warc.gz.open"},
		"a.warc.gz.recovering":          {Recovering, "a.warc.gz"},
		"a.warc.copying":                {Copying, "a.warc"},
		"a.warc.gz.torn.copying":        {Copying, "a.warc.gz.torn"},
		"a.warc.gz.torn.2.copying":      {Copying, "a.warc.gz.torn.2"},
		"a.warc.gz.removing":            {Removing, "a.warc.gz"},
		"a.warc.gz.open.removing":       {Removing, "a.warc.gz.open"},
		"a.warc.gz.rewritten":           {Rewritten, "a.warc.gz"},
		"a.warc.rewritten":              {Rewritten, "a.warc"},
		"a.warc.open.rewritten":         {Other, ""},
		"":                              {Other, ""},
		"notes.txt":                     {Other, ""},
		"a.warc.gz.bak":                 {Other, ""},
		"a.warc.bz2":                    {Other, ""},
		"a.WARC.GZ":                     {Other, ""},
		"notes.open":                    {Other, ""},
		"notes.torn":                    {Other, ""},
		"notes.removing":                {Other, ""},
		"a.warc.gz.tornado":             {Other, ""},
		"a.warc.gz.torn.":               {Other, ""},
		"a.warc.gz.torn2":               {Other, ""},
		"a.warc.gz.torn..2":             {Other, ""},
		"2":                             {Other, ""},
		"a.warc.gz.2":                   {Other, ""},
		"a.warc.gz.torn.old":            {Other, ""},
		"a.warc.open.removing":          {Other, ""}, // we make nothing of such files
		"a.warc.gz.recovering.removing": {Other, ""},
		"a.warc.gz.copying.copying":     {Other, ""},
		"a.warc.gz.open.open":           {Other, ""},
	} {
		if state, of := StateOf(name); state != want.state || of != want.of {
			t.Errorf("%q is %v of %q, want %v of %q", name, state, of, want.state, want.of)
		}
		if IsWARC(name) != (want.state == Finished) {
			t.Errorf("%q: IsWARC is %v", name, IsWARC(name))
		}
	}
}

// TestStateOfLongName: a name may come from a file that somebody has made, and is as long as that
// likes.
func TestStateOfLongName(t *testing.T) {
	for _, suffix := range []string{".removing", ".torn", ".open", ".torn.1", ".1", "1", "."} {
		name := "a.warc.gz" + strings.Repeat(suffix, 2<<20) + ".removing"
		if state, _ := StateOf(name); state != Other {
			t.Errorf("%s over and over is %v", suffix, state)
		}
	}
}

// TestReserved: what a collection cannot do without has names that nothing else gets.
func TestReserved(t *testing.T) {
	for path, want := range map[string]string{
		"c/archive/a.warc.gz": "a WARC file", "a.warc": "a WARC file", "a.warc.gz.open": "a WARC file",
		"a.warc.open":         "a WARC file",
		"c/index.bolt":        "the index of a collection",
		"index.bolt.old":      "the index of a collection",
		"index.bolt.closed":   "the index of a collection",
		"c/lines.cdxj":        "",
		"a.warc.gz/lines":     "",
		"index.bolt/lines":    "",
		"indexes/index.cdxj":  "",
		"lines.warc.gz.notes": "",
	} {
		if got := Reserved(filepath.FromSlash(path)); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestIn(t *testing.T) {
	for name, good := range map[string]bool{
		"default": true, "a b": true, "ä": true, "a.b": true,
		"": false, ".": false, "..": false, ".hidden": false, "a/b": false, "/": false, "a/": false,
	} {
		dir, err := In("collections", name)
		if good && (err != nil || dir != Dir(filepath.Join("collections", name)) || dir.Name() != name) {
			t.Errorf("%q: %q, %v", name, dir, err)
		}
		if !good && (err == nil || dir != "") {
			t.Errorf("%q is %q", name, dir)
		}
	}
}

// TestPaths draws the directory.
func TestPaths(t *testing.T) {
	d := Dir("c")
	for got, want := range map[string]string{
		d.Archive(): "c/archive", d.WARC("a.warc.gz"): "c/archive/a.warc.gz",
		d.OpenWARC("a.warc.gz"):  "c/archive/a.warc.gz.open",
		d.WARCPaths("a.warc")[1]: "c/archive/a.warc", d.WARCPaths("a.warc")[2]: "c/archive/a.warc.open",
		d.CDXJ(): "c/indexes/index.cdxj", d.Index(): "c/index.bolt", d.NewIndex(): "c/index.bolt.new",
		d.Spill(): "c/spill", d.running(): "c/recorder.json",
		Numbered(d.Index()+OldSuffix, 1): "c/index.bolt.old",
		Numbered(d.Index()+OldSuffix, 2): "c/index.bolt.old.2",
	} {
		if filepath.ToSlash(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestSizes: files are told by their names, and links by what they lead to.
func TestSizes(t *testing.T) {
	d := newDir(t)
	for name, size := range map[string]int{
		"a.warc.gz": 1, "b.warc.gz.open": 2, "c.warc": 3, "d.warc.open": 4, "a.warc.gz.torn": 5,
		"e.warc.gz.copying": 6, "notes.txt": 7,
	} {
		if err := os.WriteFile(d.WARC(name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(d.WARC("folder.warc.gz"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"a.warc.gz": 1, "b.warc.gz.open": 2, "c.warc": 3}
	for link, to := range map[string]string{
		"to-a.warc.gz": "a.warc.gz", "nowhere.warc.gz": "gone", "to-open.warc.gz": "b.warc.gz.open",
		"b.warc.gz": "b.warc.gz.open",
	} {
		if err := os.Symlink(to, d.WARC(link)); err != nil {
			withoutLinks(t, err)
		}
	}
	want["to-a.warc.gz"], want["b.warc.gz"] = 1, 2 // of an open file only its own name may lead there
	got, err := d.Sizes()
	if err != nil || len(got) != len(want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for name, size := range want {
		if got[name] != size {
			t.Errorf("%s: %d, want %d", name, got[name], size)
		}
	}
}

// TestIsFree: a name is free that no file has, had, or has left a copy under.
func TestIsFree(t *testing.T) {
	d := newDir(t)
	for name, want := range map[string]bool{
		"": true, "x.warc.gz": false, "x.warc.gz.open": false, "x.warc.gz.torn": false,
		"xx.warc.gz": true, "x.warc": true,
	} {
		if name != "" {
			if err := os.WriteFile(d.WARC(name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if free, err := d.IsFree("x.warc.gz"); err != nil || free != want {
			t.Errorf("beside %q it is free: %v, %v", name, free, err)
		}
		os.Remove(d.WARC(name)) // of "" it is archive/ itself, which Make brings back
		if err := d.Make(DefaultMode); err != nil {
			t.Fatal(err)
		}
	}
}

// newDir makes the directory of a collection.
func newDir(t *testing.T) Dir {
	t.Helper()
	d := Dir(filepath.Join(t.TempDir(), "collections", "c"))
	if err := d.Make(DefaultMode); err != nil {
		t.Fatal(err)
	}
	return d
}
