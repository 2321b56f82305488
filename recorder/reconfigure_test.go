package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/recorder/record"
)

// take lets other settings count, which must be possible.
func (c *recording) take(change func(*Config)) {
	c.t.Helper()
	cfg := *c.cfg.Load()
	change(&cfg)
	prepared, err := c.Prepare(cfg)
	if err != nil {
		c.t.Fatal(err)
	}
	prepared.Take()
}

// TestReconfigure: each setting that changes while it is recorded counts for what comes next.
func TestReconfigure(t *testing.T) {
	for _, test := range []struct {
		name   string
		before Config
		change func(*Config)
		ready  bool // what follows is recorded
		check  func(c *recording) bool
	}{
		{"warc-prefix", Config{}, func(cfg *Config) { cfg.WARCPrefix = "another" }, true,
			func(c *recording) bool { return c.hasFile("another-*") }},
		{"warc-name", Config{}, func(cfg *Config) { cfg.WARCName = "x-{timestamp}-{serial}" }, true,
			func(c *recording) bool { return c.hasFile("x-*") }},
		{"warcinfo", Config{}, func(cfg *Config) { cfg.WARCInfo.Operator = "somebody else" }, true,
			func(c *recording) bool {
				return strings.Contains(readBack(c.t, c.dir)[3].block, "operator: somebody else")
			}},
		{"dedup: off", Config{}, func(cfg *Config) { cfg.Dedup.Dedup = record.DedupOff }, true,
			func(c *recording) bool { return c.Status().Revisits == 0 }},
		{"dedup: collection", Config{Dedup: record.DedupConfig{Dedup: record.DedupURL}},
			func(cfg *Config) { cfg.Dedup.Dedup = record.DedupCollection }, true,
			func(c *recording) bool { return c.Status().Revisits == 0 }}, // its keys are new
		{"dedup-min-size", Config{}, func(cfg *Config) { cfg.Dedup.MinSize = 1 << 20 }, true,
			func(c *recording) bool { return c.Status().Revisits == 0 }},
		{"dedup-for", Config{}, func(cfg *Config) { cfg.Dedup.DedupFor = 1 }, true,
			func(c *recording) bool { return c.Status().Revisits == 0 }},
		{"min-free-space", Config{}, func(cfg *Config) { cfg.MinFreeSpace = 1 << 61 }, false,
			func(c *recording) bool { return c.Status().Disk.MinFree == 1<<61 }},
		{"min-free-space: 0", Config{MinFreeSpace: 1 << 61},
			func(cfg *Config) { cfg.MinFreeSpace = 0 }, true,
			func(c *recording) bool { return c.Status().Disk.MinFree == 0 }},
		{"queue-size", Config{}, func(cfg *Config) { cfg.QueueSize = 1000 }, true,
			func(c *recording) bool { return c.queue.bytes.now() == 1000 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := open(t, t.TempDir(), test.before)
			c.commit("http://example.com/", exampleRequest, answerOf(200, "", body2K))
			c.settle()
			c.take(test.change)
			c.rotate()
			if ready := c.Ready() == nil; ready != test.ready {
				t.Errorf("ready: %v, want %v", ready, test.ready)
			}
			c.commit("http://example.com/", exampleRequest, answerOf(200, "", body2K))
			c.settle()
			c.close()
			if !test.check(c) {
				t.Errorf("the change does not count: %+v", c.Status())
			}
			checkIndex(t, c.dir, readBack(t, c.dir))
		})
	}
}

// hasFile reports whether a WARC file has a name of that form.
func (c *recording) hasFile(form string) bool {
	c.t.Helper()
	found, err := filepath.Glob(filepath.Join(c.dir, "archive", form))
	if err != nil {
		c.t.Fatal(err)
	}
	return len(found) > 0
}

// TestReconfigureFiles: limits of files count for those that are open, too, and for what waits.
func TestReconfigureFiles(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"warc-idle":     func(cfg *Config) { cfg.WARCIdle = time.Second },
		"warc-max-age":  func(cfg *Config) { cfg.WARCMaxAge = time.Second },
		"warc-max-size": func(cfg *Config) { cfg.WARCMaxSize = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := open(t, t.TempDir(), Config{WARCIdle: time.Hour})
				c.get("http://example.com/1")
				synctest.Wait()
				c.take(change)
				time.Sleep(2 * time.Second)
				c.get("http://example.com/2")
				time.Sleep(time.Second)
				synctest.Wait()
				if n := len(openNames(t, c.dir)); n > 1 || !c.hasFile("*.warc.gz") {
					t.Errorf("%d files are open, and none is finished", n)
				}
				c.close()
				checkIndex(t, c.dir, readBack(t, c.dir))
			})
		})
	}
}

