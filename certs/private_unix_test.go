//go:build unix

package certs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIsFor: whose key may be used, by its mode, its owner and its group. The process is user 65532,
// of the groups 65532 and 2000.
func TestIsFor(t *testing.T) {
	for name, c := range map[string]struct {
		mode         fs.FileMode
		owner, group int
		want         bool
	}{
		"our own":                                  {0o600, 65532, 65532, true},
		"our own, which nobody writes":             {0o400, 65532, 65532, true},
		"our own, the group reads":                 {0o640, 65532, 65532, false},
		"our own, all read":                        {0o644, 65532, 65532, false},
		"a secret with fsGroup":                    {0o440, 0, 2000, true},
		"a secret with fsGroup, which root writes": {0o640, 0, 65532, true},
		"a secret of another group":                {0o440, 0, 1000, false},
		"a secret without fsGroup":                 {0o644, 0, 0, false},
		"a secret with fsGroup, all read":          {0o644, 0, 2000, false},
		"a secret that the group writes":           {0o660, 0, 2000, false},
		"root's alone":                             {0o400, 0, 0, true}, // which is not read anyway
	} {
		t.Run(name, func(t *testing.T) {
			if got := isFor(c.mode, c.owner, c.group, 65532, []int{2000, 65532}); got != c.want {
				t.Errorf("%04o of %d:%d: %t", c.mode, c.owner, c.group, got)
			}
		})
	}
}

// TestMountedSecret: an authority is read from files as a mounted secret has them: by symbolic links
// in folders that nobody writes, the key another user's and readable for the group.
func TestMountedSecret(t *testing.T) {
	root := issue(t, "root", newEC(t), nil, nil)
	certs, key := writeOwn(t, root)
	volume := t.TempDir()
	data := filepath.Join(volume, "..2026_01_01")
	if err := os.Mkdir(data, 0o750); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{"tls.crt": certs, "tls.key": key} {
		link(t, from, filepath.Join(data, name))
		symlink(t, filepath.Join("..data", name), filepath.Join(volume, name))
	}
	symlink(t, filepath.Base(data), filepath.Join(volume, "..data"))
	if err := os.Chmod(key, 0o440); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // as root is, who alone gives files away
		if err := os.Chown(key, 12345, os.Getegid()); err != nil {
			t.Fatal(err)
		}
	} else if err := os.Chmod(key, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(data, 0o550); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(data, 0o750) })
	cert, secret := filepath.Join(volume, "tls.crt"), filepath.Join(volume, "tls.key")
	if a, err := OpenOwn(cert, secret); err != nil || a.Name() != "root" {
		t.Fatalf("%v", err)
	}
	if err := os.Chmod(key, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenOwn(cert, secret); err == nil || !strings.Contains(err.Error(), "defaultMode") {
		t.Errorf("all read it: %v", err)
	}
}

// TestMountedFolder: the same for a ca-dir, whose folder ca is a link into the secret; nothing is
// written beside it.
func TestMountedFolder(t *testing.T) {
	made, volume := t.TempDir(), t.TempDir()
	root := open(t, made)
	data := filepath.Join(volume, "..2026_01_01", rootDir)
	if err := os.MkdirAll(data, 0o750); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{certFile, keyFile} {
		link(t, filepath.Join(made, rootDir, name), filepath.Join(data, name))
	}
	symlink(t, "..2026_01_01", filepath.Join(volume, "..data"))
	symlink(t, filepath.Join("..data", rootDir), filepath.Join(volume, rootDir))
	key := filepath.Join(data, keyFile)
	if err := os.Chmod(key, 0o400); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(key, 12345, os.Getegid()); err != nil {
			t.Fatal(err)
		}
		os.Chmod(key, 0o440)
	}
	before, err := os.ReadDir(volume)
	if err != nil {
		t.Fatal(err)
	}
	os.Chmod(volume, 0o550)
	t.Cleanup(func() { os.Chmod(volume, 0o750) })
	if a, err := Open(volume); err != nil || !a.Equal(root) {
		t.Fatalf("%v", err)
	}
	if after, err := os.ReadDir(volume); err != nil || len(after) != len(before) {
		t.Errorf("%v became %v: %v", before, after, err)
	}
}

func link(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Link(from, to); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}
