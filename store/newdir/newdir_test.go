package newdir

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warcorder/store/collection"
)

// tree returns what is below a directory.
func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && path != dir {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func write(t *testing.T, d *Dir, name string) *File {
	t.Helper()
	f, err := d.Create(name)
	if err == nil {
		_, err = f.Write([]byte(name))
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestWhole: a directory appears with all that is in it, also where an empty one is; before that, and
// where it is given up, nothing is there.
func TestWhole(t *testing.T) {
	for name, prepare := range map[string]func(path string) error{
		"not there": func(string) error { return nil },
		"empty":     func(path string) error { return os.MkdirAll(path, 0o755) },
	} {
		for _, published := range []bool{true, false} {
			top := t.TempDir()
			path := filepath.Join(top, "deep", "dir")
			if err := prepare(path); err != nil {
				t.Fatal(err)
			}
			before := tree(t, top)
			d, err := Begin(path, collection.DefaultMode)
			if err != nil {
				t.Fatal(name, err)
			}
			first := write(t, d, "a/b=c/one")
			second := write(t, d, "two")
			if left, err := os.ReadDir(path); err == nil && len(left) > 0 {
				t.Errorf("%s: %v before it is whole", name, left)
			}
			want := before
			if published {
				if err := first.Close(); err != nil {
					t.Fatal(err)
				}
				if err := second.Close(); err != nil {
					t.Fatal(err)
				}
				if err := d.Publish(); err != nil {
					t.Fatal(name, err)
				}
				want = []string{"deep", "deep/dir", "deep/dir/a", "deep/dir/a/b=c", "deep/dir/a/b=c/one",
					"deep/dir/two"}
			}
			if err := d.End(); err != nil {
				t.Fatal(err)
			}
			if got := tree(t, top); !slices.Equal(got, want) {
				t.Errorf("%s, published %v: %v", name, published, got)
			}
		}
	}
}

// TestTaken: what is there is left as it is, whether it was there before or has come meanwhile.
func TestTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dir")
	d, err := Begin(path, collection.DefaultMode)
	if err != nil {
		t.Fatal(err)
	}
	defer d.End()
	for _, make := range []func() error{
		func() error { return os.WriteFile(path, []byte("kept"), 0o600) },
		func() error { return os.MkdirAll(filepath.Join(path, "kept"), 0o755) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		before := tree(t, filepath.Dir(path))
		if err := d.Publish(); err == nil || !strings.Contains(err.Error(), "is there already") {
			t.Errorf("published over what is there: %v", err)
		}
		if _, err := Begin(path, collection.DefaultMode); err == nil ||
			!strings.Contains(err.Error(), "is there already") {
			t.Errorf("begun over what is there: %v", err)
		}
		if after := tree(t, filepath.Dir(path)); !slices.Equal(before, after) {
			t.Errorf("%v, not %v", after, before)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTwo: two that are written beside each other do not disturb each other.
func TestTwo(t *testing.T) {
	top := t.TempDir()
	first, err := Begin(filepath.Join(top, "first"), collection.DefaultMode)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Begin(filepath.Join(top, "second"), collection.DefaultMode)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.End(); err != nil {
		t.Fatal(err)
	}
	if err := write(t, second, "file").Close(); err != nil {
		t.Fatal(err)
	}
	if err := second.Publish(); err != nil {
		t.Fatal(err)
	}
	if err := second.End(); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, top); !slices.Equal(got, []string{"second", "second/file"}) {
		t.Error(got)
	}
}
