package cdxserver

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"warcorder/store/collection"
)

// TestUnreadable: whoever may not read who records is told so, and not that nobody does.
func TestUnreadable(t *testing.T) {
	const nobody = 65534
	dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
	if err := dir.Make(collection.DefaultMode); err != nil {
		t.Fatal(err)
	}
	who := collection.Running{PID: os.Getpid(), Started: time.Now(), Addresses: []string{"127.0.0.1:1"}}
	if err := dir.Announce(who, collection.DefaultMode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(string(dir), "recorder.json"), 0); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	syscall.Setfsuid(nobody) // for root, who may read all; of this thread alone
	_, err := At(dir)
	syscall.Setfsuid(os.Geteuid())
	if errors.Is(err, ErrNobody) || !errors.Is(err, os.ErrPermission) ||
		!strings.Contains(err.Error(), "as the user who records") {
		t.Errorf("%v", err)
	}
}
