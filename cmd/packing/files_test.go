package packing

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warcorder/store/collection"
)

// TestDurableNames: when a directory is synced all files in it have their names, also where a link
// leads into another directory.
func TestDurableNames(t *testing.T) {
	dir := t.TempDir()
	other, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(other, "there.wacz")
	if err := os.WriteFile(elsewhere, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, "b.wacz")); err != nil {
		t.Fatal(err)
	}
	files := hidden{mode: 0o600}
	for _, name := range []string{"a.wacz", "b.wacz", "c.json"} {
		if err := files.write(filepath.Join(dir, name), func(out io.Writer) error {
			_, err := io.WriteString(out, name)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	var synced []string
	if err := files.show(t.Context(), func(dir string) error {
		synced = append(synced, dir)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{dir, other}
	slices.Sort(want)
	if !slices.Equal(synced, want) || len(files.made) > 0 {
		t.Errorf("synced %q, want %q; without their names: %q", synced, want, files.made)
	}
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "b.wacz" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestKilled: a process that is killed leaves nothing that looks like a WACZ.
func TestKilled(t *testing.T) {
	if path := os.Getenv("PACKING_TEST_KILLED"); path != "" {
		files := hidden{mode: collection.DefaultMode}
		files.write(path, func(w io.Writer) error {
			w.Write(make([]byte, 1<<20))
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		})
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestKilled$")
	cmd.Env = append(os.Environ(), "PACKING_TEST_KILLED="+filepath.Join(dir, "a.wacz"))
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("it was not killed: %s", out)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || !strings.HasPrefix(left[0].Name(), ".") ||
		strings.HasSuffix(left[0].Name(), ".wacz") {
		t.Errorf("left are %v, %v", left, err)
	}
}
