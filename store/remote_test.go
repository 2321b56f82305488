package store

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

func remoteOf(size int64) *Remote {
	return &Remote{Bucket: "archive", Key: "news/a.warc.gz", Size: size, SHA256: Sum{1, 2, 3}, ETag: `"e-2"`,
		PartSize: 64, Parts: []Sum{{4}, {5}}, Uploaded: testTime.UTC()}
}

// TestSetRemote: where a file has a copy outlives the index's being closed, is told by each look at the
// file, and stays whatever else is stored of the file.
func TestSetRemote(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	remote := remoteOf(1000)
	if err := b.SetRemote("a.warc.gz", remote); err == nil {
		t.Error("of a file that is not finished")
	}
	file.Committed, file.Sealed = 1000, true
	commit(t, b, []Capture{captureOf("http://example.com/", testTime, file.Name, 0)}, file)
	for name, wrong := range map[string]error{
		"a name that nobody knows": b.SetRemote("b.warc.gz", remote),
		"another size":             b.SetRemote("a.warc.gz", remoteOf(999)),
	} {
		if wrong == nil || !strings.Contains(wrong.Error(), ".warc.gz") {
			t.Errorf("%s: %v", name, wrong)
		}
	}
	if err := b.SetRemote("a.warc.gz", remote); err != nil {
		t.Fatal(err)
	}
	check := func(when string, b *Bolt, want *Remote) {
		t.Helper()
		known, _ := b.File("a.warc.gz")
		now, _, err := b.FileNow("a.warc.gz")
		all, err2 := b.Files()
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		for i, f := range []File{known, now, all[0]} {
			if !reflect.DeepEqual(f.Remote, want) || f.Committed != 1000 {
				t.Errorf("%s, look %d: %+v", when, i, f.Remote)
			}
		}
	}
	check("noted", b, remote)
	commit(t, b, nil, File{ID: file.ID, Committed: 1000, Sealed: true})
	if err := b.NoteFiles([]File{{ID: file.ID, Committed: 1000, Sealed: true, Missing: true}}); err != nil {
		t.Fatal(err)
	}
	check("other states stored", b, remote)
	path := b.writing.db.Path()
	b.Close()
	reader, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	check("read only", reader, remote)
	reader.Close()
	if b, err = openToWrite(path); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	check("opened again", b, remote)
	if err := b.SetRemote("a.warc.gz", nil); err != nil {
		t.Fatal(err)
	}
	check("nowhere any more", b, nil)
}

// TestRemoteDamaged: what is no Remote is damage, and no panic.
func TestRemoteDamaged(t *testing.T) {
	b := newIndex(t)
	addFile(t, b, "a.warc.gz")
	path := b.writing.db.Path()
	if err := put(b, bucketRemotes, []byte{0, 0, 0, 1}, []byte(`{"sha256":"12"}`)); err != nil {
		t.Fatal(err)
	}
	b.Close()
	if _, err := openToWrite(path); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("opened: %v", err)
	}
}

// TestRemoteText: the text of a Remote is what other programs can read.
func TestRemoteText(t *testing.T) {
	text, err := json.Marshal(remoteOf(10))
	var again Remote
	if err = errors.Join(err, json.Unmarshal(text, &again)); err != nil || !reflect.DeepEqual(&again, remoteOf(10)) {
		t.Errorf("%s: %+v, %v", text, again, err)
	}
	if !strings.Contains(string(text), `"sha256":"010203`) || strings.Contains(string(text), "released") {
		t.Errorf("%s", text)
	}
}

// TestRenewalRemotes: a file that is written anew loses its copy in the transaction that swaps the
// index; the others keep theirs, also if it was noted while the new index was made.
func TestRenewalRemotes(t *testing.T) {
	b := renewable(t, "gone")
	for _, name := range []string{"0.warc.gz", "1.warc.gz"} {
		if err := b.SetRemote(name, remoteOf(300_000)); err != nil {
			t.Fatal(err)
		}
	}
	path := b.writing.db.Path()
	r, err := b.Renew(path+".new", []uint32{2})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(r.Copy(t.Context()), r.Fill(func() error {
		file, _ := r.Index().File("1.warc.gz")
		file.Committed, file.Sealed, file.Reduced = 5000, true, true
		return r.Index().Commit(nil, []File{file})
	}))
	released := remoteOf(300_000)
	released.Released = true
	err = errors.Join(err, b.SetRemote("0.warc.gz", released), r.Synced(),
		r.Take(func(*Gap) bool { return false }, decided, func() error { return os.Rename(path+".new", path) },
			forward))
	if err != nil {
		t.Fatal(err)
	}
	kept, _ := b.File("0.warc.gz")
	anew, _ := b.File("1.warc.gz")
	if !kept.IsAway() || anew.Remote != nil || anew.Committed != 5000 {
		t.Errorf("kept %+v, anew %+v", kept.Remote, anew.Remote)
	}
	count := 0
	err = b.writing.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketRemotes).ForEach(func(_, _ []byte) error { count++; return nil })
	})
	if count != 1 || err != nil {
		t.Errorf("%d in the index, %v", count, err)
	}
}
