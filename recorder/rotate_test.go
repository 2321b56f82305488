package recorder

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"warcorder/proxy/raced"
	"warcorder/store/warc"
)

// rotate finishes the open files, which must succeed, and checks that none of them is open.
func (c *recording) rotate() []string {
	c.t.Helper()
	files, err := c.Rotate(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	c.checkFinished(files)
	return files
}

// checkFinished: the files have their final names alone, and the index knows that.
func (c *recording) checkFinished(files []string) {
	c.t.Helper()
	for _, name := range files {
		path := filepath.Join(c.dir, "archive", name)
		if _, err := os.Stat(path); err != nil {
			c.t.Error(err)
		}
		if _, err := os.Stat(path + warc.OpenSuffix); err == nil {
			c.t.Errorf("%s ends in %s too", name, warc.OpenSuffix)
		}
		if f, known := c.index.File(name); !known || !f.Sealed {
			c.t.Errorf("%s: %+v", name, f)
		}
	}
}

// filesOf are the files that have the captures of URLs.
func (c *recording) filesOf() map[string]string {
	files := make(map[string]string)
	for _, r := range readBack(c.t, c.dir) {
		files[r.header.Get("WARC-Target-URI")] = r.file
	}
	return files
}

// TestRotate: what was committed is in the files that are named, which are finished; what comes
// then begins the next files. Nothing open is no error.
func TestRotate(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	if files := c.rotate(); len(files) != 0 {
		t.Errorf("nothing is open, and %q were finished", files)
	}
	c.get("http://example.com/small")
	c.commit("http://example.com/large", exampleRequest,
		page(200, "text/html", "", randomText(raced.Of(100)<<20)))
	files := c.rotate()
	if open := c.Status().OpenFiles; len(files) != 2 || len(open) != 0 {
		t.Errorf("%q are finished, %q open", files, open)
	}
	if again := c.rotate(); len(again) != 0 {
		t.Errorf("nothing is open, and %q were finished", again)
	}
	c.get("http://example.com/next")
	next := c.rotate()
	c.get("http://example.com/last")
	c.close()
	in := c.filesOf()
	if !slices.Contains(files, in["http://example.com/small"]) ||
		!slices.Contains(files, in["http://example.com/large"]) ||
		!slices.Equal(next, []string{in["http://example.com/next"]}) ||
		slices.Contains(slices.Concat(files, next), in["http://example.com/last"]) {
		t.Errorf("first %q, then %q: %q", files, next, in)
	}
	checkIndex(t, c.dir, readBack(t, c.dir))
}

// TestRotateUnderLoad: several rotate while others record, small and large. What was committed
// before is in a file that is finished, nothing is lost, and nothing is in two files.
func TestRotateUnderLoad(t *testing.T) {
	c := open(t, t.TempDir(), Config{WARCMaxSize: 3 << 20})
	const clients, each = 4, 25
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for i := range each {
				url := fmt.Sprintf("http://example.com/%d/%d", client, i)
				body := url
				if i%8 == 7 {
					body += randomText(1<<20 + 1000)
				}
				c.commit(url, exampleRequest, page(200, "text/html", "", body))
				if i%3 > 0 {
					continue
				}
				files, err := c.Rotate(t.Context())
				if err != nil {
					t.Error(err)
				}
				c.checkFinished(files)
			}
		})
	}
	all.Wait()
	c.rotate()
	if open := openNames(t, c.dir); len(open) > 0 {
		t.Errorf("%q are open", open)
	}
	c.close()
	records := readBack(t, c.dir)
	checkIndex(t, c.dir, records)
	seen := make(map[string]int)
	for _, r := range records {
		if r.header.Get("WARC-Type") == "response" {
			seen[r.header.Get("WARC-Target-URI")]++
		}
	}
	for url, n := range seen {
		if n != 1 {
			t.Errorf("%s: %d responses", url, n)
		}
	}
	if len(seen) != clients*each {
		t.Errorf("%d captures of %d", len(seen), clients*each)
	}
}

