package recorder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store/collection"
)

// TestWriteFails: while nothing can be written recording is off, Commit blocks when the queue is
// full, and nothing is lost or recorded twice when writing works again.
func TestWriteFails(t *testing.T) {
	for _, c := range []struct {
		name   string
		before int // exchanges in the file before it fails
		body   string
		memory int64 // that all buffers may hold
	}{
		{"first write", 0, randomText(5000), 1e9},
		{"later write", 3, randomText(5000), 1e9},
		{"first write, spilled", 0, randomText(5000), 0},
		{"later write, spilled", 3, randomText(5000), 0},
		{"first write, large", 0, randomText(1200 << 10), 1e9},
		{"later write, large", 3, randomText(1200 << 10), 1e9},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				col := open(t, t.TempDir(), Config{QueueSize: 50_000})
				col.memory.Limit.Store(c.memory)
				var want []string
				commit := func() {
					url := fmt.Sprintf("http://example.com/%03d", len(want))
					want = append(want, url)
					col.commit(url, exampleRequest, page(200, "text/plain", "br", c.body))
				}
				for range c.before {
					commit()
				}
				time.Sleep(time.Second)
				synctest.Wait()
				back := col.takeAway()
				if err := col.Ready(); err != nil {
					t.Fatal(err)
				}
				finished := make(chan struct{})
				go func() {
					defer close(finished)
					for range largeAtOnce + 10 {
						commit()
					}
				}()
				time.Sleep(time.Second)
				synctest.Wait()
				if err := col.Ready(); err == nil ||
					!strings.Contains(err.Error(), ".warc.gz") && !strings.Contains(err.Error(), "archive") {
					t.Errorf("Ready: %v", err)
				}
				if s := col.Status(); s.Recording || s.Reason == "" || s.Queued > 50_000 {
					t.Errorf("%+v", s)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				select {
				case <-finished:
					t.Error("Commit does not wait although the queue is full")
				default:
				}
				if got := len(col.urls()); got != c.before {
					t.Errorf("%d captures in the index, want %d", got, c.before)
				}
				back()
				<-finished
				if err := col.Ready(); err != nil {
					t.Errorf("Ready afterwards: %v", err)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if got := col.urls(); !slices.Equal(got, want) {
					t.Errorf("captures %v, want %v", got, want)
				}
				col.close()
				off, on := col.log.count(`"level":"error"`), col.log.count("recording is on again")
				if off != 1 || on != 1 {
					t.Errorf("%d errors in the log, and it is on again %d times: %s", off, on, &col.log.b)
				}
				checkIndex(t, col.dir, readBack(t, col.dir))
			})
		})
	}
}

// TestFileTakenAway: a file that is removed while it is written is missed, and the next one is
// begun.
func TestFileTakenAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		c.get("http://example.com/1")
		time.Sleep(time.Second)
		synctest.Wait()
		if err := os.RemoveAll(filepath.Join(c.dir, "archive")); err != nil {
			t.Fatal(err)
		}
		c.get("http://example.com/2")
		time.Sleep(time.Minute)
		synctest.Wait()
		if err := c.Ready(); err != nil {
			t.Error(err)
		}
		c.close()
		if n := c.log.count("a WARC file was taken away", ".warc.gz"); n != 1 {
			t.Errorf("in the log: %s", &c.log.b)
		}
		names, _ := filepath.Glob(filepath.Join(c.dir, "archive", "*"))
		if len(names) != 1 {
			t.Fatal(names)
		}
		if records := readFile(t, names[0]); len(records) != 3 ||
			!strings.Contains(records[1].block, "/2") {
			t.Errorf("records: %v", records)
		}
	})
}

// TestSpillFails: an exchange that cannot spill is recorded as far as it was kept, and recording is
// off until spilling works.
func TestSpillFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		spill := filepath.Join(c.dir, "spill")
		if err := errors.Join(os.Remove(spill), os.WriteFile(spill, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		x := c.begin("http://example.com/", exampleRequest,
			page(200, "text/plain", "", randomText(1<<20)))
		if _, err := x.Response.Write(make([]byte, 1<<20)); err == nil {
			t.Error("Write: no error")
		}
		x.Commit()
		if c.Ready() == nil {
			t.Error("ready")
		}
		if err := os.Remove(spill); err != nil { // it is made again
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if err := c.Ready(); err != nil {
			t.Error(err)
		}
		c.close()
		records := readBack(t, c.dir)
		checkIndex(t, c.dir, records)
		if len(records) != 4 || records[1].get("WARC-Truncated") != "unspecified" ||
			len(records[1].block) < 1<<20 ||
			!strings.Contains(records[3].block, "not all could be kept: spill") {
			t.Errorf("records: %.1000v", records)
		}
	})
}

// TestFileReplaced: what would go into a file that is not found under its name any more, or not
// with all it had, goes into the next one.
func TestFileReplaced(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(path string) error
	}{
		{"replaced", func(path string) error {
			return errors.Join(os.Rename(path, path+".away"), os.WriteFile(path, make([]byte, 9999), 0o600))
		}},
		{"cut", func(path string) error { return os.Truncate(path, 10) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				col := open(t, t.TempDir(), Config{})
				col.get("http://example.com/1")
				time.Sleep(time.Second)
				synctest.Wait()
				names, _ := filepath.Glob(filepath.Join(col.dir, "archive", "*.open"))
				if len(names) != 1 || c.change(names[0]) != nil {
					t.Fatal(names)
				}
				col.get("http://example.com/2")
				time.Sleep(time.Minute)
				synctest.Wait()
				if err := col.Ready(); err != nil {
					t.Error(err)
				}
				col.close()
				if n := col.log.count("a WARC file was taken away"); n != 1 {
					t.Errorf("in the log: %s", &col.log.b)
				}
				finished, _ := filepath.Glob(filepath.Join(col.dir, "archive", "*.warc.gz"))
				if len(finished) != 1 {
					t.Fatal(finished)
				}
				if records := readFile(t, finished[0]); len(records) != 3 ||
					!strings.Contains(records[1].block, "/2") {
					t.Errorf("records: %v", records)
				}
			})
		})
	}
}

// TestIndexTakenAway: recording is off once the index is not where it was, and nobody else can
// recover the collection meanwhile.
func TestIndexTakenAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		c.get("http://example.com/1")
		index, elsewhere := filepath.Join(c.dir, collection.IndexName), filepath.Join(c.dir, "elsewhere")
		if err := os.Rename(index, elsewhere); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * watchEvery)
		synctest.Wait()
		if err := c.Ready(); err == nil || !strings.Contains(err.Error(), "taken away") {
			t.Errorf("ready: %v", err)
		}
		for name, repair := range map[string]func() error{
			"Recover": func() error {
				_, err := Recover(Config{}, collection.Dir(c.dir), zerolog.Nop())
				return err
			},
			"Rebuild": func() error { _, err := rebuilt(Config{}, c.dir, zerolog.Nop(), nil); return err },
		} {
			if err := repair(); !errors.Is(err, collection.ErrLocked) {
				t.Errorf("%s: %v", name, err)
			}
		}
		c.close()
		c = open(t, c.dir, Config{})
		c.close()
		if got := captures(t, c.dir); len(got) != 1 {
			t.Errorf("captures after the next start: %v", got)
		}
	})
}
