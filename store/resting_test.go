package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"warcorder/canon"
	"warcorder/store/collection"
)

// TestIndexGrowsWhileRead: a recorder comes and goes between two slices, and the reader goes on,
// with what has come behind it.
func TestIndexGrowsWhileRead(t *testing.T) {
	path := closedIndex(t, 3*sliceKeys)
	reader, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	n, last := 0, ""
	err = reader.Captures(Query{}, func(c *Capture) bool {
		if n++; n == 1 {
			b, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			file := addFile(t, b, "b.warc.gz")
			commit(t, b, []Capture{captureOf("http://example.com/zzz", testTime, file.Name, 0)}, file)
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		}
		last = c.File
		return true
	})
	if err != nil || n != 3*sliceKeys+1 || last != "b.warc.gz" {
		t.Errorf("%d captures, the last one in %q, %v", n, last, err)
	}
}

// TestReplacedWhileRead: an index that takes the place of another in the middle is noticed, be it
// renamed, written over, or an older state of the same.
func TestReplacedWhileRead(t *testing.T) {
	for name, replace := range map[string]func(t *testing.T, path string, content []byte) error{
		"renamed": func(t *testing.T, path string, content []byte) error {
			return errors.Join(os.WriteFile(path+".new", content, 0o600), Move(path+".new", path))
		},
		"an older state": func(t *testing.T, path string, content []byte) error {
			return os.WriteFile(path, content, 0o600)
		},
		"another": func(t *testing.T, path string, _ []byte) error {
			b := newIndex(t)
			for i := range 20 {
				addFile(t, b, fmt.Sprintf("other-%d.warc.gz", i))
			}
			other := b.writing.db.Path()
			content, err := os.ReadFile(other)
			return errors.Join(err, b.Close(), os.WriteFile(path, content, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := closedIndex(t, 3*sliceKeys)
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			b, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			addFile(t, b, "later.warc.gz")
			b.Close()
			reader, err := OpenReadOnly(path)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			err = reader.Captures(Query{}, func(*Capture) bool {
				if n++; n == 1 {
					if err := replace(t, path, content); err != nil {
						t.Fatal(err)
					}
				}
				return true
			})
			if !errors.Is(err, ErrReplaced) {
				t.Errorf("after %d captures: %v", n, err)
			}
		})
	}
}

// TestReadersLetWriterIn: many who read one after another without a pause, and each from the file
// that the one before has left open, let a recorder in, and then see what it has done.
func TestReadersLetWriterIn(t *testing.T) {
	path := closedIndex(t, 100)
	reader, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := canon.SURT("http://example.com/new")
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for found := false; !found; {
				err := reader.Nearest(URLKey, key, time.Time{}, 1, func(*Capture) bool {
					found = true
					return false
				})
				if err != nil && !errors.Is(err, collection.ErrLocked) {
					t.Error(err)
					return
				}
			}
		})
	}
	dir := collection.Dir(filepath.Dir(path))
	unlock, err := dir.Lock()
	for errors.Is(err, collection.ErrLocked) { // by a reader that asks
		unlock, err = dir.Lock()
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(path, Options{Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Count(); !errors.Is(err, collection.ErrLocked) {
		t.Errorf("read while it is written: %v", err)
	}
	file := addFile(t, b, "b.warc.gz")
	commit(t, b, []Capture{captureOf("http://example.com/new", testTime, file.Name, 0)}, file)
	if err := errors.Join(b.Close(), unlock()); err != nil {
		t.Fatal(err)
	}
	readers.Wait()
	if reader.resting.kept == nil && collection.CanRelock {
		t.Error("the file does not stay open")
	}
	if err := reader.Close(); err != nil || reader.resting.kept != nil {
		t.Errorf("the file stays open behind Close, %v", err)
	}
}
