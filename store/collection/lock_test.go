//go:build (unix && !solaris && !aix) || windows

package collection

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLock: of two processes one has the collection, until it unlocks it or ends.
func TestLock(t *testing.T) {
	d := newDir(t)
	if err := errors.Join(d.Yield(), d.Yield()); err != nil {
		t.Error(err)
	}
	_, end := hold(t, "lock", string(d))
	if _, err := d.Lock(); !errors.Is(err, ErrLocked) {
		t.Errorf("locked twice: %v", err)
	}
	if err := d.Yield(); !errors.Is(err, ErrLocked) {
		t.Errorf("read meanwhile: %v", err)
	}
	end()
	unlock, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Yield(); !errors.Is(err, ErrLocked) { // another look than that of Lock
		t.Errorf("read meanwhile: %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	if err := d.Yield(); err != nil {
		t.Error(err)
	}
	if _, err := Dir(filepath.Join(string(d), "none")).Lock(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("locked what is not there: %v", err)
	}
}

// TestTryLock: the lock of a file shows, whoever has it.
func TestTryLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(TryLock(path), TryLock(path)); err != nil {
		t.Error(err)
	}
	_, end := hold(t, "share", path)
	defer end()
	if err := TryLock(path); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
}

// TestLockKilled: the lock of a process that is killed goes with it, and leaves nothing to take away.
func TestLockKilled(t *testing.T) {
	d := newDir(t)
	pid, end := hold(t, "lock", string(d))
	process, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	end()
	unlock, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

// TestHeldFile: of two who hold a file the first one has it, and it can be read and written.
func TestHeldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "held")
	release, err := Hold(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(path); !errors.Is(err, ErrLocked) {
		t.Errorf("held twice: %v", err)
	}
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	if release, err = Hold(path); err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

// hold lets another process lock what is at path, until end is called.
func hold(t *testing.T, how, path string) (pid int, end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestHold$")
	cmd.Env = append(os.Environ(), "COLLECTION_TEST_HOLD="+how+" "+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() {
		in.Close()
		cmd.Wait()
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		end()
		t.Fatal(err)
	}
	return cmd.Process.Pid, end
}

// TestHold is the process that hold starts: it holds a lock until its standard input ends.
func TestHold(t *testing.T) {
	how, path, asked := strings.Cut(os.Getenv("COLLECTION_TEST_HOLD"), " ")
	if !asked {
		t.Skip("it is for hold")
	}
	var err error
	if how == "share" {
		_, err = lock(path, shared)
	} else {
		_, err = Dir(path).Lock()
	}
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString("held")
	os.Stdin.Read(make([]byte, 1))
}