// TestReconfigureCommits: what waits for others waits by the new settings.
func TestReconfigureCommits(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"commit-interval": func(cfg *Config) { cfg.CommitInterval = time.Millisecond },
		"commit-size":     func(cfg *Config) { cfg.CommitSize = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := open(t, t.TempDir(), Config{CommitInterval: time.Hour})
				c.get("http://example.com/1") // which waits for nobody
				time.Sleep(time.Second)
				c.get("http://example.com/2")
				time.Sleep(time.Second)
				if n := c.Status().Exchanges; n != 1 {
					t.Fatalf("%d are on disk, want 1", n)
				}
				c.take(change)
				time.Sleep(time.Second)
				if n := c.Status().Exchanges; n != 2 {
					t.Errorf("%d are on disk, want 2", n)
				}
				c.close()
			})
		})
	}
}

// TestReconfigureIndex: the index gets what is on disk by the new interval.
func TestReconfigureIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{IndexInterval: time.Hour, WARCIdle: time.Hour})
		c.get("http://example.com/1")
		time.Sleep(time.Minute)
		if all := c.Status().Totals.Captures; all != 0 {
			t.Fatalf("%d captures are in the index", all)
		}
		c.take(func(cfg *Config) { cfg.IndexInterval = time.Second })
		time.Sleep(time.Second)
		if all := c.Status().Totals.Captures; all != 1 {
			t.Errorf("%d captures are in the index, want 1", all)
		}
		c.close()
	})
}

// TestReconfigureRefused: settings that cannot be meant change nothing, and what would make lines or
// records of two kinds stays as it is.
func TestReconfigureRefused(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	defer c.close()
	was := c.cfg.Load()
	for name, cfg := range map[string]Config{
		"warc-name": {WARCName: "no serial"}, "warc-prefix": {WARCPrefix: "iipc-x"},
		"negative": {WARCIdle: -1}, "dedup": {Dedup: record.DedupConfig{Dedup: "sometimes"}},
		"warcinfo": {WARCInfo: record.WARCInfo{Operator: "a\nb"}},
	} {
		if _, err := c.Prepare(cfg); err == nil || c.cfg.Load() != was {
			t.Errorf("%s: %v", name, err)
		}
	}
	c.take(func(cfg *Config) {
		cfg.Sync, cfg.Digest, cfg.WARCVersion, cfg.PayloadDigest = "none", "sha256", "1.0", "entity"
		cfg.Mode, cfg.NoSL, cfg.Keys.Extra = 0o640, true, []string{"path"}
	})
	now := *c.cfg.Load()
	if fmt.Sprintf("%+v", now) != fmt.Sprintf("%+v", *was) {
		t.Errorf("%+v, and it was %+v", now, *was)
	}
}

// TestReconfigureUnderLoad: while it is recorded by many, settings change again and again: nothing is
// lost, and nobody waits for ever. A queue that shrinks below what waits is the worst of it.
func TestReconfigureUnderLoad(t *testing.T) {
	const clients, each, often = 8, 25, 5
	c := open(t, t.TempDir(), Config{})
	came := make(chan struct{}, clients*each)
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for i := range each {
				c.commit(fmt.Sprintf("http://example.com/%d/%d", client, i), exampleRequest,
					page(200, "text/plain", "", fmt.Sprint(client, i)+randomText(10_000)))
				came <- struct{}{}
			}
		})
	}
	for n := range int64(clients * each) {
		if <-came; n%often != 0 {
			continue
		}
		c.take(func(cfg *Config) {
			cfg.QueueSize = 25_000 + n%3*1_000_000
			cfg.CommitSize, cfg.WARCMaxSize = 1+n%2*100_000, 200_000+n%2*1_000_000
			cfg.WARCPrefix, cfg.WARCInfo.Description = fmt.Sprint("p", n%5), strings.Repeat("x", int(n%100))
			cfg.Dedup.MinSize, cfg.CommitInterval = n%2*1000, 1+time.Duration(n%3)*time.Millisecond
		})
	}
	all.Wait()
	c.settle()
	if s := c.Status(); s.Exchanges != clients*each || s.Lost != 0 || s.Queued != 0 {
		t.Errorf("%+v", s)
	}
	c.close()
	checkIndex(t, c.dir, readBack(t, c.dir))
	if _, err := os.Stat(filepath.Join(c.dir, "spill")); err == nil {
		t.Error("something was left in spill/")
	}
}

// TestCapacity: who waits comes in its turn; what is wanted is never more than there is, whatever
// becomes of that meanwhile.
func TestCapacity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCapacity(10)
		if first := c.acquire(100); first != 10 {
			t.Fatalf("%d of 10 were taken", first)
		}
		got := make(chan int64, 3)
		for _, wanted := range []int64{8, 1, 3} {
			go func() { got <- c.acquire(wanted) }()
			synctest.Wait()
		}
		c.resize(5) // less than the first of them wants
		c.release(10)
		synctest.Wait()
		if first := <-got; first != 5 || len(got) != 0 {
			t.Fatalf("the first got %d, and %d others have come in", first, len(got))
		}
		c.release(5)
		synctest.Wait()
		if n := len(got); n != 2 || c.used != 4 {
			t.Fatalf("%d came in, %d are taken", n, c.used)
		}
		c.release(4)
		if c.used != 0 || len(c.waiting) != 0 {
			t.Errorf("%d are left taken, %d wait", c.used, len(c.waiting))
		}
	})
}
