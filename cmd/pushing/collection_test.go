package pushing

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/delta"
)

// testCollection is the index of a collection of which no WARC file is there.
type testCollection struct {
	t     *testing.T
	dir   collection.Dir
	index *store.Bolt

	mu   sync.Mutex
	told []string // sent and stale
}

func newCollection(t *testing.T) *testCollection {
	t.Helper()
	c := &testCollection{t: t, dir: collection.Dir(filepath.Join(t.TempDir(), "news"))}
	if err := os.MkdirAll(c.dir.Archive(), 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.index, err = store.Open(c.dir.Index(), store.Options{NoSync: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.index.Close() })
	return c
}

// add adds captures to a file, which is finished then or not.
func (c *testCollection) add(file string, n int, finished bool) {
	c.t.Helper()
	f, known := c.index.File(file)
	if !known {
		var err error
		if f, err = c.index.AddFile(file); err != nil {
			c.t.Fatal(err)
		}
	}
	captures := make([]store.Capture, n)
	for i := range captures {
		offset := f.Committed + int64(i)
		captures[i] = store.Capture{
			URLKey: fmt.Sprintf("com,example)/%06d", offset), URL: fmt.Sprintf("https://example.com/%06d", offset),
			Time: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), Status: 200, MIME: "text/html",
			Location: store.Location{File: file, Offset: offset, Length: 1},
		}
	}
	f.Committed, f.Sealed = f.Committed+int64(n), finished
	if err := c.index.Commit(captures, []store.File{f}); err != nil {
		c.t.Fatal(err)
	}
}

// lines is a Source.
func (c *testCollection) lines(ctx context.Context, w io.Writer, ask delta.Ask, began func(delta.Token)) (
	done delta.Done, err error) {
	d, err := delta.Begin(c.dir, c.index, store.Query{Context: ctx}, ask)
	if err != nil {
		return done, err
	}
	defer d.Close()
	began(d.Token())
	return d.Write(w, nil)
}

func (c *testCollection) isEmpty(_ context.Context, ask delta.Ask) (bool, error) {
	d, err := delta.Begin(c.dir, c.index, store.Query{}, ask)
	if err != nil {
		return false, err
	}
	return d.IsEmpty(), d.Close()
}

// token is that of all that there is.
func (c *testCollection) token() delta.Token {
	c.t.Helper()
	d, err := delta.Begin(c.dir, c.index, store.Query{}, delta.Ask{})
	if err != nil {
		c.t.Fatal(err)
	}
	defer d.Close()
	return d.Token()
}

// exported are the lines of an export, by file.
func (c *testCollection) exported() (rows []string) {
	c.t.Helper()
	var text strings.Builder
	if _, err := c.index.Export(&text, store.Query{}, nil); err != nil {
		c.t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		rows = append(rows, rowOf(c.t, line))
	}
	slices.Sort(rows)
	return rows
}

// push is what is pushed to a target; what is told of it is in told.
func (c *testCollection) push(target Target) *Push {
	return &Push{
		Target: target, Source: c.lines, Kept: c.dir.PushToken(target.ID()), Mode: 0o600, Name: c.dir.Name(),
		Version: "1", TempDir: c.t.TempDir(),
		Sent: func(s Sent) {
			c.tell(fmt.Sprintf("%d lines, %d parts, %d dropped", s.Lines, s.Parts, s.Dropped))
		},
		Stale: func(why string) { c.tell(why) },
	}
}

func (c *testCollection) tell(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, text)
}

// last is what was told last.
func (c *testCollection) last() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.told) == 0 {
		return ""
	}
	return c.told[len(c.told)-1]
}
