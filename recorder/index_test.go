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
