//go:build faults

package recorder

import (
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/store/fault"
)

// TestStalled: a write that does not return is a stall, wherever it is; nothing to do is none, nor is
// a disk that refuses, which is tried again and again.
func TestStalled(t *testing.T) {
	small, large := "a page", strings.Repeat("0123456789abcdef", 2<<20/16)
	stall := func(p fault.Point) func(chan struct{}) func(fault.Point) error {
		return func(release chan struct{}) func(fault.Point) error {
			return func(at fault.Point) error {
				if at == p {
					<-release
				}
				return nil
			}
		}
	}
	for _, c := range []struct {
		name    string
		body    string // of the one response; "" if there is none
		fault   func(release chan struct{}) func(fault.Point) error
		stalled bool
		ready   bool
	}{
		{"nothing to do", "", stall(fault.WARCSync), false, true},
		{"a write", small, stall(fault.WARCWrite), true, true},
		{"a sync", small, stall(fault.WARCSync), true, true},
		{"a transaction of the index", small, stall(fault.IndexCommit), true, true},
		{"a write of the large worker", large, stall(fault.WARCWrite), true, true},
		{"a full disk", small, func(chan struct{}) func(fault.Point) error {
			return func(at fault.Point) error {
				if at == fault.WARCSync {
					return syscall.ENOSPC
				}
				return nil
			}
		}, false, false},
		{"a disk that works", small, func(chan struct{}) func(fault.Point) error {
			return func(fault.Point) error { return nil }
		}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				col := open(t, t.TempDir(), Config{})
				fault.Set(c.fault(release))
				if c.body != "" {
					col.commit("http://example.com/", "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
						page(200, "text/html", "", c.body))
				}
				time.Sleep(time.Hour)
				if got := col.Stalled(); got > 50*time.Minute != c.stalled || !c.stalled && got > 0 {
					t.Errorf("stalled for %v", got)
				}
				if err := col.Ready(); (err == nil) != c.ready {
					t.Errorf("ready: %v", err)
				}
				fault.Set(nil)
				close(release)
				time.Sleep(time.Minute)
				if got := col.Stalled(); got != 0 {
					t.Errorf("stalled for %v after it went on", got)
				}
				col.close()
			})
		})
	}
}
