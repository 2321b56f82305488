//go:build faults

package recorder

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/store/fault"
)

// TestCompressionFails: an encoder of our own makes only wrong members, from one of the first
// of a file on. None of them is written, whichever worker makes it, and the log says so once.
func TestCompressionFails(t *testing.T) {
	small := page(200, "text/html", "", randomText(5000))
	big := page(200, "text/plain", "", randomText(3<<20))
	for _, c := range []struct {
		name, first string
		good        int64 // members before the first that is wrong
	}{
		{"response", small, 0},
		{"request", small, 1},
		{"warcinfo record", big, 0}, // which comes before a body that is streamed
		{"streamed response", big, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var made atomic.Int64
			fault.Set(func(p fault.Point) error {
				if p == fault.Deflate && made.Add(1) > c.good {
					return syscall.EIO
				}
				return nil
			})
			defer fault.Set(nil)
			synctest.Test(t, func(t *testing.T) {
				col := open(t, t.TempDir(), Config{})
				if s := col.Status(); s.Compression != "" {
					t.Errorf("before: %s", s.Compression)
				}
				col.begin("http://example.com/first", exampleRequest, c.first).Commit()
				time.Sleep(time.Second)
				for i := range 20 {
					col.get(fmt.Sprintf("http://example.com/%02d", i))
				}
				col.begin("http://example.com/small", exampleRequest, small).Commit()
				col.begin("http://example.com/big", exampleRequest, big).Commit()
				time.Sleep(time.Second)
				synctest.Wait()
				s := col.Status()
				if s.Compression == "" || !s.Recording || s.Lost > 0 || len(s.Gaps) > 0 {
					t.Errorf("after: %+v", s)
				}
				if n := len(col.urls()); n != 23 {
					t.Errorf("%d captures, want 23", n)
				}
				col.close()
				if n := col.log.count("error", "compressed wrongly"); n != 1 {
					t.Errorf("it is said %d times", n)
				}
				checkIndex(t, col.dir, readBack(t, col.dir))
			})
		})
	}
}
