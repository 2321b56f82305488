//go:build unix

package recorder

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/store/collection"
)

// TestModeOfConfig: a recorder does not open with a mode that lets everybody write.
func TestModeOfConfig(t *testing.T) {
	if _, err := Open(Config{Mode: 0o666}, collection.Dir(t.TempDir()), zerolog.Nop()); err == nil {
		t.Error("it opens")
	}
}

// modes are those of all that is in a collection.
func modes(t *testing.T, dir string) map[string]fs.FileMode {
	t.Helper()
	all := map[string]fs.FileMode{}
	if err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		name, _ := filepath.Rel(dir, path)
		all[name] = info.Mode().Perm()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestModeOfFiles: whatever the umask is, all that recording, a crash and what mends it make of a
// collection has the mode that was asked for; what is there keeps its own.
func TestModeOfFiles(t *testing.T) {
	if dir := os.Getenv("RECORDER_TEST_MODE"); dir != "" {
		makeModes(t, dir)
		return
	}
	for _, umask := range []string{"000", "022", "077"} {
		t.Run(umask, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.Command("/bin/sh", "-c", "umask "+umask+`; exec "$0" -test.run '^TestModeOfFiles$'`,
				os.Args[0])
			cmd.Env = append(os.Environ(), "RECORDER_TEST_MODE="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}

func makeModes(t *testing.T, top string) {
	for _, c := range []struct {
		mode  collection.Mode
		files fs.FileMode
		dirs  fs.FileMode
	}{{0, 0o600, 0o700}, {0o640, 0o640, 0o750}, {0o664, 0o664, 0o775}} {
		dir := filepath.Join(top, c.files.String(), "c")
		check := func(when string) {
			t.Helper()
			files := 0
			for name, mode := range modes(t, filepath.Dir(dir)) {
				switch {
				case strings.HasSuffix(name, "spill"):
					if mode != 0o700 {
						t.Errorf("%s: %s is %v", when, name, mode)
					}
				case name == ".",
					name == "c",
					name == filepath.Join("c", "archive"),
					name == filepath.Join("c", "indexes"):
					if mode != c.dirs {
						t.Errorf("%s: %s is %v, want %v", when, name, mode, c.dirs)
					}
				default:
					if files++; mode != c.files {
						t.Errorf("%s: %s is %v, want %v", when, name, mode, c.files)
					}
				}
			}
			if files < 2 {
				t.Errorf("%s: %d files", when, files)
			}
		}
		r := open(t, dir, Config{Mode: c.mode})
		if err := r.Announce("127.0.0.1:1", ""); err != nil {
			t.Fatal(err)
		}
		r.get("http://example.com/")
		eventually(t, "it is recorded", func() bool { return len(r.urls()) == 1 })
		check("while recording")
		r.close()
		check("after recording")
		archive := filepath.Join(dir, "archive")
		files, _ := filepath.Glob(filepath.Join(archive, "*.warc.gz"))
		content, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		other := filepath.Join(archive, "a-torn.warc.gz.open")
		write(t, other, append(content, "torn"...))
		os.Chmod(other, c.files)
		if _, err := recovered(Config{Mode: c.mode}, dir, zerolog.Nop(), nil); err != nil {
			t.Fatal(err)
		}
		check("after recover")
		loseIndex(t, dir)
		if _, err := rebuilt(Config{Mode: c.mode}, dir, zerolog.Nop(), nil); err != nil {
			t.Fatal(err)
		}
		check("after rebuild")
		if err := os.Chmod(files[0], 0o444); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, collection.IndexName), 0o604); err != nil {
			t.Fatal(err)
		}
		if _, err := rebuilt(Config{Mode: c.mode}, dir, zerolog.Nop(), nil); err != nil {
			t.Fatal(err)
		}
		all := modes(t, dir)
		if all[collection.IndexName] != 0o604 ||
			all[filepath.Join("archive", filepath.Base(files[0]))] != 0o444 {
			t.Errorf("what is there does not keep its mode: %v", all)
		}
	}
}
