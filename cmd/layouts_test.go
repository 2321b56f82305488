//go:build unix

package cmd

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warcorder/store"
	"warcorder/store/collection"
)

// layouts holds a folder for each layout that a collection has had, LAYOUT.FORMAT with the number of
// its directory and that of its index, and a word behind it where there are several:
//
//	closed.tar.gz   a collection whose recorder has come to its end, with all that commands leave
//	killed.tar.gz   one whose recorder was killed while it recorded
//	expected/       what the commands of shownBy said of each when it was made
//
// What is there stays as it is. layoutmake_test.go makes a new one.
const layouts = "testdata/layouts"

var update = flag.Bool("update", false, "write what is expected and not kept in testdata yet")

// shownBy are the commands whose output is the same for ever, whoever made the collection. An index
// of the past has no pages: they are those of one that was made anew.
var shownBy = map[string][]string{
	"export": {"export", "--all", "-o", "-"},
	"gaps":   {"gaps", "--json"},
	"pages":  {"pages", "--json"},
}

// What the recovery of a collection decides, and not the collection: until when a crash has lasted,
// and where what was in flight (/held) is written then.
var (
	lasted = regexp.MustCompile(`(?m)^ *"until": .*\n`)
	heldAt = regexp.MustCompile(`(?m)^(\S*\)/held .*"digest":"[^"]*").*$`)
)

// layoutFolders returns the names of all folders.
func layoutFolders(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(layouts)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names
}

// TestLayoutIsKept: the layout that this program writes has a folder.
func TestLayoutIsKept(t *testing.T) {
	want := fmt.Sprintf("%d.%d", collection.Layout, store.Format)
	if !slices.Contains(layoutFolders(t), want) {
		t.Errorf("no collection of the layout %s is kept: layoutmake_test.go says how one is made", want)
	}
}

// TestLayouts: a collection of each layout is whole for this program, has the lines that it had, also
// when its index was made anew, and takes new ones.
func TestLayouts(t *testing.T) {
	for _, name := range layoutFolders(t) {
		for _, state := range []string{"closed", "killed"} {
			t.Run(name+" "+state, func(t *testing.T) {
				t.Parallel()
				p := unpackLayout(t, filepath.Join(layouts, name), state)
				if state == "killed" {
					p.done("recover")
				}
				expected := filepath.Join(layouts, name, "expected", state)
				p.isAsExpected(t, expected, "export", "gaps")
				p.done("rebuild")
				p.isAsExpected(t, expected, "export", "gaps", "pages")
				p.goesOn(t)
			})
		}
	}
}

// unpackLayout is a program with a copy of a collection that is kept.
func unpackLayout(t *testing.T, folder, state string) *program {
	t.Helper()
	p := &program{t: t, dir: t.TempDir()}
	if err := untar(filepath.Join(folder, state+".tar.gz"), p.dir); err != nil {
		t.Fatal(err)
	}
	return p
}

// untar unpacks an archive of files and directories that we have made.
func untar(path, to string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	in := tar.NewReader(unzipped)
	for {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := unpackOne(head, in, filepath.Join(to, filepath.FromSlash(head.Name))); err != nil {
			return err
		}
	}
}

func unpackOne(head *tar.Header, in io.Reader, path string) error {
	if head.Typeflag == tar.TypeDir {
		return os.MkdirAll(path, 0o700)
	}
	content, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, fs.FileMode(head.Mode).Perm())
}

// isAsExpected holds the collection against what was kept of it.
func (p *program) isAsExpected(t *testing.T, prefix string, shown ...string) {
	t.Helper()
	p.done("verify", "--quiet")
	for _, name := range shown {
		path := prefix + "." + name
		got := p.done(shownBy[name]...)
		if strings.HasSuffix(prefix, "killed") {
			got = lasted.ReplaceAllString(heldAt.ReplaceAllString(got, "$1}"), "")
		}
		want, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && *update {
			want, err = []byte(got), os.WriteFile(path, []byte(got), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// goesOn records one more exchange, which is found beside all others.
func (p *program) goesOn(t *testing.T) {
	t.Helper()
	before := strings.Count(p.done(shownBy["export"]...), "\n")
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "and it goes on")
	}))
	defer origin.Close()
	recorder := startRecordingIn(t, p.dir)
	recorder.fetch(origin.URL + "/goes/on")
	if code := recorder.stop(); code != 0 {
		t.Errorf("the recorder ended with %d: %s", code, recorder.stderr)
	}
	if found := p.done("lookup", origin.URL+"/goes/on"); !strings.Contains(found, "/goes/on") {
		t.Errorf("lookup: %s", found)
	}
	if after := strings.Count(p.done(shownBy["export"]...), "\n"); after != before+1 {
		t.Errorf("%d captures, and %d before", after, before)
	}
	p.done("verify", "--quiet")
}
