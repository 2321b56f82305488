// Package awaytest sends files away, for tests: to object storage that the environment names, such as
// that of package gateway.
//
// Invariant: what was sent is in the index and in its note as an upload leaves it; what was sent away
// is not in archive/ any more.
package awaytest

import (
	"cmp"
	"context"
	"os"
	"testing"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/objects"
	"warcorder/store/objects/gateway"
)

// Send sends a finished file of a collection away.
func Send(t testing.TB, dir collection.Dir, index *store.Bolt, name string) *store.Remote {
	t.Helper()
	remote, err := send(dir, name)
	if err == nil {
		remote.Released = true
		err = cmp.Or(index.SetRemote(name, remote), dir.WriteNote(dir.AwayNote(name), 0, remote),
			dir.RaiseLayout(0), os.Remove(dir.WARC(name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	return remote
}

// Copy gives a finished file a copy in object storage, and leaves it here.
func Copy(t testing.TB, dir collection.Dir, index *store.Bolt, name string) *store.Remote {
	t.Helper()
	remote, err := send(dir, name)
	if err == nil {
		err = cmp.Or(index.SetRemote(name, remote), dir.WriteNote(dir.AwayNote(name), 0, remote))
	}
	if err != nil {
		t.Fatal(err)
	}
	return remote
}

func send(dir collection.Dir, name string) (*store.Remote, error) {
	file, err := os.Open(dir.WARC(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	storage, err := objects.Open(context.Background())
	if err != nil {
		return nil, err
	}
	defer storage.Close()
	return storage.Put(context.Background(), objects.Upload{Bucket: gateway.Bucket, Key: "test/" + name,
		Body: file, Size: info.Size()})
}
