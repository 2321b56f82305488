//go:build unix

package cmd

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"warcorder/store"
	"warcorder/store/collection"
)

// TestNewerCollection: a collection that a later version has written is refused by each command with
// a sentence, and is the same to the byte afterwards.
func TestNewerCollection(t *testing.T) {
	wacz := filepath.Join(t.TempDir(), "pages.wacz")
	waczOf(t, wacz, warcsOf("a.warc.gz"), pageLine)
	raised := map[string]func(testing.TB, collection.Dir){
		fmt.Sprintf("layout %d", collection.Layout+1): func(t testing.TB, dir collection.Dir) {
			writeText(t, filepath.Join(string(dir), "layout"), fmt.Sprintln(collection.Layout+1))
		},
		fmt.Sprintf("index format %d", store.Format+1): raiseFormat,
	}
	for what, raise := range raised {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := unpackLayout(t, filepath.Join(layouts, "1.2"), "killed")
			dir := collection.Dir(filepath.Join(p.dir, "collections", "default"))
			raise(t, dir)
			before := bytesOf(t, string(dir))
			for _, args := range openers(p.dir, wacz, firstWARC(t, dir)) {
				out, errs, code := p.run(args...)
				if code == 0 || !strings.Contains(errs, "this collection was written by a newer warcorder ("+what) ||
					!strings.Contains(errs, "use that version") {
					t.Errorf("%v: exit status %d\n%s%s", args, code, out, errs)
				}
				if after := bytesOf(t, string(dir)); after != before {
					t.Fatalf("%v has changed the collection: before\n%s\nafter\n%s", args, before, after)
				}
			}
		})
	}
}

// openers are all commands that open a collection.
func openers(dir, wacz, file string) [][]string {
	const url = "http://example.com/"
	return [][]string{
		{"record", "--listen", "127.0.0.1:0"},
		{"browser", "--headless", "--listen", "127.0.0.1:0", url},
		{"capture", "--listen", "127.0.0.1:0", url},
		{"run", "--dir", filepath.Join(dir, "collections"), "--listen", "127.0.0.1:0", "true"},
		{"replay", "--listen", "127.0.0.1:0"},
		{"serve", "--listen", "127.0.0.1:0", "--collection", "default"},
		{"export"},
		{"export", "-o", filepath.Join(dir, "lines")},
		{"push", "--to", "outbackcdx", "http://127.0.0.1:9/index"},
		{"upload", "s3://archive/news"},
		{"extract", "--url", url, "-o", filepath.Join(dir, "extract")},
		{"har", "-o", filepath.Join(dir, "har")},
		{"wacz", "-o", filepath.Join(dir, "all.wacz")},
		{"lookup", url},
		{"pages"},
		{"report", "--page", url},
		{"gaps"},
		{"status"},
		{"rotate"},
		{"recover"},
		{"rebuild"},
		{"verify"},
		{"import", wacz},
		{"remove", "--url", url, "--yes"},
		{"index", file},
	}
}

// TestOpeners: each command that has a collection is among the openers, but for those that ask its
// recorder and open nothing.
func TestOpeners(t *testing.T) {
	parser, err := newParser(new(commandLine))
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"config", "pause", "reload", "resume"}
	for _, args := range openers("", "", "") {
		known = append(known, args[0])
	}
	for _, command := range parser.Model.Children {
		for _, flag := range command.Flags {
			if flag.Name == "collection" && !slices.Contains(known, command.Name) {
				t.Errorf("%s is not tried on the collection of a newer version", command.Name)
			}
		}
	}
}

// TestRebuildOfNewer: the WARC files of a later version are WARC files: what is in them has an index
// in a collection of their own.
func TestRebuildOfNewer(t *testing.T) {
	t.Parallel()
	p := unpackLayout(t, filepath.Join(layouts, "1.2"), "closed")
	collections := filepath.Join(p.dir, "collections")
	dir := collection.Dir(filepath.Join(collections, "default"))
	raiseFormat(t, dir)
	writeText(t, filepath.Join(string(dir), "layout"), "2\n")
	copied := filepath.Join(collections, "copied")
	if err := os.CopyFS(filepath.Join(copied, "archive"), os.DirFS(dir.Archive())); err != nil {
		t.Fatal(err)
	}
	p.done("rebuild", "--collection", "copied")
	p.done("verify", "--quiet", "--collection", "copied")
	want, err := os.ReadFile(filepath.Join(layouts, "1.2", "expected", "closed.export"))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.done(append(shownBy["export"], "--collection", "copied")...); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// firstWARC returns the path of a WARC file of the collection.
func firstWARC(t *testing.T, dir collection.Dir) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir.Archive(), "*.warc.gz"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	return files[0]
}

// raiseFormat gives the index of a collection the next format.
func raiseFormat(t testing.TB, dir collection.Dir) {
	db, err := bbolt.Open(dir.Index(), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("meta")).Put([]byte("format"),
			binary.BigEndian.AppendUint32(nil, store.Format+1))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// bytesOf lists all that is below a directory, with the time and the hash of each file.
func bytesOf(t *testing.T, dir string) string {
	t.Helper()
	var list strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprint(&list, path, " ", info.Mode())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&list, " %d %x", info.ModTime().UnixNano(), sha256.Sum256(content))
		}
		fmt.Fprintln(&list)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list.String()
}
