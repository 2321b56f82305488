//go:build faults

package recorder

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/store/fault"
)

// TestSync: how often a WARC file is synced for twenty exchanges that end at once.
func TestSync(t *testing.T) {
	for _, c := range []struct {
		sync     string
		min, max int64
	}{
		{"batch", 1, 3},
		{"always", 20, 20},
		{"none", 0, 0},
	} {
		t.Run(c.sync, func(t *testing.T) {
			var syncs atomic.Int64
			fault.Set(func(p fault.Point) error {
				if p == fault.WARCSync {
					syncs.Add(1)
				}
				return nil
			})
			defer fault.Set(nil)
			synctest.Test(t, func(t *testing.T) {
				col := open(t, t.TempDir(), Config{Sync: c.sync})
				for i := range 20 {
					col.get(fmt.Sprintf("http://example.com/%02d", i))
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if n := syncs.Load(); n < c.min || n > c.max || len(col.urls()) != 20 {
					t.Errorf("%d syncs for %d captures, want %d to %d", n, len(col.urls()), c.min, c.max)
				}
				col.close()
				checkIndex(t, col.dir, readBack(t, col.dir))
			})
		})
	}
}
