package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCollectionName(t *testing.T) {
	for _, name := range []string{"", "../x", "a/b", ".", "..", ".hidden"} {
		f := collectionFlags{Collection: name, Dir: "collections"}
		if path, err := f.dir(); err == nil {
			t.Errorf("%q gives %q", name, path)
		}
	}
}

// TestNoCollection: every command says in the same words that there is no such collection, and
// which ones there are.
func TestNoCollection(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	all := filepath.Join(p.dir, "collections")
	commands := [][]string{{"export"}, {"lookup", "http://a.example/"}, {"gaps"}, {"verify"},
		{"recover"}, {"rebuild"}, {"pause"}, {"resume"}}
	check := func(want string) {
		t.Helper()
		for _, args := range commands {
			out, errs, code := p.run(append(args, "--collection", "none")...)
			if code != 1 || out != "" || !strings.Contains(errs, "there is no collection none: "+want) {
				t.Errorf("%v: %d %q %q, want %q", args, code, out, errs, want)
			}
		}
		if _, err := os.Stat(filepath.Join(all, "none")); err == nil {
			t.Error("it was made")
		}
	}
	none := fmt.Sprintf("nothing was recorded into %s yet: go run . browser URL --collection none --dir %s begins, "+
		"or --dir names another directory", all, all)
	check(none)
	if err := os.MkdirAll(filepath.Join(all, "no-collection"), 0o700); err != nil {
		t.Fatal(err)
	}
	check(none)
	for n := range 11 {
		if n == 2 {
			check(all + " holds news-00, news-01 (--collection names one)")
		}
		if err := os.Mkdir(filepath.Join(all, fmt.Sprintf("news-%02d", n)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(all, fmt.Sprintf("news-%02d", n), "archive"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	check(all + " holds news-00, news-01, news-02, news-03, news-04, news-05, news-06, news-07, " +
		"news-08, news-09 and others (--collection names one)")
}

// TestDirIsFile: a file in the place of the folder is told to be none.
func TestDirIsFile(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(p.dir, "collections"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, errs, code := p.run("record", "--listen", "127.0.0.1:0")
	if code != 1 || !strings.Contains(errs, " (--dir is a folder, in which each collection has its own)\n") {
		t.Errorf("%d %s", code, errs)
	}
}

// TestRepairBesideRecorder: what repairs a collection needs it for itself, and says how to have it.
func TestRepairBesideRecorder(t *testing.T) {
	p := startRecording(t)
	want := fmt.Sprintf(" by process %d at %s: stop it first (Ctrl-C there, or kill -INT %[1]d)\n",
		p.cmd.Process.Pid, p.address)
	for _, command := range []string{"recover", "rebuild"} {
		if _, errs, code := p.run(command); code != 1 || !strings.HasSuffix(errs, want) {
			t.Errorf("%s: %d %q, want %q", command, code, errs, want)
		}
	}
}

// TestExplainPermission: who may not read a collection is told who may.
func TestExplainPermission(t *testing.T) {
	err := explainRead(fmt.Errorf("open index: %w", fs.ErrPermission), "/c/default")
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "as the user who recorded it") {
		t.Error(err)
	}
}

// TestNoCollectionPermission: who may not look is not told that there is none.
func TestNoCollectionPermission(t *testing.T) {
	err := noneOf("/c/default", nil, false, fmt.Errorf("open /c: %w", fs.ErrPermission))
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "as the user who recorded it") ||
		strings.Contains(err.Error(), "there is no") {
		t.Error(err)
	}
}
