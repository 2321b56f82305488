package recorder

import (
	"os"
	"path/filepath"
	"testing"

	"warcorder/store/collection"
	"warcorder/store/warc"
)

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func renamed(t *testing.T, path string) {
	t.Helper()
	if err := os.Rename(path+warc.OpenSuffix, path); err != nil {
		t.Fatal(err)
	}
}

func removed(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path + warc.OpenSuffix); err != nil {
		t.Fatal(err)
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// removeTorn removes the copies of what was cut.
func removeTorn(t *testing.T, dir string) {
	t.Helper()
	torn, _ := filepath.Glob(filepath.Join(dir, "archive", "*"+collection.TornSuffix+"*"))
	for _, path := range torn {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
