package cmd

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	goFile   = regexp.MustCompile(`[a-z0-9_]+\.go`)
	testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	testName = regexp.MustCompile(`^Test[A-Z]\w+$`)

	place = regexp.MustCompile(`^[a-z][a-z0-9_]*/([a-z0-9_/.-]*\.go|[a-z0-9_/.-]*/|)$`)
)

// TestDesignTree: the tree of doc/design.md has every room, but for those that only tests use, and
// the files in it are there.
func TestDesignTree(t *testing.T) {
	tree := fenced.FindString(pageOf(t, "doc/design.md").text)
	drawn := map[string]bool{".": true}
	for line := range strings.Lines(tree) {
		words := strings.Fields(line)
		if !strings.HasSuffix(words[0], "/") {
			continue
		}
		name := strings.TrimSuffix(words[0], "/")
		drawn[name] = true
		if roomAt(name) < 0 {
			t.Errorf("doc/design.md shows %s, which is no room", name)
		}
		files := goFile.FindAllString(line, -1)
		if len(files) == 0 {
			t.Errorf("doc/design.md names no file of %s to begin with", name)
		}
		for _, file := range files {
			if _, err := os.Stat(filepath.Join(top, name, file)); err != nil {
				t.Errorf("doc/design.md: %v", err)
			}
		}
	}
	for _, r := range house {
		if !drawn[r.name] && !strings.HasSuffix(r.reason, "for tests") {
			t.Errorf("doc/design.md does not show %s", r.name)
		}
	}
}

// TestDocsTests: the tests that pages name are there.
func TestDocsTests(t *testing.T) {
	have := map[string]bool{}
	eachTest(t, func(text []byte) {
		for _, found := range testFunc.FindAllSubmatch(text, -1) {
			have[string(found[1])] = true
		}
	})
	for _, p := range readPages(t) {
		for _, code := range p.code {
			if testName.MatchString(code) && !have[code] {
				t.Errorf("%s: there is no %s", p.name, code)
			}
		}
	}
}

// eachTest calls f with the text of each file of tests.
func eachTest(t *testing.T, f func(text []byte)) {
	t.Helper()
	for _, r := range house {
		names, err := filepath.Glob(filepath.Join(top, r.name, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f(text)
		}
	}
}

// TestDocsPlaces: the files and folders of the program that pages name are there.
func TestDocsPlaces(t *testing.T) {
	known := map[string]bool{"spill/": true, "archive/": true, "testdata/": true, "collections/": true}
	for _, p := range readPages(t) {
		for _, code := range p.code {
			if !place.MatchString(code) || known[code] {
				continue
			}
			if _, err := os.Stat(filepath.Join(top, filepath.FromSlash(path.Clean(code)))); err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
		}
	}
}
