package collection

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type note struct{ Key string }

// TestAwayNotes: what is noted of a file is read again; nothing else in the folder is taken for a note.
func TestAwayNotes(t *testing.T) {
	d := newDir(t)
	if names, stale, err := d.Away(); names != nil || stale != nil || err != nil {
		t.Errorf("of a collection without notes: %v %v %v", names, stale, err)
	}
	for _, path := range []string{d.AwayNote("a.warc.gz"), d.AwayNote("b.warc"), d.StaleNote("c.warc.gz"),
		d.UploadNote("d.warc.gz"), d.AwayNote("no WARC file")} {
		if err := d.WriteNote(path, 0o640, note{filepath.Base(path)}); err != nil {
			t.Fatal(err)
		}
	}
	names, stale, err := d.Away()
	if !slices.Equal(names, []string{"a.warc.gz", "b.warc"}) || !slices.Equal(stale, []string{"c.warc.gz"}) ||
		err != nil {
		t.Errorf("%v, stale %v, %v", names, stale, err)
	}
	var read note
	if err := d.ReadNote(d.StaleNote("c.warc.gz"), &read); read.Key != "c.warc.gz.stale" || err != nil {
		t.Errorf("%+v, %v", read, err)
	}
	for range 2 { // the second time there is none
		if err := d.DropNote(d.AwayNote("a.warc.gz")); err != nil {
			t.Error(err)
		}
	}
	if err := d.ReadNote(d.AwayNote("a.warc.gz"), &read); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that was dropped: %v", err)
	}
}

// TestAwayNotesWrong: what somebody has put there is an error that names the file, and costs no more
// memory than a note has.
func TestAwayNotesWrong(t *testing.T) {
	d := newDir(t)
	path := d.AwayNote("a.warc.gz")
	if err := d.WriteNote(path, 0o600, note{}); err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func() error{
		"no JSON":  func() error { return os.WriteFile(path, []byte("{"), 0o600) },
		"too long": func() error { return os.WriteFile(path, []byte(strings.Repeat(" ", maxNote+1)+"{}"), 0o600) },
		"a folder": func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		if err := put(); err != nil {
			t.Fatal(err)
		}
		if err := d.ReadNote(path, &note{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		os.Remove(path)
		os.WriteFile(path, nil, 0o600)
	}
}
