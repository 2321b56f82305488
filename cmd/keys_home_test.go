package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"warcorder/store/collection"
)

// atHome is a recorder that has nothing but its file: no flag and no variable says anything, and its
// user has an empty home, in which it is started.
type atHome struct {
	t       *testing.T
	home    string
	cmd     *exec.Cmd
	address string
	ended   chan error
}

// homeCommand is a process of warcorder in such a home.
func homeCommand(home string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = home
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "WARCORDER_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, "RUN_AS_WARCORDER=1", "HOME="+home, "AppData="+home,
		"XDG_CONFIG_HOME="+filepath.Join(home, "config"), "GORACE=atexit_sleep_ms=0")
	return cmd
}

// recordAtHome starts one, with variables of the environment, and waits until the collection of that
// path below its home is recorded.
func recordAtHome(t *testing.T, file, collectionDir string, variables ...string) *atHome {
	t.Helper()
	home := t.TempDir()
	r := &atHome{t: t, home: home, ended: make(chan error, 1),
		cmd: homeCommand(home, "record", "--config", writeFile(t, file))}
	r.cmd.Env = append(r.cmd.Env, variables...)
	said, err := os.Create(filepath.Join(home, "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	r.cmd.Stderr = said
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { r.ended <- r.cmd.Wait(); close(done) }()
	t.Cleanup(func() { r.cmd.Process.Kill(); <-done })
	dir := collection.Dir(filepath.Join(home, collectionDir))
	eventually(t, "it records", func() bool {
		who, err := dir.Running()
		if err == nil && who.PID == r.cmd.Process.Pid {
			r.address = who.Addresses[0]
		}
		return r.address != "" || len(r.ended) > 0
	})
	if r.address == "" {
		t.Fatalf("it does not start: %v: %s", <-r.ended, r.said())
	}
	return r
}

// said is what it has said so far.
func (r *atHome) said() string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.home, "said"))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// stop ends it, and returns all that it has said.
func (r *atHome) stop() string {
	r.t.Helper()
	r.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-r.ended:
		if err != nil {
			r.t.Errorf("%v: %s", err, r.said())
		}
	case <-time.After(patience):
		r.t.Fatal("it does not end")
	}
	return r.said()
}
