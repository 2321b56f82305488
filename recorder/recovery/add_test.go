package recovery

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder/recovery/foreign"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// addTo adds a file of another tool to a collection.
func addTo(t *testing.T, dir, path string) Added {
	t.Helper()
	files, err := Add(Config{}, collection.Dir(dir), []string{path}, false, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// export is the CDXJ of a collection.
func export(t *testing.T, dir string) string {
	t.Helper()
	index, err := store.OpenReadOnly(filepath.Join(dir, collection.IndexName))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	var lines strings.Builder
	if _, err := index.Export(&lines, store.Query{All: true}, nil); err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

// TestIndexDamaged adds damaged files: what is whole is found, the rest is reported, by Add as by
// Rebuild.
func TestIndexDamaged(t *testing.T) {
	good := foreign.Files["warcio"][0]
	member := foreign.Gzip(good)
	dir, from := t.TempDir(), t.TempDir()
	for _, test := range []struct {
		name     string
		file     []byte
		captures int
		at       []int64
		reason   error
	}{
		{"a.warc.gz", slices.Concat(member, []byte("garbage"), member),
			2, []int64{int64(len(member))}, warc.ErrNotMember},
		{"b.warc.gz", slices.Concat(member, member[:50]), 1, []int64{int64(len(member))}, warc.ErrTorn},
		{"c.warc.gz", foreign.Gzip(good + good + good), 0, []int64{0}, warc.ErrShared},
		{"d.warc", []byte(good + strings.Replace(good, "Length: ", "Length: 9", 1) + good), 2,
			[]int64{int64(len(good))}, warc.ErrCut},
		{"e.warc", []byte("no WARC file at all"), 0, []int64{0}, warc.ErrNotRecord},
		{"f.warc.zst", []byte("\x5d\x2a\x4d\x18\x04\x00\x00\x00abcd"), 0, []int64{0}, warc.ErrFrame},
		{"g.warc", nil, 0, nil, nil},
		{"h.warc.gz", slices.Concat(member, member[:len(member)-3]),
			2, []int64{int64(len(member))}, ErrUnended},
		{"i.warc", []byte(strings.TrimSuffix(good+good, "\r\n\r\n")),
			2, []int64{int64(len(good))}, ErrUnended},
	} {
		path := filepath.Join(from, test.name)
		write(t, path, test.file)
		f := addTo(t, dir, path)
		var at []int64
		for _, d := range f.Damaged {
			at = append(at, d.Offset)
			if !errors.Is(d.Reason, test.reason) || d.File != test.name {
				t.Errorf("%s: %+v", test.name, d)
			}
		}
		if f.Captures != test.captures || !slices.Equal(at, test.at) {
			t.Errorf("%s: %+v, want %d at %d", test.name, f, test.captures, test.at)
		}
	}
	want := export(t, dir)
	found, err := Rebuild(Config{}, collection.Dir(dir), zerolog.Nop())
	if err != nil || len(found.Damaged) != 8 || found.Captures != 9 {
		t.Errorf("%+v, %v", found, err)
	}
	if got := export(t, dir); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestIndexCopies: a file on another disk, which cannot be linked, is copied, but only on request.
func TestIndexCopies(t *testing.T) {
	dir := t.TempDir()
	other, err := os.MkdirTemp("/dev/shm", "warcorder")
	if err != nil {
		t.Skip("there is no other disk: ", err)
	}
	defer os.RemoveAll(other)
	path := filepath.Join(other, "x.warc")
	write(t, path, []byte(foreign.Files["warcio"][0]))
	if err := os.Link(path, filepath.Join(dir, "probe")); err == nil {
		t.Skip("there is no other disk")
	}
	_, err = Add(Config{}, collection.Dir(dir), []string{path}, false, zerolog.Nop())
	if err == nil || !strings.Contains(err.Error(), "--copy") ||
		strings.Count(err.Error(), path) != 1 {
		t.Errorf("without --copy: %v", err)
	}
	write(t, filepath.Join(dir, "archive", "y.warc"+collection.CopyingSuffix),
		[]byte("an interrupted copy"))
	files, err := Add(Config{}, collection.Dir(dir), []string{path}, true, zerolog.Nop())
	if err != nil || len(files) != 1 || !files[0].Copied || files[0].Captures != 1 {
		t.Errorf("%+v, %v", files, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "archive", "*")); len(left) != 1 {
		t.Errorf("in archive: %q", left)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := export(t, dir); strings.Count(got, "\n") != 1 {
		t.Error(got)
	}
}

// TestIndexSymlink links the file that a symbolic link leads to, under the link's name.
func TestIndexSymlink(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	write(t, filepath.Join(from, "x.warc"), []byte(foreign.Files["warcio"][0]))
	if err := os.Symlink("x.warc", filepath.Join(from, "y.warc")); err != nil {
		t.Skip(err)
	}
	f := addTo(t, dir, filepath.Join(from, "y.warc"))
	info, err := os.Lstat(filepath.Join(dir, "archive", "y.warc"))
	if err != nil || !info.Mode().IsRegular() || f.Captures != 1 {
		t.Errorf("%+v, %v, %v", f, info, err)
	}
}
