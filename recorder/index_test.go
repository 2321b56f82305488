package recorder

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder/recovery"
	"warcorder/recorder/recovery/foreign"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// writeForeign writes the files of every tool in every layout into a new directory, and returns
// their paths.
func writeForeign(t *testing.T) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for _, tool := range slices.Sorted(maps.Keys(foreign.Files)) {
		for layout, file := range foreign.Layouts(t, foreign.Files[tool]) {
			paths = append(paths, filepath.Join(dir, tool+layout))
			write(t, paths[len(paths)-1], file)
		}
	}
	slices.Sort(paths)
	return paths
}

func add(t *testing.T, dir string, paths ...string) []recovery.Added {
	t.Helper()
	files, err := added(allKeys, dir, paths, false, zerolog.Nop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestIndex adds the files of other tools to a collection that has files of its own, in every way,
// and finds the same lines each time, as when its index is made anew.
func TestIndex(t *testing.T) {
	t.Parallel()
	recorded := func(t *testing.T) string {
		dir := t.TempDir()
		c := open(t, dir, allKeys)
		c.get("http://example.com/own")
		c.close()
		return dir
	}
	paths := writeForeign(t)
	dir := recorded(t)
	made := 0
	for i, f := range add(t, dir, paths...) {
		if f.Path != paths[i] || f.Name != filepath.Base(paths[i]) || f.Captures == 0 ||
			len(f.Damaged) > 0 || f.Known || f.Copied {
			t.Errorf("%+v", f)
		}
		made += f.Captures
		if a, b := stat(t, paths[i]), stat(t, filepath.Join(dir, "archive", f.Name)); !os.SameFile(a, b) {
			t.Errorf("%s is no link", f.Name)
		}
	}
	want := exports(t, dir)
	if n := strings.Count(want[0], "\n"); n != made+1 || made != 3*(5+5+3+2) {
		t.Errorf("%d lines, %d captures:\n%s", n, made, want[0])
	}
	same := func(t *testing.T, dir string) {
		t.Helper()
		for i, got := range exports(t, dir) {
			own := func(text string) string { // the names of our own files differ
				return strings.Join(
					slices.DeleteFunc(strings.SplitAfter(text, "\n"),
						func(line string) bool { return strings.Contains(line, "/own") }),
					"",
				)
			}
			if own(got) != own(want[i]) {
				t.Errorf("%+v: got\n%s\nwant\n%s", allQueries()[i], got, want[i])
			}
		}
	}
	t.Run("again", func(t *testing.T) {
		for _, f := range add(t, dir, paths...) {
			if !f.Known || f.Captures > 0 {
				t.Errorf("%+v", f)
			}
		}
		same(t, dir)
	})
	t.Run("rebuilt", func(t *testing.T) {
		found, err := rebuilt(allKeys, dir, zerolog.Nop(), nil)
		if err != nil || found.Captures != made+1 || len(found.Damaged) > 0 {
			t.Errorf("%+v, %v", found, err)
		}
		same(t, dir)
	})
	t.Run("one by one, in a new collection", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "new")
		for _, path := range slices.Backward(paths) {
			if files := add(t, dir, path); len(files) != 1 || files[0].Captures == 0 {
				t.Errorf("%+v", files)
			}
		}
		same(t, dir)
	})
	t.Run("in archive already", func(t *testing.T) {
		dir := recorded(t)
		var there []string
		for _, path := range paths {
			there = append(there, filepath.Join(dir, "archive", filepath.Base(path)))
			if err := os.Link(path, there[len(there)-1]); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for _, f := range add(t, dir, append(there, paths...)...) {
			n += f.Captures
		}
		if n != made {
			t.Errorf("%d captures", n)
		}
		same(t, dir)
	})
	t.Run("dropped there, found by the next recording", func(t *testing.T) {
		dir := recorded(t)
		for _, path := range paths {
			if err := os.Link(path, filepath.Join(dir, "archive", filepath.Base(path))); err != nil {
				t.Fatal(err)
			}
		}
		open(t, dir, allKeys).close()
		same(t, dir)
	})
	t.Run("interrupted", func(t *testing.T) {
		dir := recorded(t)
		index, err := store.Open(filepath.Join(dir, collection.IndexName), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, path := range paths { // it knows the file, and some of its captures
			file, err := index.AddFile(filepath.Base(path))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Link(path, filepath.Join(dir, "archive", file.Name)); err != nil {
				t.Fatal(err)
			}
			alone := t.TempDir()
			add(t, alone, path)
			some := captures(t, alone)
			if err := index.Commit(some[:i%len(some)], []store.File{file}); err != nil {
				t.Fatal(err)
			}
		}
		if err := index.Close(); err != nil {
			t.Fatal(err)
		}
		open(t, dir, allKeys).close()
		same(t, dir)
	})
}

// TestIndexDamaged adds damaged files: what is whole is found, the rest reported, by Index as by
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
			2, []int64{int64(len(member))}, recovery.ErrUnended},
		{"i.warc", []byte(strings.TrimSuffix(good+good, "\r\n\r\n")),
			2, []int64{int64(len(good))}, recovery.ErrUnended},
	} {
		path := filepath.Join(from, test.name)
		write(t, path, test.file)
		f := add(t, dir, path)[0]
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
	want := exportOf(t, dir, store.Query{})
	found, err := rebuilt(allKeys, dir, zerolog.Nop(), nil)
	if err != nil || len(found.Damaged) != 8 || found.Captures != 9 {
		t.Errorf("%+v, %v", found, err)
	}
	if got := exportOf(t, dir, store.Query{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestIndexRefused has what Index does not take, of which nothing is left.
func TestIndexRefused(t *testing.T) {
	from := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, []byte(content))
		return path
	}
	good := foreign.Files["warcio"][0]
	dir := t.TempDir()
	add(t, dir, file("there.warc", good), file("missing.warc", good))
	if err := os.Remove(filepath.Join(dir, "archive", "missing.warc")); err != nil {
		t.Fatal(err)
	}
	before := exportOf(t, dir, store.Query{})
	const old = "warc/0.9 10 warcinfo filedesc:x 20050610235959 text/xml uuid:x\r\n\r\n"
	for _, test := range []struct {
		name  string
		paths []string
		want  string
	}{
		{"no such file", []string{filepath.Join(from, "none.warc")}, "no such file"},
		{"a directory", []string{filepath.Dir(file("dir.warc/x", ""))}, "no regular file"},
		{"another name", []string{file("x.gz", good)},
			"ends in .warc.gz or .warc or .warc.zst: rename it"},
		{"WARC 0.9", []string{file("old.warc", old)}, "warcorder import --from-format 0.9"},
		{"WARC 0.9, compressed",
			[]string{file("old.warc.gz", string(foreign.Gzip(old)))},
			"warcorder import --from-format 0.9"},
		{"ARC", []string{file("arc.warc", "filedesc://x.arc 0.0.0.0 20050614070144 text/plain 77\n")},
			"ARC"},
		{"another of that name there", []string{file("other/there.warc", good+good)},
			"has another file of that name"},
		{"as long, but different", []string{file("equal/there.warc", strings.ToUpper(good))},
			"has another file of that name"},
		{"of the name of one that is missing",
			[]string{file("other/missing.warc", strings.ToUpper(good))}, "is missing: if it is this one"},
		{"two of one name", []string{file("1/two.warc", good), file("2/two.warc", good)},
			"have the same name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := added(allKeys, dir, append([]string{file("good.warc", good)}, test.paths...), true,
				zerolog.Nop(), nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "archive", "*")); len(left) != 1 {
				t.Errorf("in archive: %q", left)
			}
			if got := exportOf(t, dir, store.Query{}); got != before {
				t.Errorf("the index has changed:\n%s", got)
			}
		})
	}
	t.Run("a new collection", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "new")
		paths := []string{file("x.gz", good)}
		if _, err := added(allKeys, dir, paths, false, zerolog.Nop(), nil); err == nil {
			t.Error("no error")
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("a collection is left")
		}
	})
	t.Run("in use", func(t *testing.T) {
		c := open(t, dir, Config{})
		defer c.close()
		paths := []string{file("good.warc", good)}
		_, err := added(allKeys, dir, paths, false, zerolog.Nop(), nil)
		if !errors.Is(err, collection.ErrLocked) {
			t.Error(err)
		}
	})
}

