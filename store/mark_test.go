package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"

	"warcorder/store/boltcheck"
	"warcorder/store/collection"
)

// closedIndex makes an index of n captures, closes it, and returns its path.
func closedIndex(t testing.TB, n int) string {
	t.Helper()
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	batch := make([]Capture, n)
	for i := range batch {
		batch[i] = captureOf(fmt.Sprintf("http://example.com/%06d", i), testTime, file.Name, int64(i))
	}
	file.Committed = int64(n)
	commit(t, b, batch, file)
	path := b.writing.db.Path()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// openCounting opens an index for writing, and returns how many bytes the check has read.
func openCounting(t testing.TB, path string, options Options) (b *Bolt, read int64) {
	t.Helper()
	options.Progress = func(done, _ int64) { read = done }
	b, err := Open(path, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b, read
}

// TestOpenReadsFewPages: of an index that was closed well nothing is read but the meta pages, the
// list of free pages, and what leads to the files. All other pages can be anything, in an index of
// any size; a lookup reads those that lead to its key.
func TestOpenReadsFewPages(t *testing.T) {
	for _, n := range []int{5_000, 20_000} {
		path := closedIndex(t, n)
		spoilt := spoilLeaves(t, path, bucketCaptures, 500)
		if pages := n / 100; spoilt < pages/2 {
			t.Fatalf("only %d pages are spoilt", spoilt)
		}
		b, read := openCounting(t, path, Options{})
		if count, err := b.Count(); read != 0 || count != int64(n) || err != nil {
			t.Errorf("%d bytes were checked; %d captures, %v", read, count, err)
		}
		if files, err := b.Files(); len(files) != 1 || err != nil {
			t.Errorf("files %v, %v", files, err)
		}
		b.Close()
		reader, err := OpenReadOnly(path)
		if err != nil {
			t.Fatal(err)
		}
		if all := allOf(t, reader, Query{URL: "http://example.com/000000"}); len(all) != 1 {
			t.Errorf("lookup gives %v", all)
		}
	}
}

// spoilLeaves overwrites all leaves of a bucket whose first key comes after the first keep
// captures, and marks the index as if it had been closed so.
func spoilLeaves(t testing.TB, path string, bucket []byte, keep int) (spoilt int) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	root := pageOrder.Uint64(bucketValue(t, content, metaOf(t, content), bucket))
	n := 0
	for _, leaf := range leavesOf(content, root) {
		before := n
		if n += elementCount(pageAt(content, leaf)); before < keep {
			continue
		}
		spoilt++
		page := bytes.Repeat([]byte{0xff}, testPage)
		if _, err := file.WriteAt(page, int64(leaf)*testPage); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(removeMark(path), writeMark(file, path)); err != nil {
		t.Fatal(err)
	}
	return spoilt
}

// TestMark: every page is read unless the index was closed by us, and is that very file, untouched.
func TestMark(t *testing.T) {
	reopen := func(t *testing.T, path string) *Bolt {
		b, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	copyOf := func(t *testing.T, from, to string) {
		content, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name    string
		between func(t *testing.T, path string)
		checked bool
	}{
		{"closed", func(*testing.T, string) {}, false},
		{"closed, opened and closed", func(t *testing.T, path string) { reopen(t, path).Close() }, false},
		{"closed, written and closed", func(t *testing.T, path string) {
			b := reopen(t, path)
			addFile(t, b, "b.warc.gz")
			b.Close()
		}, false},
		{"read", func(t *testing.T, path string) {
			b, err := OpenReadOnly(path)
			if err != nil {
				t.Fatal(err)
			}
			allOf(t, b, Query{})
		}, false},
		{"killed before anything was written", func(t *testing.T, path string) {
			reopen(t, path).writing.db.Close() // the end of a process unlocks its files
		}, true},
		{"killed", func(t *testing.T, path string) {
			b := reopen(t, path)
			addFile(t, b, "b.warc.gz")
			b.writing.db.Close()
		}, true},
		{"closed without a mark, by an older version", func(t *testing.T, path string) {
			b := reopen(t, path)
			addFile(t, b, "b.warc.gz")
			b.writing.db.Close()
		}, true},
		{"copied back", func(t *testing.T, path string) {
			copyOf(t, path, path+".copy")
			if err := os.Rename(path+".copy", path); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"put back in place", func(t *testing.T, path string) {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			copyOf(t, path, path+".copy")
			copyOf(t, path+".copy", path)
			if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"a mark that is cut", func(t *testing.T, path string) {
			if err := os.Truncate(path+collection.ClosedSuffix, 50); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"moved", func(t *testing.T, path string) {
			if err := Move(path, path+".moved"); err != nil {
				t.Fatal(err)
			}
			if err := Move(path+".moved", path); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := closedIndex(t, 1000)
			test.between(t, path)
			b, read := openCounting(t, path, Options{})
			if (read > 0) != test.checked {
				t.Errorf("%d bytes were checked", read)
			}
			if count, err := b.Count(); count != 1000 || err != nil {
				t.Errorf("%d captures, %v", count, err)
			}
			if _, err := os.Stat(path + collection.ClosedSuffix); err == nil {
				t.Error("it is open, and marked as closed")
			}
		})
	}
}

// TestCheckOnDemand: who repairs reads all pages of an index that is marked as closed well.
func TestCheckOnDemand(t *testing.T) {
	path := closedIndex(t, 5000)
	if _, read := openCounting(t, path, Options{Check: true}); read == 0 {
		t.Error("nothing was checked")
	}
}

// TestDamageVoidsMark: when a reader comes to a page that is not sound, the next Open reads all.
func TestDamageVoidsMark(t *testing.T) {
	path := closedIndex(t, 5000)
	spoilLeaves(t, path, bucketCaptures, 500)
	b, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = b.Captures(Query{}, func(*Capture) bool { n++; return true })
	if err == nil || n >= 5000 {
		t.Fatalf("%d captures, %v", n, err)
	}
	if _, err := os.Stat(path + collection.ClosedSuffix); err == nil {
		t.Error("the mark is still there")
	}
	if b, err := Open(path, Options{}); err == nil {
		b.Close()
		t.Error("opened")
	}
}

// TestFreelist: after a check the free pages are known to bbolt, and are used again.
func TestFreelist(t *testing.T) {
	path := closedIndex(t, 20_000)
	b, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, _ := b.File("a.warc.gz")
	for i := range 20 { // pages become free
		commit(t, b, []Capture{captureOf(fmt.Sprintf("http://example.com/%06d/x", i*1000), testTime,
			file.Name, int64(i))}, file)
	}
	b.writing.db.Close()
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used, err := checkPages(bytes.NewReader(content), size(), nil)
	if err != nil {
		t.Fatal(err)
	}
	meta, free := metaOf(t, content), 0
	for id := uint64(2); id < meta.InUse; id++ {
		if !used.Has(id) {
			free++
		}
	}
	b, read := openCounting(t, path, Options{})
	if read == 0 || free == 0 {
		t.Fatalf("%d bytes checked, %d pages free", read, free)
	}
	if meta, err = boltcheck.ReadMeta(b.writing.file, size()); err != nil || !meta.HasFreelist() {
		t.Fatalf("no free list: %+v, %v", meta, err)
	}
	before := meta.InUse
	for i := range 5 {
		commit(t, b, []Capture{captureOf(fmt.Sprintf("http://example.com/%06d/y", i*1000), testTime,
			file.Name, int64(i))}, file)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	file2, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file2.Close()
	if meta, err = boltcheck.ReadMeta(file2, size()); err != nil || meta.InUse > before+2 {
		t.Errorf("%d pages in use, after %d: free ones were not used, %v", meta.InUse, before, err)
	}
	if err := checkFile(path); err != nil {
		t.Error(err)
	}
}
