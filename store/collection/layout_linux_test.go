package collection

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLayoutOfAnother: who may not look into a collection is told whose command this is.
func TestLayoutOfAnother(t *testing.T) {
	d := newDir(t)
	if err := os.Chmod(string(d), 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(string(d), 0o700)
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // it ends with this goroutine, and with it who it was
		if os.Geteuid() == 0 { // root may look everywhere
			unix.Setfsuid(65534)
		}
		done <- d.CheckLayout()
	}()
	check(t, <-done, false, "permission denied: run this as the user who records")
}
