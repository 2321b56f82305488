package recovery

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"warcorder/recorder/recovery/foreign"
	"warcorder/store/collection"
)

// TestImportToOtherDisk: archive/ may be a link to another disk, to which nothing can be renamed.
func TestImportToOtherDisk(t *testing.T) {
	other, err := os.MkdirTemp("/dev/shm", "recovery-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(other)
	dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
	if err := os.Mkdir(string(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, dir.Archive()); err != nil {
		t.Fatal(err)
	}
	if err := dir.Make(0); err != nil {
		t.Fatal(err)
	}
	member := string(foreign.Gzip(foreign.Files["warcio"][0]))
	for _, want := range []string{"a.warc.gz", "a.warc.gz known"} {
		if got := imported(t, dir, "a.warc.gz:"+member); !slices.Equal(got, []string{want}) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	text, err := os.ReadFile(filepath.Join(other, "a.warc.gz"))
	if err != nil || string(text) != member {
		t.Errorf("%v, %d bytes", err, len(text))
	}
}
