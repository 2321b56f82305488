package verify_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/verify"
	"warcorder/store/warc"
)

// changeIndex changes a capture of a collection's index, which is made anew: all captures are
// committed again, but for what change does.
func changeIndex(t *testing.T, dir string,
	change func(all []store.Capture, files []store.File) ([]store.Capture, []store.File)) {
	t.Helper()
	path := filepath.Join(dir, "index.bolt")
	all := captures(t, dir)
	old, err := store.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	known, err := old.Files()
	if err := errors.Join(err, old.Close(), os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b store.Capture) int { return strings.Compare(a.URL, b.URL) })
	all, known = change(all, known)
	index, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range known {
		f, err := index.AddFile(known[i].Name)
		if err != nil {
			t.Fatal(err)
		}
		known[i].ID = f.ID
	}
	if err := errors.Join(index.Commit(all, known), index.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestIndex shows what verify says of an index that does not agree with the files.
func TestIndex(t *testing.T) {
	type captures = []store.Capture
	type known = []store.File
	capture := func(change func(*store.Capture)) func(string, captures, known) (captures, known) {
		return func(_ string, all captures, files known) (captures, known) {
			change(&all[0])
			return all, files
		}
	}
	file := func(change func(*store.File)) func(string, captures, known) (captures, known) {
		return func(_ string, all captures, files known) (captures, known) {
			change(&files[0])
			return all, files
		}
	}
	onDisk := func(change func(path string) error) func(string, captures, known) (captures, known) {
		return func(path string, all captures, files known) (captures, known) {
			if err := change(path); err != nil {
				t.Error(err)
			}
			return all, files
		}
	}
	for _, c := range []struct {
		name   string
		change func(path string, all captures, files known) (captures, known)
		want   string // codes
		text   string // in the first finding
	}{
		{"nothing", capture(func(*store.Capture) {}), "", ""},
		{"length", capture(func(c *store.Capture) { c.Length++ }), "index-wrong", "another length than"},
		{"URL", capture(func(c *store.Capture) { c.URL += "x" }), "index-wrong", "another URL than"},
		{"date", capture(func(c *store.Capture) { c.Time = c.Time.Add(time.Microsecond) }), "index-wrong",
			"another date than"},
		{"digest", capture(func(c *store.Capture) { c.Digest = sha("other") }), "index-wrong",
			"another payload digest than"},
		{"status", capture(func(c *store.Capture) { c.Status = 404 }), "index-wrong",
			"another HTTP status than"},
		{"all of it",
			capture(func(c *store.Capture) { c.URL, c.Status, c.Length = "http://example.org/", 1, 1 }),
			"index-wrong", "length, URL, HTTP status"},
		{"offset", capture(func(c *store.Capture) { c.Offset++ }), "index-missing,index-nowhere",
			"not in the index"},
		{"offset of a request", capture(func(c *store.Capture) { c.Offset += c.Length }),
			"index-missing,index-nowhere", "not in the index"},
		{"offset behind the file", capture(func(c *store.Capture) { c.Offset = 1 << 40 }),
			"index-missing,index-nowhere", "not in the index"},
		{"missing", func(_ string, all captures, files known) (captures, known) { return all[1:], files },
			"index-missing", ""},
		{"twice", func(_ string, all captures, files known) (captures, known) {
			other := all[0]
			other.URLKey += "x"
			return append(all, other), files
		}, "index-wrong", "2 captures"},
		{"not all committed", file(func(f *store.File) { f.Committed -= 10 }), "file-size", ""},
		{"too much committed", file(func(f *store.File) { f.Committed++ }), "file-size", ""},
		{"not sealed", file(func(f *store.File) { f.Sealed = false }), "unfinished note", ""},
		{"file planned, and nothing came of it",
			func(_ string, all captures, files known) (captures, known) {
				return all, append(files, store.File{Name: "planned.warc.gz"})
			}, "", ""},
		{"file missing", func(_ string, all captures, files known) (captures, known) {
			return all, append(files, store.File{Name: "gone.warc.gz", Committed: 10, Sealed: true})
		}, "file-missing", ""},
		{"file unknown", onDisk(func(path string) error {
			return os.WriteFile(filepath.Join(filepath.Dir(path), "new.warc.gz"), nil, 0o600)
		}), "file-unknown", ""},
		{"file that is none",
			onDisk(func(path string) error { return os.WriteFile(path+".torn", []byte("x"), 0o600) }),
			"", ""},
		{"name of while it was written", func(path string, all captures, files known) (captures, known) {
			files[0].Sealed = false
			if err := os.Rename(path, path+warc.OpenSuffix); err != nil {
				t.Error(err)
			}
			return all, files
		}, "unfinished note", ""},
		{"end of a file that was being written",
			func(path string, all captures, files known) (captures, known) {
				files[0].Sealed = false
				text, err := os.ReadFile(path)
				if err := errors.Join(err,
					os.WriteFile(path+warc.OpenSuffix, append(text, "garbage"...), 0o600),
					os.Remove(path)); err != nil {
					t.Error(err)
				}
				return all, files
			}, "unfinished", "the last 7 bytes"},
		{"both names",
			onDisk(func(path string) error { return os.WriteFile(path+warc.OpenSuffix, nil, 0o600) }),
			"unfinished", ""},
		{"file damaged", onDisk(func(path string) error {
			text, err := os.ReadFile(path)
			text[len(text)-1] ^= 1
			return errors.Join(err, os.WriteFile(path, text, 0o600))
		}), "checksum,pair", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			record(t, recorder.Config{}, dir, []exchange{
				{url: "http://example.com/a", request: get, response: page("hello")},
				{url: "http://example.com/b", request: get, response: page("hello")},
			})
			path := archive(t, dir)[0]
			changeIndex(t, dir,
				func(all captures, files known) (captures, known) { return c.change(path, all, files) })
			found := checkAll(t, dir)
			var got []string
			for _, code := range found.codes() {
				_, code, _ = strings.Cut(code, " ")
				got = append(got, code)
			}
			slices.Sort(got)
			if text := strings.Join(got, ","); text != c.want {
				t.Errorf("%s, want %s\n%+v", text, c.want, found.all)
			}
			if c.text != "" &&
				(len(found.all) == 0 ||
					!slices.ContainsFunc(found.all,
						func(f verify.Finding) bool { return strings.Contains(f.Text, c.text) })) {
				t.Errorf("no %q: %+v", c.text, found.all)
			}
			if !found.Indexed {
				t.Errorf("%+v", found.Summary)
			}
		})
	}
}

