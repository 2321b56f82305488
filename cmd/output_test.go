package cmd

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutRefused: an output that cannot be opened is told as such, not as damage of the collection.
func TestOutRefused(t *testing.T) {
	origin := newPages(t)
	p := startRecording(t)
	p.fetch(origin.URL + "/a")
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	file := filepath.Join(p.dir, "page.wacz")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	nod := filepath.Join(p.dir, "nod")
	for _, of := range []struct{ command, out, said string }{
		{"har", filepath.Join(nod, "x.har"), "the folder " + nod + " is not there"},
		{"wacz", filepath.Join(nod, "x.wacz"), "the folder " + nod + " is not there"},
		{"export", filepath.Join(nod, "x.cdxj"), "the folder " + nod + " is not there"},
		{"har", p.dir, "it is a directory"},
		{"har", filepath.Join(file, "x.har"), file + " is a file, and no folder"},
		{"extract", file, file + " is a file, and no folder"},
		{"extract", filepath.Join(file, "x"), file + " is a file, and no folder"},
	} {
		_, errs, code := p.run(of.command, "-o", of.out)
		if code != 1 || !strings.Contains(errs, of.said) || strings.Contains(errs, "recover") {
			t.Errorf("%s -o %s: %d, %q", of.command, of.out, code, errs)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
	if _, errs, code := p.run("extract", "-o", filepath.Join(nod, "deep")); code != 0 {
		t.Errorf("a folder that can be made is made: %d, %q", code, errs)
	}
}

// TestExplainOut: who may not write somewhere is told where.
func TestExplainOut(t *testing.T) {
	err := explainOut(fmt.Errorf("open: %w", fs.ErrPermission), "/usr")
	if !strings.Contains(err.Error(), "you may not write in /usr") {
		t.Error(err)
	}
}

// TestIsAddress: a word or a number is no address of a page.
func TestIsAddress(t *testing.T) {
	for text, want := range map[string]bool{"nonsense": false, "16112": false, "http://intranet/": true,
		"example.org": true, "localhost:8080/a": true, "[::1]/": true, "a/b.html": false} {
		if got := isAddress(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