// TestIndexCopies has a file on another disk, which cannot be linked.
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
	if _, err := added(allKeys, dir, []string{path}, false, zerolog.Nop(), nil); err == nil ||
		!strings.Contains(err.Error(), "--copy") || strings.Count(err.Error(), path) != 1 {
		t.Errorf("without --copy: %v", err)
	}
	write(t, filepath.Join(dir, "archive", "y.warc"+collection.CopyingSuffix),
		[]byte("an interrupted copy"))
	files, err := added(allKeys, dir, []string{path}, true, zerolog.Nop(), nil)
	if err != nil || len(files) != 1 || !files[0].Copied || files[0].Captures != 1 {
		t.Errorf("%+v, %v", files, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "archive", "*")); len(left) != 1 {
		t.Errorf("in archive: %q", left)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := exportOf(t, dir, store.Query{}); strings.Count(got, "\n") != 1 {
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
	f := add(t, dir, filepath.Join(from, "y.warc"))[0]
	info, err := os.Lstat(filepath.Join(dir, "archive", "y.warc"))
	if err != nil || !info.Mode().IsRegular() || f.Captures != 1 {
		t.Errorf("%+v, %v, %v", f, info, err)
	}
}

// TestIndexProgress adds up several files.
func TestIndexProgress(t *testing.T) {
	paths := writeForeign(t)
	var size int64
	for _, path := range paths {
		size += stat(t, path).Size()
	}
	var last, lastTotal int64
	progress := func(file string, done, total int64) {
		if done < last || done > total {
			t.Errorf("%s: %d of %d behind %d", file, done, total, last)
		}
		last, lastTotal = done, total
	}
	if _, err := added(allKeys, t.TempDir(), paths, false, zerolog.Nop(), progress); err != nil {
		t.Fatal(err)
	}
	if last != size || lastTotal != size {
		t.Errorf("ended at %d of %d, want %d", last, lastTotal, size)
	}
}
