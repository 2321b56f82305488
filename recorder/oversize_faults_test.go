//go:build faults

package recorder

import (
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/recorder/spill"
	"warcorder/store/collection"
	"warcorder/store/fault"
)

// TestOversize: where files have a largest size, a body beyond it is nobody else's trouble: what
// was spilled of it is set aside with a gap, or, if it cannot be spilled, it is cut.
func TestOversize(t *testing.T) {
	for _, c := range []struct {
		name    string
		at      fault.Point
		aside   int
		reasons map[string]int64
	}{
		{"record", fault.WARCWrite, 1, map[string]int64{GapWrite: 1}},
		{"spilled", fault.Spill, 0, map[string]int64{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				col := open(t, t.TempDir(), Config{})
				fault.Set(func(p fault.Point) error {
					if p == c.at {
						return syscall.EFBIG
					}
					return nil
				})
				defer fault.Set(nil)
				x := col.begin("http://example.com/large", exampleRequest, "")
				_, failed := x.Response.Write(
					[]byte(page(200, "text/plain", "br", string(make([]byte, 2<<20)))))
				if (failed != nil) != (c.at == fault.Spill) {
					t.Errorf("write: %v", failed)
				}
				x.Commit()
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if err := col.Ready(); err != nil {
					t.Errorf("recording is off: %v", err)
				}
				fault.Set(nil)
				col.get("http://example.com/small")
				time.Sleep(time.Minute)
				synctest.Wait()
				if gaps, err := col.Gaps(0); err != nil || gaps.Counts[GapWrite] != c.reasons[GapWrite] {
					t.Errorf("gaps %v, %v", gaps, err)
				}
				aside, err := filepath.Glob(filepath.Join(col.dir, collection.SpillName,
					"*"+spill.ResponseSuffix+spill.AsideSuffix))
				if err != nil || len(aside) != c.aside {
					t.Errorf("set aside: %v, %v", aside, err)
				}
				if got := col.log.count(`"capture"`, "/small"); got != 1 {
					t.Error("the next exchange is not recorded")
				}
				col.Close() // which tells of the lost one
			})
		})
	}
}
