package collection

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// TestNewImport: an import removes what those have left that were killed, and nothing else.
func TestNewImport(t *testing.T) {
	d := newDir(t)
	for name, madeBy := range map[string]string{
		"import-2026-01": "", "import-1-killed": "4194999", "import-1-torn": "41x", "imported": "4194999",
		"import-1-same": strconv.Itoa(os.Getpid()),
	} {
		path := filepath.Join(string(d), name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if madeBy == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(path, madeByName), []byte(madeBy), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first, release, err := d.NewImport()
	if err != nil {
		t.Fatal(err)
	}
	second, releaseSecond, err := d.NewImport()
	if err != nil || second == first {
		t.Fatal(second, err)
	}
	defer releaseSecond()
	for path, want := range map[string]bool{
		string(first): true, string(second): true, filepath.Join(string(d), "import-2026-01"): true,
		filepath.Join(string(d), "imported"):        true,
		filepath.Join(string(d), "import-1-killed"): IsAlive(4194999),
		filepath.Join(string(d), "import-1-torn"):   false,
		filepath.Join(string(d), "import-1-same"):   !CanRelock, // in a container each process may be the first
	} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
	if err := errors.Join(release(), d.SweepImports()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(string(first)); (err == nil) == CanRelock {
		t.Errorf("released and swept: %v", err)
	}
	if _, err := os.Stat(string(second)); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(string(d)); err != nil {
		t.Fatal(err)
	}
	if path, _, err := d.NewImport(); err == nil {
		t.Errorf("made %s in no directory", path)
	}
}

// TestRemovalOrder: a removal that is interrupted leaves nothing that is ready, nor what nobody knows.
func TestRemovalOrder(t *testing.T) {
	got := inOrder([]string{"archive", madeByName, "pages.jsonl", readyName, "unpacked-1"})
	if want := []string{readyName, "archive", "pages.jsonl", "unpacked-1", madeByName}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestImportReady: what is ready is removed by nobody but who has added it.
func TestImportReady(t *testing.T) {
	d := newDir(t)
	i, release, err := d.NewImport()
	if err != nil {
		t.Fatal(err)
	}
	path := string(i)
	if err := errors.Join(os.WriteFile(i.madeBy(), []byte("gone"), 0o600), release()); err != nil {
		t.Fatal(err)
	}
	if ready, err := d.ReadyImports(); err != nil || len(ready) > 0 {
		t.Fatal(ready, err)
	}
	if err := i.MarkReady(); err != nil {
		t.Fatal(err)
	}
	for name, remove := range map[string]func() error{"Remove": i.Remove, "SweepImports": d.SweepImports} {
		if err := remove(); err != nil || !i.IsReady() {
			t.Errorf("%s of what is ready: %v", name, err)
		}
	}
	if ready, err := d.ReadyImports(); err != nil || !slices.Equal(ready, []Import{i}) {
		t.Error(ready, err)
	}
	if err := i.Done(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it is there when it is done")
	}
}