// TestRotatePlanned: a file that has been planned, and is not made yet, ends like those that are
// open: it is waited for, and named if it comes to be.
func TestRotatePlanned(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	for _, isMade := range []bool{false, true} {
		planned := c.lanes.plan(small, 100)
		finished := make(chan []string)
		go func() {
			files, err := c.Rotate(t.Context())
			if err != nil {
				t.Error(err)
			}
			finished <- files
		}()
		eventually(t, "the file has ended", func() bool {
			c.lanes.mu.Lock()
			defer c.lanes.mu.Unlock()
			return planned.retired
		})
		if isMade {
			nothing := func(*warc.Writer) (int64, error) { return 0, nil } // but a warcinfo record
			if _, err := c.archive.append(planned, nothing); err != nil {
				t.Error(err)
			}
		}
		c.lanes.leave(planned, 1)
		files := <-finished
		if isMade != slices.Equal(files, []string{planned.name}) || !isMade && len(files) > 0 {
			t.Errorf("made: %v; %q are finished, %s was planned", isMade, files, planned.name)
		}
		c.checkFinished(files)
	}
	planned := c.lanes.plan(small, 100)
	ctx, cancel := context.WithTimeout(t.Context(), settlePatience)
	defer cancel()
	files, err := c.Rotate(ctx)
	if err == nil || !strings.Contains(err.Error(), planned.name+" not finished") || len(files) > 0 {
		t.Errorf("%q, %v", files, err)
	}
	c.lanes.leave(planned, 1)
	c.close()
}

// openNames are the names in archive/ of files that are being written.
func openNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := fs.Glob(os.DirFS(dir), "archive/*"+warc.OpenSuffix)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// TestRotateStalled: a client that does not take the last bytes of an answer keeps no file open.
func TestRotateStalled(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	stalled := c.begin("http://example.com/stalled", exampleRequest, exampleResponse)
	stalled.Ending()
	c.get("http://example.com/")
	if files := c.rotate(); len(files) != 1 {
		t.Errorf("%q", files)
	}
	stalled.Commit()
	c.close()
}

// TestRotateOff: while nothing can be written the files stay open, and Rotate says why.
func TestRotateOff(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	c.get("http://example.com/1")
	c.settle()
	back := c.takeAway()
	c.get("http://example.com/2")
	files, err := c.Rotate(t.Context())
	if err == nil || !strings.Contains(err.Error(), "recording is off") || len(files) > 0 {
		t.Errorf("%q, %v", files, err)
	}
	back()
	eventually(t, "recording is on again", func() bool { return c.Ready() == nil })
	c.rotate()
	c.close()
}

// TestRotateTakenAway: a file that somebody has removed is not named.
func TestRotateTakenAway(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	c.get("http://example.com/1")
	c.settle()
	for _, name := range openNames(t, c.dir) {
		if err := os.Remove(filepath.Join(c.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if files := c.rotate(); len(files) != 0 {
		t.Errorf("%q", files)
	}
	_ = c.Close()
}

// TestRotateTakenName: a file whose final name is another's keeps its ending, and Rotate says so.
func TestRotateTakenName(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	c.get("http://example.com/1")
	c.settle()
	name := filepath.Join(c.dir, "archive", c.Status().OpenFiles[0])
	if err := os.WriteFile(name, []byte("another's"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := c.Rotate(t.Context())
	if err == nil || !strings.Contains(err.Error(), "keeps the ending .open") || len(files) != 0 {
		t.Errorf("%q, %v", files, err)
	}
	_ = c.Close()
}

// TestRotateEnded: who does not wait is told so.
func TestRotateEnded(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	c.get("http://example.com/1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Rotate(ctx); err == nil {
		t.Error("no error")
	}
	c.close()
	if files := c.rotate(); len(files) != 0 {
		t.Errorf("after the end %q", files)
	}
}
