package recovery

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/recovery/foreign"
	"warcorder/store/collection"
	"warcorder/store/pagelist"
)

// newImport makes the directory of an import with files in it, by the names that they had.
func newImport(t *testing.T, dir collection.Dir, files ...string) (collection.Import, []Brought) {
	t.Helper()
	i, release, err := dir.NewImport()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { release() })
	var brought []Brought
	for n, file := range files {
		name, content, _ := strings.Cut(file, ":")
		at := filepath.Join(string(i), string(rune('a'+n)))
		write(t, at, []byte(content))
		brought = append(brought, Brought{at, "crawl.wacz: archive/" + name, name, "crawl"})
	}
	return i, brought
}

// imported imports them.
func imported(t *testing.T, dir collection.Dir, files ...string) (names []string) {
	t.Helper()
	i, brought := newImport(t, dir, files...)
	added, err := Import(Config{}, dir, i, brought, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range added {
		names = append(names, a.Name)
		if a.Known {
			names[len(names)-1] += " known"
		}
	}
	if left, _ := filepath.Glob(filepath.Join(string(dir), "import-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	return names
}

// TestImportNames: a name is kept where it is free; where another file has it, a new one says where
// the file came from. The same bytes are added once.
func TestImportNames(t *testing.T) {
	dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
	if err := dir.Make(0); err != nil {
		t.Fatal(err)
	}
	member := string(foreign.Gzip(foreign.Files["warcio"][0]))
	plain := string(foreign.Files["warcio"][0])
	for n, step := range []struct{ files, want []string }{
		{[]string{"data.warc.gz:" + member}, []string{"data.warc.gz"}},
		{[]string{"data.warc.gz:" + member}, []string{"data.warc.gz known"}},
		{
			[]string{"data.warc.gz:" + member + member, "data.warc.gz:" + member, "data.warc:" + plain},
			[]string{"data-from-crawl.warc.gz", "data.warc.gz known", "data.warc"},
		},
		{
			[]string{"data.warc.gz:" + member + member + member, "data.warc.gz:" + member + member + member},
			[]string{"data-from-crawl-2.warc.gz"},
		},
		{[]string{"data.warc.gz:" + member + member}, []string{"data-from-crawl.warc.gz known"}},
	} {
		if got := imported(t, dir, step.files...); !slices.Equal(got, step.want) {
			t.Errorf("import %d: %q, want %q", n+1, got, step.want)
		}
	}
	before := export(t, string(dir))
	if _, err := Rebuild(Config{}, dir, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	if after := export(t, string(dir)); after != before || strings.Count(after, "\n") < 4 {
		t.Errorf("after a rebuild:\n%s\nbefore:\n%s", after, before)
	}
}

// TestImportMode: what an import brings is readable for those that the collection is readable for.
func TestImportMode(t *testing.T) {
	dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
	if err := dir.Make(0o644); err != nil {
		t.Fatal(err)
	}
	i, brought := newImport(t, dir, "a.warc.gz:"+string(foreign.Gzip(foreign.Files["warcio"][0])))
	if _, err := Import(Config{Mode: 0o644}, dir, i, brought, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir.WARC("a.warc.gz"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Error(info, err)
	}
}

// TestImportKnownName: a name that the index knows, of a file that is missing, is another file's.
func TestImportKnownName(t *testing.T) {
	dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
	if err := dir.Make(0); err != nil {
		t.Fatal(err)
	}
	member := string(foreign.Gzip(foreign.Files["warcio"][0]))
	imported(t, dir, "data.warc.gz:"+member)
	if err := os.Rename(dir.WARC("data.warc.gz"), filepath.Join(t.TempDir(), "x")); err != nil {
		t.Fatal(err)
	}
	got := imported(t, dir, "data.warc.gz:"+member)
	if want := []string{"data-from-crawl.warc.gz"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestImportRefused: what cannot be read at all is refused before anything is there.
func TestImportRefused(t *testing.T) {
	dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
	if err := dir.Make(0); err != nil {
		t.Fatal(err)
	}
	i, brought := newImport(t, dir, "a.warc.gz:"+string(foreign.Gzip(foreign.Files["warcio"][0])),
		"old.warc:warc/0.9 100 resource")
	_, err := Import(Config{}, dir, i, brought, zerolog.Nop())
	if err == nil || !strings.Contains(err.Error(), "old.warc") ||
		!strings.Contains(err.Error(), "--from-format 0.9") {
		t.Error(err)
	}
	if i.IsReady() {
		t.Error("it is ready")
	}
	if files, err := os.ReadDir(dir.Archive()); err != nil || len(files) > 0 {
		t.Error(files, err)
	}
}

// TestImportNamesRefused: a name that archive/ has no place for is refused before anything is there.
func TestImportNamesRefused(t *testing.T) {
	for _, name := range []string{"crawl.warc-a", "../data.warc.gz", ""} {
		dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
		if err := dir.Make(0); err != nil {
			t.Fatal(err)
		}
		i, brought := newImport(t, dir, name+":"+string(foreign.Gzip(foreign.Files["warcio"][0])))
		_, err := Import(Config{}, dir, i, brought, zerolog.Nop())
		if err == nil || !strings.Contains(err.Error(), "no name of a WARC file") || i.IsReady() {
			t.Errorf("%q: %v, ready: %v", name, err, i.IsReady())
		}
	}
}

// TestImportKeeps: what an import that is ready has, and archive/ does not take, is an error, and
// stays where it is with all the rest.
func TestImportKeeps(t *testing.T) {
	for name, put := range map[string]func(i collection.Import) error{
		"another file": func(i collection.Import) error {
			return os.WriteFile(i.WARC("data.warc-x"), []byte("x"), 0o600)
		},
		"a directory": func(i collection.Import) error { return os.Mkdir(i.WARC("x.warc.gz"), 0o700) },
		"archive is no directory": func(i collection.Import) error {
			return os.Rename(i.Archive(), filepath.Join(string(i), "elsewhere"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
			if err := dir.Make(0); err != nil {
				t.Fatal(err)
			}
			i, brought := newImport(t, dir, "a.warc.gz:x")
			if err := os.Mkdir(i.Archive(), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(brought[0].Path, i.WARC("a.warc.gz")); err != nil {
				t.Fatal(err)
			}
			if err := put(i); err != nil || i.MarkReady() != nil {
				t.Fatal(err)
			}
			if name == "archive is no directory" {
				write(t, i.Archive(), []byte("x"))
			}
			if _, err := Rebuild(Config{}, dir, zerolog.Nop()); err == nil ||
				!strings.Contains(err.Error(), string(i)) {
				t.Error(err)
			}
			if files, err := os.ReadDir(dir.Archive()); err != nil || len(files) > 0 || !i.IsReady() {
				t.Error(files, err, i.IsReady())
			}
		})
	}
}

// TestImportInterrupted: what is ready is added by the next recovery, with its pages, also where
// somebody has taken a name meanwhile; what is not ready is removed.
func TestImportInterrupted(t *testing.T) {
	dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
	if err := dir.Make(0); err != nil {
		t.Fatal(err)
	}
	member := string(foreign.Gzip(foreign.Files["warcio"][0]))
	interrupted := func(ready bool) {
		i, brought := newImport(t, dir, "a.warc.gz:"+member, "b.warc.gz:"+member+member, "c.warc.gz:"+member)
		list := pagelist.List{}
		defer list.Close()
		if _, err := list.Add(pagelist.Page{Time: time.Unix(1, 0), URL: "https://a.example/"}); err != nil {
			t.Fatal(err)
		}
		out, err := os.Create(i.Pages())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := list.WriteTo(out); err != nil || out.Close() != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(i.Archive(), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, b := range brought {
			if err := os.Rename(b.Path, i.WARC(b.Name)); err != nil {
				t.Fatal(err)
			}
		}
		if ready {
			if err := i.MarkReady(); err != nil {
				t.Fatal(err)
			}
		}
		mark := filepath.Join(string(i), "made-by-warcorder-import")
		if err := os.Remove(mark); err != nil { // with the lock that it has
			t.Fatal(err)
		}
		write(t, mark, []byte("gone"))
	}
	interrupted(false)
	opened, err := Repair(Config{}, dir, zerolog.Nop())
	if err != nil || opened.Found.Captures != 0 {
		t.Fatal(opened.Found, err)
	}
	if err := opened.Index.Close(); err != nil || opened.Unlock() != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(string(dir), "import-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	interrupted(true)
	write(t, dir.WARC("a.warc.gz"), []byte(member+member+member))
	write(t, dir.WARC("c.warc.gz"), []byte(member)) // was copied, and not yet removed
	if _, err := Rebuild(Config{}, dir, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	var names []string
	files, err := os.ReadDir(dir.Archive())
	for _, f := range files {
		names = append(names, f.Name())
	}
	if want := []string{"a-2.warc.gz", "a.warc.gz", "b.warc.gz", "c.warc.gz"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, want %q, %v", names, want, err)
	}
	if left, _ := filepath.Glob(filepath.Join(string(dir), "import-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	pages := 0
	for _, err := range pagelist.All(dir, time.Time{}, time.Time{}) {
		if err != nil {
			t.Error(err)
		}
		pages++
	}
	if pages != 1 {
		t.Errorf("%d pages", pages)
	}
}