// TestIndexNotThere checks the files of a collection whose index is missing, damaged or in use.
func TestIndexNotThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "index.bolt")
	record(t, recorder.Config{}, dir,
		[]exchange{{url: "http://example.com/", request: get, response: page("hello")}})
	healthy := read(t, path)

	write(t, path, healthy[:5000])
	if found := checkAll(t, dir); !slices.Equal(found.codes(), []string{"0 index"}) ||
		found.Indexed || found.Records["response"] != 1 {
		t.Errorf("%+v, %+v", found.all, found.Summary)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if found := checkAll(t, dir); !slices.Equal(found.codes(), []string{"0 index"}) ||
		found.Records["response"] != 1 {
		t.Errorf("%+v, %+v", found.all, found.Summary)
	}

	write(t, path, healthy)
	recorded := make(recordedLine, 1)
	r, err := recorder.Open(recorder.Config{}, collection.Dir(dir), zerolog.New(recorded))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	x := r.Begin()
	x.URL = "http://example.com/new"
	x.Started = time.Now()
	fmt.Fprint(&x.Request, get)
	fmt.Fprint(&x.Response, page("hello"))
	x.Commit()
	<-recorded
	if found := checkAll(t, dir); !slices.Equal(
		found.codes(),
		[]string{"0 index note", "0 unfinished note"},
	) || found.Findings != 0 || found.Records["response"] != 1 {
		t.Errorf("%+v, %+v", found.all, found.Summary)
	}

	if _, err := new(verify.Checker).Collection(collection.Dir(t.TempDir())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no collection: %v", err)
	}
}

// recordedLine is a log that tells of the first exchange.
type recordedLine chan struct{}

func (l recordedLine) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "http://example.com/new") {
		close(l)
	}
	return len(p), nil
}
