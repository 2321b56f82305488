//go:build unix

package collection

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMode(t *testing.T) {
	for text, want := range map[string]Mode{
		"0600": 0o600, "600": 0o600, "0o640": 0o640, "640": 0o640, "0664": 0o664, "0644": 0o644,
	} {
		var m Mode
		if err := m.UnmarshalText([]byte(text)); err != nil || m != want {
			t.Errorf("%s: %o, %v", text, m, err)
		}
		again, err := m.MarshalText()
		if err != nil || m.UnmarshalText(again) != nil || m != want {
			t.Errorf("%s: %s, %v", text, again, err)
		}
	}
	for text, want := range map[string]string{
		"": "is no mode", "u=rw": "is no mode", "0x180": "is no mode", "00600": "is no mode",
		"60": "is no mode", "-600": "is no mode",
		"4600": "is no mode", "rw-r--r--": "is no mode", "384": "is no mode", // 0600 in decimal
		"416":  "owner", // 0640 in decimal
		"0400": "owner", "0040": "owner", "0750": "executed", "0666": "everybody", "0602": "everybody",
	} {
		var m Mode
		if err := m.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %o, %v, want %q", text, m, err, want)
		}
	}
}

// TestModeSet: a file gets its mode whatever the umask is, a directory lets those enter who may
// read, and hands its group on; what replaces a file keeps that one's.
func TestModeSet(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		mode      Mode
		file, dir fs.FileMode
	}{{0, 0o600, 0o700}, {0o640, 0o640, 0o750}, {0o664, 0o664, 0o775}, {0o644, 0o644, 0o755}} {
		path := filepath.Join(dir, c.file.String(), "a", "b")
		if err := c.mode.MakeDir(path); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(path, "file")
		if err := errors.Join(os.WriteFile(file, nil, 0o600), c.mode.Set(file)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Chmod(path, 0o700|fs.ModeSetgid), c.mode.Set(path)); err != nil {
			t.Fatal(err)
		}
		for at, want := range map[string]fs.FileMode{
			file: c.file, filepath.Dir(path): c.dir | fs.ModeDir, path: c.dir | fs.ModeDir | fs.ModeSetgid,
		} {
			if info, err := os.Stat(at); err != nil || info.Mode() != want {
				t.Errorf("%s is %v, want %v, %v", at, info.Mode(), want, err)
			}
		}
		if got := Mode(0o600).Of(file); got != Mode(c.file) {
			t.Errorf("what is there has %v", got)
		}
	}
	if got := Mode(0o640).Of(filepath.Join(dir, "none")); got != 0o640 {
		t.Errorf("what is not there has %v", got)
	}
	if err := DefaultMode.Set(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
