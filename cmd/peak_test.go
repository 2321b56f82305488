//go:build linux

package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// watchPeak looks at the memory of a process that has been started until it ends. The usage that
// the system tells at the end is of no use: it counts from the fork on, when the memory is the
// test's.
func watchPeak(t *testing.T, cmd *exec.Cmd) (peak func() int64) {
	t.Helper()
	var most atomic.Int64
	path := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ; ; time.Sleep(time.Millisecond) {
			status, err := os.ReadFile(path)
			_, after, there := strings.Cut(string(status), "\nVmHWM:")
			if err != nil || !there { // a process that has ended has none
				return
			}
			var kilobytes int64
			if _, err := fmt.Sscanf(after, "%d kB", &kilobytes); err == nil {
				most.Store(max(most.Load(), kilobytes<<10))
			}
		}
	}()
	return func() int64 { <-ended; return most.Load() }
}
