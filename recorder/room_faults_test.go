//go:build faults

package recorder

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/store/collection"
	"warcorder/store/fault"
)

// TestGivenUp: a body that has no room for its records is given up after a while, if that makes
// room for others; else it waits as they do. Nothing is tried for ever, or refused for ever.
func TestGivenUp(t *testing.T) {
	for _, c := range []struct {
		name  string
		size  int
		given bool
	}{
		{"the body fills the disk", 17 << 20, true},
		{"something else does", 2 << 20, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				col := open(t, t.TempDir(), Config{})
				col.get("http://example.com/before")
				time.Sleep(time.Second)
				fault.Set(func(p fault.Point) error {
					if p == fault.WARCWrite {
						return syscall.ENOSPC
					}
					return nil
				})
				defer fault.Set(nil)
				col.commit("http://example.com/large", exampleRequest,
					page(200, "text/plain", "br", string(make([]byte, c.size))))
				time.Sleep(fullPatience / 2)
				synctest.Wait()
				if col.Ready() == nil {
					t.Error("ready though nothing can be written")
				}
				time.Sleep(3 * fullPatience)
				synctest.Wait()
				if ready := col.Ready(); (ready == nil) != c.given {
					t.Errorf("ready: %v", ready)
				}
				fault.Set(nil)
				time.Sleep(fullPatience)
				col.get("http://example.com/small")
				time.Sleep(time.Minute)
				synctest.Wait()
				want := []string{
					"http://example.com/before",
					"http://example.com/large",
					"http://example.com/small",
				}
				if c.given {
					want = slices.Delete(want, 1, 2)
				}
				if got := col.urls(); !slices.Equal(got, want) {
					t.Errorf("captures %v", got)
				}
				if left, _ := filepath.Glob(filepath.Join(col.dir, collection.SpillName, "*")); len(left) > 0 {
					t.Errorf("in spill/: %v", left)
				}
				if gaps := col.Status().Gaps[GapWrite]; gaps == 1 != c.given {
					t.Errorf("%d gaps", gaps)
				}
				if err := col.Close(); (err != nil) != c.given {
					t.Errorf("Close: %v", err)
				}
			})
		})
	}
}
