package boltcheck

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// pair is a key of a bucket, and its value.
type pair struct{ bucket, key, value string }

// checked returns what Check gives of the keys of a file.
func checked(file []byte) (all []pair, err error) {
	_, err = Check(bytes.NewReader(file), int64(len(file)), func(bucket, key, value []byte) error {
		all = append(all, pair{string(bucket), string(key), string(value)})
		return nil
	}, nil)
	return all, err
}

// walked returns what a Tree gives of the keys of buckets, up to a limit.
func walked(file []byte, buckets []string, limit int) (all []pair, err error) {
	meta, err := ReadMeta(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	tree := NewTree(file, meta)
	for _, name := range buckets {
		bucket := tree.Bucket([]byte(name))
		if bucket == nil {
			continue
		}
		c := bucket.Cursor()
		for k, v := c.First(); k != nil && len(all) < limit; k, v = c.Next() {
			all = append(all, pair{name, string(k), string(v)})
		}
	}
	return all, tree.Err()
}

var bucketNames = []string{"large", "none", "small"} // in the order of a file

// newFile makes a file with two buckets.
func newFile(t testing.TB) *bbolt.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.bolt")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: 4096, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	err = db.Update(func(tx *bbolt.Tx) error {
		small, err := tx.CreateBucket([]byte("small"))
		if err == nil {
			err = small.Put([]byte("key"), []byte("value"))
		}
		if err == nil {
			_, err = tx.CreateBucket([]byte("large"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// change puts and deletes keys of the bucket "large".
func change(tx *bbolt.Tx, random *rand.Rand, round int) error {
	bucket := tx.Bucket([]byte("large"))
	for range 400 {
		n := random.IntN(3000)
		key := fmt.Appendf(nil, "%d%s", n, strings.Repeat("k", n%7*n%900))
		var err error
		if random.IntN(10) < 3+round/10%5 {
			err = bucket.Delete(key)
		} else {
			err = bucket.Put(key, make([]byte, random.IntN(1<<random.IntN(14))))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inBolt returns the keys of a file as bbolt gives them.
func inBolt(t testing.TB, db *bbolt.DB) (all []pair) {
	t.Helper()
	err := db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
			return bucket.ForEach(func(k, v []byte) error {
				all = append(all, pair{string(name), string(k), string(v)})
				return nil
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCheckTakesWhatBoltWrites: whatever is put and deleted, in whatever order, the file is sound
// after each transaction, and a Tree has the keys that bbolt has.
func TestCheckTakesWhatBoltWrites(t *testing.T) {
	db := newFile(t)
	random := rand.New(rand.NewPCG(15, 16))
	for round := range 60 {
		if err := db.Update(func(tx *bbolt.Tx) error { return change(tx, random, round) }); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(db.Path())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := checked(file); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		want := inBolt(t, db)
		got, err := walked(file, bucketNames, len(want)+1)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("round %d: %d keys of %d, %v", round, len(got), len(want), err)
		}
	}
}

// TestCursor goes to keys, from both ends and from between.
func TestCursor(t *testing.T) {
	db := newFile(t)
	random := rand.New(rand.NewPCG(1, 2))
	if err := db.Update(func(tx *bbolt.Tx) error { return change(tx, random, 0) }); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	meta, err := ReadMeta(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	got := NewTree(file, meta).Bucket([]byte("large"))
	err = db.View(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket([]byte("large"))
		a, b := got.Cursor(), bucket.Cursor()
		same := func(step string, k, v, wantKey, wantValue []byte) {
			t.Helper()
			if !bytes.Equal(k, wantKey) || !bytes.Equal(v, wantValue) {
				t.Errorf("%s: %.40q, and bbolt has %.40q", step, k, wantKey)
			}
		}
		k, v := a.Last()
		wantKey, wantValue := b.Last()
		same("last", k, v, wantKey, wantValue)
		for range 5 {
			k, v = a.Prev()
			wantKey, wantValue = b.Prev()
			same("before", k, v, wantKey, wantValue)
		}
		for range 1000 {
			key := fmt.Append(nil, random.IntN(4000))
			k, v = a.Seek(key)
			wantKey, wantValue = b.Seek(key)
			same("seek", k, v, wantKey, wantValue)
			if value := got.Get(key); !bytes.Equal(value, bucket.Get(key)) {
				t.Errorf("get %q: %q", key, value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// FuzzCheck changes bytes of a file, and makes the checksums of its meta pages right: each change
// is an offset of three bytes and a byte. Nothing panics, what cannot be trusted is a Damage, and a
// Tree can read what Check has found sound.
func FuzzCheck(f *testing.F) {
	db := newFile(f)
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 3 {
		if err := db.Update(func(tx *bbolt.Tx) error { return change(tx, random, round) }); err != nil {
			f.Fatal(err)
		}
	}
	sound, err := os.ReadFile(db.Path())
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{})
	f.Add([]byte{0, 0, pageHeader + 40 + 3, 0x7f})
	f.Add([]byte{0, 0x40, 8, branchPage, 0, 0x40, 10, 2})
	f.Add([]byte{0, 0x30, 12, 0xff, 0, 0x30, 10, 0xff})
	f.Fuzz(func(t *testing.T, changes []byte) {
		file := bytes.Clone(sound)
		for ; len(changes) >= 4; changes = changes[4:] {
			at := int(changes[0])<<16 | int(changes[1])<<8 | int(changes[2])
			file[at%len(file)] = changes[3]
		}
		for page := range 2 {
			meta := file[page*4096+pageHeader:]
			pageOrder.PutUint64(meta[56:], metaSum(meta))
		}
		all, err := checked(file)
		got, errWalk := walked(file, bucketNames, len(file))
		for _, err := range []error{err, errWalk} {
			if err != nil && !errors.As(err, new(Damage)) {
				t.Errorf("no Damage: %v", err)
			}
		}
		if err != nil {
			return
		}
		if errWalk != nil || len(all) < len(got) {
			t.Errorf("%d keys, and in a tree %d, %v", len(all), len(got), errWalk)
		}
	})
}
