package collection

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const hasModes = runtime.GOOS != "windows"

// TestToken: a token is another one each time, for its owner alone, and gone in the end.
func TestToken(t *testing.T) {
	d := newDir(t)
	if _, err := d.Token(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is none: %v", err)
	}
	seen := map[string]bool{}
	for range 3 { // each takes the place of what a crash has left
		made, err := d.MakeToken()
		if err != nil {
			t.Fatal(err)
		}
		if read, err := d.Token(); err != nil || read != made || len(made) != 64 || seen[made] {
			t.Errorf("%q, %v, made %q", read, err, made)
		}
		seen[made] = true
		if info, err := os.Stat(d.token()); err != nil || hasModes && info.Mode() != 0o600 {
			t.Errorf("%v %v", info.Mode(), err)
		}
	}
	if names, _ := os.ReadDir(string(d)); len(names) != 3 {
		t.Errorf("in the directory are %v", names)
	}
	if err := errors.Join(d.DropToken(), d.DropToken()); err != nil { // the second finds nothing to do
		t.Error(err)
	}
	if _, err := d.Token(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was removed: %v", err)
	}
}

// TestTokenAtALink: what lies at the name is replaced, and what it leads to stays as it is.
func TestTokenAtALink(t *testing.T) {
	d := newDir(t)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.WriteFile(elsewhere, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, d.token()); err != nil {
		withoutLinks(t, err)
	}
	if _, err := d.Token(); !errors.Is(err, errNotRegular) {
		t.Errorf("a link is read: %v", err)
	}
	made, err := d.MakeToken()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(elsewhere); string(b) != "mine" || err != nil {
		t.Errorf("%q %v", b, err)
	}
	if read, err := d.Token(); err != nil || read != made {
		t.Errorf("%q %v", read, err)
	}
	if err := d.DropToken(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(elsewhere); err != nil {
		t.Error(err)
	}
}

// TestStrangeToken: what others may read, or no recorder has left, is not taken for a token, and
// the error does not tell it.
func TestStrangeToken(t *testing.T) {
	good := strings.Repeat("0f", 32) + "\n"
	for name, c := range map[string]struct {
		content string
		mode    os.FileMode
	}{
		"group may read":  {good, 0o640},
		"all may read":    {good, 0o604},
		"group may write": {good, 0o620},
		"empty":           {"", 0o600},
		"short":           {good[2:], 0o600},
		"long":            {"0f" + good, 0o600},
		"no end":          {good[:64], 0o600},
		"no hex":          {strings.Repeat("0g", 32) + "\n", 0o600},
		"very long":       {strings.Repeat(good, 1<<20), 0o600},
	} {
		d := newDir(t)
		if c.mode != 0o600 && !hasModes {
			continue
		}
		if err := os.WriteFile(d.token(), []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(d.token(), c.mode); err != nil {
			t.Fatal(err)
		}
		if token, err := d.Token(); err == nil || token != "" || strings.Contains(err.Error(), "0f0f") {
			t.Errorf("%s: %q %v", name, token, err)
		}
	}
	d := newDir(t)
	if err := os.MkdirAll(filepath.Join(d.token(), "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Token(); !errors.Is(err, errNotRegular) {
		t.Errorf("a folder is read: %v", err)
	}
	if _, err := d.MakeToken(); err == nil {
		t.Error("a folder is replaced")
	}
}
