package taking

import (
	"path/filepath"
	"testing"

	"warcorder/store/collection"
	"warcorder/store/unpacking"
)

// TestRoom: no more is read of a HAR, which can stand for any number of bytes, than there is room for.
func TestRoom(t *testing.T) {
	dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
	if err := dir.Make(0); err != nil {
		t.Fatal(err)
	}
	taken, err := New(dir, func(string) {}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	free, err := collection.FreeSpace(string(dir))
	if err != nil {
		t.Fatal(err)
	}
	got := taken.maker(unpacking.HARFile{}, &warcFile{}).Room
	if got < free/2 || got > free*2 { // others write to that disk too
		t.Errorf("%d bytes, and %d are free", got, free)
	}
}
