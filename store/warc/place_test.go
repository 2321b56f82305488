package warc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// movers are the ways to move that systems have.
func movers() map[string]func(from, to string) error {
	return map[string]func(from, to string) error{"": Move, "by link": moveByLink,
		"if free": moveIfFree}
}

func TestMoveOverwritesNothing(t *testing.T) {
	for name, move := range movers() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
			for _, make := range []func() error{
				func() error { return os.WriteFile(b, []byte("b"), 0o600) },
				func() error { return os.Link(a, b) },
				func() error { return os.Symlink("a", b) },
				func() error { return os.Symlink("nowhere", b) },
				func() error { return os.Mkdir(b, 0o700) },
			} {
				if err := errors.Join(os.WriteFile(a, []byte("a"), 0o600), make()); err != nil {
					t.Fatal(err)
				}
				before, err := os.Lstat(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := move(a, b); !errors.Is(err, fs.ErrExist) {
					t.Errorf("%v: %v", before.Mode(), err)
				}
				checkFile(t, a, "a")
				if after, err := os.Lstat(b); err != nil || !os.SameFile(before, after) {
					t.Errorf("%v: %v", before.Mode(), err)
				}
				if err := os.Remove(b); err != nil {
					t.Fatal(err)
				}
			}
			if err := move(a, b); err != nil {
				t.Fatal(err)
			}
			checkFile(t, b, "a")
			if _, err := os.Lstat(a); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the old name: %v", err)
			}
			if err := move(a, filepath.Join(dir, "c")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("nothing: %v", err)
			}
		})
	}
}

func look(t *testing.T, path string) Place {
	t.Helper()
	p, err := Look(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRemoveSpares: what is not any more what was looked at stays, under its name.
func TestRemoveSpares(t *testing.T) {
	for name, change := range map[string]func(path, rest string) error{
		"replaced": func(path, rest string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, []byte("a"), 0o600))
		},
		"written on": func(path, rest string) error {
			return os.WriteFile(path, []byte("aa"),
				0o600)
		},
		"the rest gone": func(path, rest string) error { return os.Remove(rest) },
		"the rest cut":  func(path, rest string) error { return os.Truncate(rest, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, rest := filepath.Join(dir, "a"), filepath.Join(dir, "b")
			if err := errors.Join(os.WriteFile(path, []byte("a"), 0o600), os.WriteFile(rest,
				[]byte("a"), 0o600)); err != nil {
				t.Fatal(err)
			}
			p, q := look(t, path), look(t, rest)
			if err := change(path, rest); err != nil {
				t.Fatal(err)
			}
			if err := p.Remove(q); err == nil {
				t.Error("removed")
			}
			if content, err := os.ReadFile(path); err != nil || len(content) == 0 {
				t.Errorf("%q, %v", content, err)
			}
		})
	}
}

func TestRemoveLinkAlone(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"a", path, "nowhere", "b"} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
		if err := look(t, link).Remove(); err != nil {
			t.Error(err)
		}
		checkFile(t, path, "a")
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Error(left)
		}
	}
}

// TestWriterNotOurs: what bears the name of a file that is being written, and is another, is
// neither renamed, cut nor removed.
func TestWriterNotOurs(t *testing.T) {
	for name, end := range map[string]func(w *Writer, dir string) error{
		"close":   func(w *Writer, _ string) error { return w.Close() },
		"discard": func(w *Writer, _ string) error { return w.Discard() },
		"resume": func(w *Writer, dir string) error {
			_, err := Resume(dir, testName, 1, w.Opened())
			return errors.Join(err, w.Abandon())
		},
	} {
		for _, link := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				w, dir := create(t)
				path := filepath.Join(dir, testName+OpenSuffix)
				away := filepath.Join(dir, "away")
				err := os.Rename(path, away)
				if link {
					err = errors.Join(err, os.Symlink(away, path))
				} else {
					err = errors.Join(err, os.WriteFile(path, []byte("other"), 0o600))
				}
				if err != nil {
					t.Fatal(err)
				}
				before := look(t, path)
				if err := end(w, dir); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("got %v", err)
				}
				if now := look(t, path); !os.SameFile(before.Entry, now.Entry) ||
					before.File.Size() != now.File.Size() {
					t.Errorf("%v, was %v", now, before)
				}
			})
		}
	}
}
