package store

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"warcorder/store/collection"
)

// TestOlderLayout: an index that an older version made has not all buckets. It is read as it is,
// and gets the others, in the same file, when it is opened for writing.
func TestOlderLayout(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	c := captureOf("http://example.com/", testTime, file.Name, 0)
	commit(t, b, []Capture{c}, file)
	err := b.writing.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range []string{"extras", "path", "wwwoffle", "form", "query", "gaps", "dedup",
			"timeline", "remotes"} {
			if err := tx.DeleteBucket([]byte(name)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	path := b.writing.db.Path()
	b.Close()

	reader, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := readAll(reader); err != nil {
		t.Errorf("read: %v", err)
	}
	if b, err = Open(path, Options{}); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	post := captureOf("http://example.com/post", testTime, file.Name, 1000)
	post.Method, post.PathKey, post.SpecBody = "POST", "path", "body"
	commit(t, b, []Capture{post}, file)
	if all := allOf(t, b, Query{}); len(all) != 2 {
		t.Errorf("captures: %v", all)
	}
	if all := allOf(t, b, Query{Key: PathKey}); len(all) != 1 {
		t.Errorf("captures with the key path: %v", all)
	}
	if err := b.AddGaps(manyGaps(1), nil); err != nil {
		t.Error(err)
	}
}

// TestNewerLayout: an index of a later version is refused with a sentence, and stays as it is, also
// when its keys and values would be damage in one of ours.
func TestNewerLayout(t *testing.T) {
	b := newIndex(t)
	if err := put(b, bucketMeta, metaFormat, []byte{0, 0, 0, 3}); err != nil {
		t.Fatal(err)
	}
	if err := put(b, bucketCaptures, []byte("x"), []byte("a layout of its own")); err != nil {
		t.Fatal(err)
	}
	path := b.writing.db.Path()
	b.Close()
	os.Remove(path + collection.ClosedSuffix)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(string) (*Bolt, error){OpenReadOnly, openToWrite, checkOnly} {
		_, err := open(path)
		if err == nil || errors.Is(err, ErrDamaged) ||
			!strings.Contains(err.Error(), "index format 3, this one knows 2): use that version") {
			t.Errorf("got %v", err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("it was changed, %v", err)
	}
}

func checkOnly(path string) (*Bolt, error) { return nil, CheckFormat(path) }
