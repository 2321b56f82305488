//go:build faults

package cmd

import (
	"fmt"
	"testing"
	"time"
)

// TestSyncKey: with sync in the file, how often WARC files are forced to disk. A recorder that is to
// kill itself at a sync is there as long as it has made fewer.
func TestSyncKey(t *testing.T) {
	t.Parallel()
	b := newKeyBench(t)
	for _, c := range []struct {
		sync string
		ends int // at that sync it kills itself
		dies bool
	}{
		{"", 1, true}, {"sync: batch", 1, true}, {"sync: none", 1, false},
		{"sync: batch", 4, false}, {"sync: always", 4, true}, // of five exchanges, four of which share one
	} {
		t.Run(fmt.Sprint(c.sync, " at ", c.ends), func(t *testing.T) {
			t.Parallel()
			r := b.recordIn(t, t.TempDir(), fmt.Sprint("kill warc-sync ", c.ends),
				c.sync+"\ncommit-interval: 2s")
			for n := range 5 {
				if got := r.fetch(fmt.Sprint(b.pages.URL, "/sync/", n)); got.err != nil && !c.dies {
					t.Error(got.err)
				}
			}
			if c.dies {
				if r.wait(); !r.killed() {
					t.Errorf("it ends as %v", r.cmd.ProcessState)
				}
				return
			}
			r.captured(t, b.pages.URL+"/sync/4")
			if r.hasEnded() {
				t.Errorf("it ends as %v", r.cmd.ProcessState)
			}
		})
	}
}

// TestQueueSizeKey: with queue-size in the file, clients wait while so much waits to be recorded, and
// by default the same passes at once.
func TestQueueSizeKey(t *testing.T) {
	t.Parallel()
	b := newKeyBench(t)
	site := newSite(t).plain
	const slow = 3 * time.Second // what a sync takes
	for file, waits := range map[string]bool{"queue-size: 1MB": true, "": false} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			r := b.recordIn(t, t.TempDir(), fmt.Sprint("slow warc-sync ", slow), file)
			c := &client{proxy: r.address, got: newReceived()} // which asks by one connection
			defer c.close()
			began := time.Now()
			for n := range 5 { // more than two batches of what may wait
				target := fmt.Sprintf("%s/bytes/%d/%d", site.URL, n, 900_000)
				if status, _, err := c.fetch("GET", target, nil); status != 200 || err != nil {
					t.Errorf("%d %v", status, err)
				}
			}
			if took := time.Since(began); waits && took < slow {
				t.Errorf("clients were not slowed: %v", took)
			}
			if len(r.lines("capture")) == 5 && !waits {
				t.Error("all was recorded before the clients had it: nothing is shown")
			}
		})
	}
}
