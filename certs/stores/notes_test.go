package stores

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNotes: a note is there until it is dropped, and what was first said of before counts.
func TestNotes(t *testing.T) {
	cert, _ := ourRoot(t)
	dir := Notes(filepath.Join(t.TempDir(), "below", "trusted"))
	if all, err := dir.All(); err != nil || len(all) != 0 {
		t.Errorf("before the first: %v, %v", all, err)
	}
	first := Note{Certificate: cert.Raw, Store: "nss:/a", Was: "p,,", Added: time.Now().UTC()}
	again, other := first, first
	again.Was, other.Store = "C,,", "nss:/b"
	for _, note := range []Note{first, again, other} {
		if err := dir.Write(note); err != nil {
			t.Fatal(err)
		}
	}
	all, err := dir.All()
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, note := range all {
		if got, err := note.Cert(); err != nil || !got.Equal(cert) || note.Was != "p,," {
			t.Errorf("%+v, %v", note, err)
		}
	}
	for _, note := range []Note{first, first, other} {
		if err := dir.Drop(note); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(string(dir)); err == nil {
		t.Error("the directory stays behind the last note")
	}
}

// TestDamagedNote: what is no note is told of by its name, and read up to its bound.
func TestDamagedNote(t *testing.T) {
	for name, text := range map[string]string{
		"half a note":    `{"certificate": "MII`,
		"no certificate": `{"certificate": "AAAA", "store": "nss:/a"}`,
		"too long":       `{"certificate": "", "store": "` + strings.Repeat("x", maxNote) + `"}`,
	} {
		dir := Notes(t.TempDir())
		file := filepath.Join(string(dir), "0.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if all, err := dir.All(); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v, %v", name, all, err)
		}
	}
}

// TestNoted: a note leads to a database that its account no longer has among its own.
func TestNoted(t *testing.T) {
	mine := []Store{Database{"Chromium", "/a"}, WindowsRoots{}}
	if store, is := Noted("nss:/b", mine); !is || store.ID() != "nss:/b" {
		t.Errorf("%v, %t", store, is)
	}
	for _, id := range []string{"nss:/a", "windows:CurrentUser", "keychain:/x", ""} {
		if store, is := Noted(id, mine); is {
			t.Errorf("%s leads to %v", id, store)
		}
	}
}
