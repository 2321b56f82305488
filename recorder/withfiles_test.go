package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"warcorder/store/collection"
)

// TestFilesOfWhatWaits: when memory is short every exchange has files. Of those that wait for the
// workers only so many have them open, however many there is room for in the queue; others wait in
// Commit, where they still count as exchanges of their clients.
//
// In a bubble the time in which exchanges gather into handfuls does not pass while any of them can
// go on; on a slow disk there would be more handfuls than the workers' channel takes.
func TestFilesOfWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		c.memory.Limit.Store(0)
		c.batches.keys.Store(maxKeys + 1) // the workers wait
		const exchanges = 3 * filesAtOnce
		var all sync.WaitGroup
		var committed atomic.Int64
		for i := range exchanges {
			x := c.begin(fmt.Sprint("http://example.com/", i), exampleRequest,
				page(200, "text/plain", "", randomText(8<<10)))
			all.Go(func() {
				x.Commit()
				committed.Add(1)
			})
		}
		synctest.Wait()
		if n := openIn(t, filepath.Join(c.dir, collection.SpillName)); n != exchanges {
			t.Errorf("%d files are open, want %d", n, exchanges)
		}
		if n := committed.Load(); n != filesAtOnce {
			t.Errorf("%d exchanges wait with their files, want %d", n, filesAtOnce)
		}
		c.batches.fewer(maxKeys + 1)
		all.Wait()
		c.close()
		responses := 0
		for _, r := range readBack(t, c.dir) {
			if r.get("WARC-Type") == "response" {
				responses++
			}
		}
		if responses != exchanges {
			t.Errorf("%d responses, want %d", responses, exchanges)
		}
	})
}

// openIn is how many files in a folder the process has open, where the system tells.
func openIn(t *testing.T, folder string) (n int) {
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no list of open files")
	}
	for _, one := range all {
		if to, err := os.Readlink(filepath.Join("/proc/self/fd", one.Name())); err == nil &&
			strings.HasPrefix(to, folder) {
			n++
		}
	}
	return n
}
