package collection

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWrite: a file has its name when it is whole, and its mode; what could not be written leaves
// what was there, and nothing beside it.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lines")
	put := func(text string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
	}
	broken := errors.New("broken")
	for _, step := range []struct {
		name  string
		write func(io.Writer) error
		want  string
		fails error
	}{
		{"it begins, and fails", func(w io.Writer) error {
			return errors.Join(put("x")(w), broken)
		}, "", broken},
		{"new", put("first"), "first", nil},
		{"replaced", put("second"), "second", nil},
		{"large", put(strings.Repeat("x", 3<<20)), strings.Repeat("x", 3<<20), nil},
		{"small again", put("third"), "third", nil},
		{"it fails at once", func(io.Writer) error { return broken }, "third", broken},
		{"it fails late", func(w io.Writer) error {
			return errors.Join(put(strings.Repeat("y", 3<<20))(w), broken)
		}, "third", broken},
	} {
		if err := Write(path, 0o640, step.write); !errors.Is(err, step.fails) {
			t.Errorf("%s: %v", step.name, err)
		}
		if got, _ := os.ReadFile(path); string(got) != step.want {
			t.Errorf("%s: %d bytes are there, want %d", step.name, len(got), len(step.want))
		}
		left, _ := os.ReadDir(dir)
		if len(left) > 1 {
			t.Errorf("%s: left are %v", step.name, left)
		}
	}
	err := Write(filepath.Join(dir, "none", "lines"), 0o600, put("x"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("into no directory: %v", err)
	}
}

// TestWriteKilled: a process that is killed while it writes leaves the file as it was.
func TestWriteKilled(t *testing.T) {
	if path := os.Getenv("COLLECTION_TEST_WRITE"); path != "" {
		Write(path, DefaultMode, func(w io.Writer) error {
			w.Write(make([]byte, 2<<20))
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		})
	}
	path := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestWriteKilled$")
	cmd.Env = append(os.Environ(), "COLLECTION_TEST_WRITE="+path)
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("it was not killed: %s", out)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "before" {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "[!.]*")); len(left) != 1 {
		t.Errorf("left are %v", left)
	}
}

// TestCopy: a copy has its name when it is whole, and takes that of no other file.
func TestCopy(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.warc.gz")
	broken := errors.New("broken")
	in := io.MultiReader(strings.NewReader("begun"), readerFunc(func([]byte) (int, error) {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Error("half a copy has its name")
		}
		if _, err := os.Lstat(path + CopyingSuffix); err != nil {
			t.Error(err)
		}
		return 0, broken
	}))
	if err := Copy(path, DefaultMode, in); !errors.Is(err, broken) {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	if err := Copy(path, DefaultMode, strings.NewReader("whole")); err != nil {
		t.Error(err)
	}
	if err := Copy(path, DefaultMode, strings.NewReader("other")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another file: %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "whole" {
		t.Errorf("%q", got)
	}
	if err := os.WriteFile(path+CopyingSuffix, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := Copy(path, DefaultMode, strings.NewReader("other"))
	if err == nil || !strings.Contains(err.Error(), "another copy goes on") {
		t.Errorf("beside another copy: %v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
