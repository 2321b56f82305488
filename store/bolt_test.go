package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
	"warcorder/store/collection"
)

func newIndex(t testing.TB) *Bolt {
	t.Helper()
	b, err := Open(filepath.Join(t.TempDir(), "index.bolt"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func openToWrite(path string) (*Bolt, error) { return Open(path, Options{}) }

func addFile(t testing.TB, b *Bolt, name string) File {
	t.Helper()
	f, err := b.AddFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func commit(t testing.TB, b *Bolt, captures []Capture, files ...File) {
	t.Helper()
	if err := b.Commit(captures, files); err != nil {
		t.Fatal(err)
	}
}

// captureOf returns a capture of url at offset in file.
func captureOf(url string, at time.Time, file string, offset int64) Capture {
	key, _ := canon.SURT(url)
	return Capture{
		URLKey:   key,
		Time:     at,
		URL:      url,
		MIME:     "text/html",
		Status:   200,
		Digest:   "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
		Location: Location{File: file, Offset: offset, Length: 1000},
	}
}

// put stores one key as it is: what an index may hold that we have not written.
func put(b *Bolt, bucket, key, value []byte) error {
	tx, err := b.writing.db.Begin(true)
	if err != nil {
		return err
	}
	if err := tx.Bucket(bucket).Put(key, value); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func allOf(t testing.TB, b *Bolt, q Query) []Capture {
	t.Helper()
	var all []Capture
	if err := b.Captures(q, func(c *Capture) bool { all = append(all, *c); return true }); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCommitLasts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	b, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	first, second := addFile(t, b, "a.warc.gz"), addFile(t, b, "b.warc.gz")
	if first.ID != 1 || second.ID != 2 {
		t.Errorf("files %d and %d", first.ID, second.ID)
	}
	want := []Capture{
		captureOf("http://example.com/a", testTime, "a.warc.gz", 0),
		captureOf("http://example.com/b", testTime, "b.warc.gz", 7),
	}
	first.Committed, first.Sealed = 1000, true
	second.Committed = 1007
	commit(t, b, []Capture{want[1], want[0]}, first, second)
	commit(t, b, nil)

	check := func(b *Bolt) {
		t.Helper()
		if got := allOf(t, b, Query{}); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
		if files, err := b.Files(); err != nil || !reflect.DeepEqual(files, []File{first, second}) {
			t.Errorf("files %+v, %v", files, err)
		}
		if n, err := b.Count(); err != nil || n != 2 {
			t.Errorf("count %d, %v", n, err)
		}
	}
	check(b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(string) (*Bolt, error){OpenReadOnly, openToWrite} {
		b, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		check(b)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCommitAgain(t *testing.T) {
	b := newIndex(t)
	addFile(t, b, "a.warc.gz")
	c := captureOf("http://example.com/", testTime, "a.warc.gz", 0)
	commit(t, b, []Capture{c, c})
	c.Status = 404
	commit(t, b, []Capture{c})
	if got := allOf(t, b, Query{}); len(got) != 1 || got[0] != c {
		t.Errorf("got %+v", got)
	}
	if n, err := b.Count(); n != 1 || err != nil {
		t.Errorf("count %d, %v", n, err)
	}
}

func TestCommitAllOrNothing(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	good := captureOf("http://example.com/", testTime, file.Name, 0)
	moved := file
	moved.Committed = 1000
	for _, test := range []struct {
		name    string
		capture Capture
		file    File
	}{
		{"unknown file of a capture", captureOf("http://example.com/", testTime, "b.warc.gz", 0), moved},
		{"no file of a capture", captureOf("http://example.com/", testTime, "", 0), moved},
		{"negative offset", captureOf("http://example.com/", testTime, file.Name, -1), moved},
		{"offset of 2^48", captureOf("http://example.com/", testTime, file.Name, 1<<48), moved},
		{"negative length", Capture{URLKey: "x", Location: Location{file.Name, 0, -1}}, moved},
		{"unknown file", good, File{ID: 2, Name: "b.warc.gz"}},
		{"file without ID", good, File{Name: file.Name}},
		{"negative commit", good, File{ID: 1, Committed: -1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := b.Commit([]Capture{good, test.capture}, []File{moved, test.file}); err == nil {
				t.Error("no error")
			}
			if n, _ := b.Count(); n != 0 {
				t.Errorf("%d captures", n)
			}
			if files, _ := b.Files(); !reflect.DeepEqual(files, []File{file}) {
				t.Errorf("files %+v", files)
			}
		})
	}
}

func TestCommitKeepsNames(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	commit(t, b, nil, File{ID: file.ID, Name: "other", Committed: 5})
	if files, _ := b.Files(); files[0] != (File{ID: 1, Name: "a.warc.gz", Committed: 5}) {
		t.Errorf("got %+v", files)
	}
}

func TestAddFile(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	file.Committed = 7
	commit(t, b, nil, file)
	if again := addFile(t, b, "a.warc.gz"); again != file {
		t.Errorf("added again: %+v", again)
	}
	for _, name := range []string{"", "archive/a.warc.gz", "/a.warc.gz", "a/"} {
		if _, err := b.AddFile(name); err == nil {
			t.Errorf("AddFile(%q): no error", name)
		}
	}
}

func TestOpenLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	writer, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(string) (*Bolt, error){OpenReadOnly, openToWrite} {
		start := time.Now()
		if _, err := open(path); !errors.Is(err, collection.ErrLocked) {
			t.Errorf("beside a writer: %v", err)
		}
		if waited := time.Since(start); waited > 10*time.Second {
			t.Errorf("waited %v", waited)
		}
	}
	writer.Close()
	reader, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	err = reader.read(func(snapshot) error {
		if _, err := Open(path, Options{}); !errors.Is(err, collection.ErrLocked) {
			t.Errorf("a writer while one reads: %v", err)
		}
		_, err := OpenReadOnly(path)
		return err
	})
	if err != nil {
		t.Errorf("a reader while one reads: %v", err)
	}
	writer, err = Open(path, Options{})
	if err != nil {
		t.Fatalf("a writer beside a reader that does not read at present: %v", err)
	}
	defer writer.Close()
	if err := reader.Captures(Query{}, nil); !errors.Is(err, collection.ErrLocked) {
		t.Errorf("a reader, when there is a writer: %v", err)
	}
}

func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	if _, err := OpenReadOnly(path); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "no index") {
		t.Errorf("without index: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("an index was made")
	}
	b, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := addFile(t, b, "a.warc.gz")
	b.Close()
	if b, err = OpenReadOnly(path); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.AddFile("b.warc.gz"); err == nil {
		t.Error("added a file")
	}
	if err := b.Commit(nil, []File{file}); err == nil {
		t.Error("committed")
	}
}

func TestOpenOtherFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	for name, content := range map[string]string{"text": strings.Repeat("not an index ", 1000),
		"short": "x", "empty": ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenReadOnly(path); err == nil {
			t.Errorf("%s: opened for reading", name)
		}
		if content == "" {
			continue // becomes a new index
		}
		if _, err := Open(path, Options{}); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
}

func TestOpenChecksFormat(t *testing.T) {
	for name, change := range map[string]func(*Bolt) error{
		"other format": func(b *Bolt) error { return put(b, bucketMeta, metaFormat, []byte{0, 0, 0, 3}) },
		"no format":    func(b *Bolt) error { return put(b, bucketMeta, metaFormat, nil) },
		"bad file":     func(b *Bolt) error { return put(b, bucketFiles, []byte{0, 0, 0, 1}, []byte{9}) },
		"file missing": func(b *Bolt) error {
			return put(b, bucketFiles, []byte{0, 0, 0, 2}, []byte{1, 0, 0, 'x'})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newIndex(t)
			if err := change(b); err != nil {
				t.Fatal(err)
			}
			path := b.writing.db.Path()
			b.Close()
			for _, open := range []func(string) (*Bolt, error){OpenReadOnly, openToWrite} {
				if _, err := open(path); err == nil {
					t.Error("opened")
				}
			}
		})
	}
}

func TestDamagedCapture(t *testing.T) {
	good := appendKey(nil, []byte("x"), testTime, 1, 0)
	long := []byte(strings.Repeat("x", maxURLKey+1))
	c := captureOf("http://example.com/", testTime, "a.warc.gz", 0)
	value := appendValue(nil, []byte("x"), &c)
	for name, row := range map[string][2][]byte{
		"short key":         {[]byte("x"), value},
		"key without end":   {append([]byte("x"), good[1:]...)[1:], value},
		"no value":          {good, nil},
		"other version":     {good, append([]byte{2}, value[1:]...)},
		"short value":       {good, value[:len(value)-1]},
		"long value":        {good, append(value[:len(value):len(value)], 0)},
		"unknown file":      {appendKey(nil, []byte("x"), testTime, 9, 0), value},
		"long without SURT": {appendKey(nil, long, testTime, 1, 0), value},
	} {
		t.Run(name, func(t *testing.T) {
			b := newIndex(t)
			addFile(t, b, "a.warc.gz")
			if err := put(b, bucketCaptures, row[0], row[1]); err != nil {
				t.Fatal(err)
			}
			if err := b.Captures(Query{}, func(*Capture) bool { return true }); err == nil ||
				!strings.Contains(err.Error(), "damaged") {
				t.Errorf("got %v", err)
			}
		})
	}
}
