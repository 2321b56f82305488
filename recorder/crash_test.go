package recorder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// died returns a collection as a recorder leaves it that dies at rest: nothing is lost.
func died(t *testing.T) (dir string) {
	t.Helper()
	c := open(t, t.TempDir(), Config{})
	defer c.close()
	if err := c.Announce("127.0.0.1:1", ""); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		c.get(fmt.Sprint("http://example.com/", i))
	}
	eventually(t, "all is in the index", func() bool { return len(c.urls()) == 3 })
	dir = filepath.Join(t.TempDir(), "c")
	if err := os.CopyFS(dir, os.DirFS(c.dir)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestCrashGap: whatever is done to a collection between the death of its recorder and the next
// start, and though nothing was lost, one gap tells of it, and of each later death one more.
func TestCrashGap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		between func(t *testing.T, dir string)
	}{
		{"nothing", func(*testing.T, string) {}},
		{"recover, twice", recoverTwice},
		{"rebuild", rebuildOnly},
		{"rebuild, and recover",
			func(t *testing.T, dir string) { rebuildOnly(t, dir); recoverOnly(t, dir) }},
		{"files of other tools", func(t *testing.T, dir string) {
			if _, err := added(Config{}, dir, nil, false, zerolog.Nop(), nil); err != nil {
				t.Fatal(err)
			}
		}},
		{"the index is lost", loseIndex},
		{"the index is lost, and recover",
			func(t *testing.T, dir string) { loseIndex(t, dir); recoverOnly(t, dir) }},
		{"the index is damaged", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, collection.IndexName), []byte("nonsense"))
		}},
		{"recorder.json is lost",
			func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "recorder.json")) }},
		{"recorder.json is empty",
			func(t *testing.T, dir string) { write(t, filepath.Join(dir, "recorder.json"), nil) }},
		{"the index is from before", func(t *testing.T, dir string) {
			other := open(t, t.TempDir(), Config{})
			other.close()
			index, err := os.ReadFile(filepath.Join(other.dir, collection.IndexName))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, collection.IndexName), index)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			begun := time.Now()
			dir := died(t)
			c.between(t, dir)
			for range 2 { // the second one after a clean end
				r := open(t, dir, Config{})
				gaps, err := r.Gaps(0)
				if err != nil || gaps.Counts[recovery.GapCrash] != 1 || len(gaps.Latest) != 1 {
					t.Fatalf("%+v, %v", gaps, err)
				}
				g := gaps.Latest[0]
				if g.Time.Before(begun.Add(-time.Millisecond)) || g.Until.Before(g.Time) ||
					g.Until.After(time.Now()) ||
					!strings.Contains(g.Detail, "nothing had to be cut off, no file is missing") {
					t.Errorf("%+v", g)
				}
				r.close()
			}
			if _, err := os.Stat(filepath.Join(dir, "recorder.json")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("recorder.json: %v", err)
			}
		})
	}
}

// TestCrashGapSays: the gap says what was cut off and which files are missing.
func TestCrashGapSays(t *testing.T) {
	dir := died(t)
	index, err := store.Open(filepath.Join(dir, collection.IndexName), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lost, err := index.AddFile("lost.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	lost.Committed, lost.Sealed = 1000, true
	if err := errors.Join(index.Commit(nil, []store.File{lost}), index.Close()); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "archive", "*"+warc.OpenSuffix))
	content, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	write(t, names[0], append(content, make([]byte, 1234)...))
	recoverOnly(t, dir)
	if index, err = store.OpenReadOnly(filepath.Join(dir, collection.IndexName)); err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	gaps, err := index.Gaps(0)
	if err != nil || len(gaps.Latest) != 2 ||
		!strings.Contains(gaps.Latest[0].Detail, "1.2 kB of no whole exchange were cut off") ||
		!strings.Contains(gaps.Latest[0].Detail,
			"missing or too short: lost.warc.gz") || gaps.Latest[1].Reason != recovery.GapMissing {
		t.Errorf("%+v, %v", gaps, err)
	}
}

// TestCleanEnd: a recorder that comes to its end leaves no sign of a crash, and one that cannot
// write the end to its index leaves one.
func TestCleanEnd(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir(), Config{})
	if err := c.Announce("127.0.0.1:1", ""); err != nil {
		t.Fatal(err)
	}
	c.get("http://example.com/")
	c.close()
	c = open(t, c.dir, Config{})
	if gaps, err := c.Gaps(0); err != nil || len(gaps.Counts) != 0 {
		t.Errorf("%+v, %v", gaps, err)
	}
	if err := c.Announce("127.0.0.1:1", ""); err != nil {
		t.Fatal(err)
	}
	index, taken := filepath.Join(c.dir, collection.IndexName), filepath.Join(t.TempDir(), "taken")
	if err := os.Rename(index, taken); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the recorder misses its index", func() bool { return c.Ready() != nil })
	c.close()
	c = open(t, c.dir, Config{})
	defer c.close()
	if gaps, err := c.Gaps(0); err != nil || gaps.Counts[recovery.GapCrash] != 1 {
		t.Errorf("with the index taken away: %+v, %v", gaps, err)
	}
}

// TestMissingGap: a WARC file that is taken away, while it is written or between two runs, or is
// cut, is a gap: one, until it has been back.
func TestMissingGap(t *testing.T) {
	t.Parallel()
	count := func(t *testing.T, c *recording, want int64) {
		t.Helper()
		gaps, err := c.Gaps(0)
		if err != nil || gaps.Counts[recovery.GapMissing] != want {
			t.Errorf("%+v, %v, want %d", gaps, err, want)
		}
	}
	t.Run("while it is written", func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		c.get("http://example.com/")
		eventually(t, "it is in the index", func() bool { return len(c.urls()) == 1 })
		for _, name := range c.Status().OpenFiles {
			if err := os.Remove(filepath.Join(c.dir, "archive", name+warc.OpenSuffix)); err != nil {
				t.Fatal(err)
			}
		}
		c.get("http://example.com/2")
		eventually(t, "the next one is in the index", func() bool { return len(c.urls()) == 2 })
		count(t, c, 1)
		c.close()
		c = open(t, c.dir, Config{})
		defer c.close()
		count(t, c, 1)
	})
	for name, harm := range map[string]func(path string) error{
		"between two runs": os.Remove,
		"cut":              func(path string) error { return os.Truncate(path, 10) },
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, t.TempDir(), Config{})
			c.get("http://example.com/")
			c.close()
			files, _ := filepath.Glob(filepath.Join(c.dir, "archive", "*.warc.gz"))
			content, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			for i := range int64(2) {
				if err := harm(files[0]); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					c = open(t, c.dir, Config{})
					count(t, c, i+1)
					c.close()
				}
				write(t, files[0], content) // it is put back
				recoverOnly(t, c.dir)
			}
		})
	}
}

// TestLateExchange: an exchange that ends after the recorder was closed is a gap, or in the log as
// one.
func TestLateExchange(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	x := c.begin("http://example.com/late", "GET / HTTP/1.1\r\n\r\n",
		page(200, "text/html", "", "late"))
	c.close()
	x.Commit()
	if n := c.log.count("a gap that is not in the list", GapWrite, "http://example.com/late"); n != 1 {
		t.Errorf("%d lines", n)
	}
}
