//go:build unix

package jobs

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for what comes soon.
const patience = 20 * time.Second

func shell(script string, args ...string) func(context.Context) *exec.Cmd {
	return func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, "sh", append([]string{"-c", script, "sh"}, args...)...)
	}
}

// fifo is a named pipe, at which processes of a test wait until somebody opens its other end.
func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (q *Queue[Subject]) job(id string) Job[Subject] {
	for _, j := range q.All() {
		if j.ID == id {
			return j
		}
	}
	return Job[Subject]{}
}

// until waits until a job is in a state and its process is gone, or is there.
func until[Subject any](t *testing.T, q *Queue[Subject], id string, want State) Job[Subject] {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		j := q.job(id)
		if j.State == want && (want == Running || want == Waiting || !j.Ended.IsZero()) {
			return j
		}
		if time.Now().After(end) {
			t.Fatalf("job %s: %+v, want %s", id, j, want)
		}
	}
}

func add(t *testing.T, q *Queue[string], about string, command func(context.Context) *exec.Cmd) string {
	t.Helper()
	id, err := q.Add(about, command)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestQueue: one runs after the other, in order; what they say and how they end is kept, of the last
// ones.
func TestQueue(t *testing.T) {
	q := New[string](Limits{Running: 1, Waiting: 3, Kept: 2, Patience: patience})
	t.Cleanup(q.Close)
	gate := fifo(t)
	first := add(t, q, "first", shell(`echo begun; read x <"$1"; echo "$x" >&2; exit 3`, gate))
	until(t, q, first, Running)
	rest := []string{}
	for i := range 3 {
		rest = append(rest, add(t, q, fmt.Sprint(i), shell(fmt.Sprintf("echo %d", i))))
	}
	if id, err := q.Add("too many", shell("true")); err == nil || !strings.Contains(err.Error(), "3 wait") {
		t.Errorf("%s, %v", id, err)
	}
	if waiting, running := q.Going(); waiting != 3 || running != 1 {
		t.Errorf("%d wait, %d run", waiting, running)
	}
	for i, j := range q.All() {
		if want := 3 - i; (j.State == Running) != (want == 0) || j.Queued.IsZero() ||
			j.Began.IsZero() != (want != 0) {
			t.Errorf("%d: %+v", want, j)
		}
	}
	if out, err := exec.Command("sh", "-c", `echo word >"$1"`, "sh", gate).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	last := until(t, q, rest[2], Ended)
	if last.Exit != 0 || strings.Join(last.Lines, "\n") != "2" || last.Subject != "2" {
		t.Errorf("%+v", last)
	}
	all := q.All()
	if len(all) != 2 || all[0].ID != rest[2] || all[1].ID != rest[1] || all[1].Ended.After(all[0].Began) {
		t.Errorf("kept: %+v", all)
	}
}

// TestEnds: the status of a process, or why there was none.
func TestEnds(t *testing.T) {
	q := New[string](Limits{Running: 9, Kept: 9, Patience: patience})
	t.Cleanup(q.Close)
	for name, c := range map[string]struct {
		command func(context.Context) *exec.Cmd
		exit    int
		said    string
	}{
		"well":   {shell("echo a; printf b >&2"), 0, "a\nb"},
		"status": {shell("exit 7"), 7, ""},
		"signal": {shell("kill -9 $$"), -1, ""},
		"none": {func(ctx context.Context) *exec.Cmd {
			return exec.CommandContext(ctx, "/nowhere/at/all")
		}, -1, "fork/exec /nowhere/at/all: no such file or directory"},
	} {
		j := until(t, q, add(t, q, name, c.command), Ended)
		if j.Exit != c.exit || strings.Join(j.Lines, "\n") != c.said {
			t.Errorf("%s: %+v", name, j)
		}
	}
}

// TestStop: one that waits never begins, one that runs ends by itself, or is killed if it does not;
// until it is gone it takes its place.
func TestStop(t *testing.T) {
	q := New[string](Limits{Running: 1, Waiting: 2, Kept: 9, Patience: 3 * time.Second})
	t.Cleanup(q.Close)
	gate := fifo(t)
	polite := add(t, q, "polite", shell(`trap 'echo bye; exit 4' TERM; echo ready; while :; do sleep 0.01; done`))
	never := add(t, q, "never", shell("echo begun"))
	stubborn := add(t, q, "stubborn", shell(`trap '' TERM; echo ready; read x <"$1"`, gate))
	if state, known := q.Stop(never); state != Stopped || !known {
		t.Errorf("%s %v", state, known)
	}
	ready(t, q, polite)
	q.Stop(polite)
	if j := until(t, q, polite, Stopped); j.Exit != 4 || strings.Join(j.Lines, " ") != "ready bye" {
		t.Errorf("%+v", j)
	}
	ready(t, q, stubborn)
	q.Stop(stubborn)
	late := add(t, q, "late", shell("true"))
	if j := q.job(late); j.State != Waiting {
		t.Errorf("beside one that has not gone: %+v", j)
	}
	if j := until(t, q, stubborn, Stopped); j.Exit != -1 {
		t.Errorf("%+v", j)
	}
	until(t, q, late, Ended)
	if j := q.job(never); j.State != Stopped || !j.Began.IsZero() || len(j.Lines) > 0 {
		t.Errorf("%+v", j)
	}
	if state, known := q.Stop(late); state != Ended || !known {
		t.Errorf("over: %s %v", state, known)
	}
	if _, known := q.Stop("17"); known {
		t.Error("one that there is not")
	}
}

func ready(t *testing.T, q *Queue[string], id string) {
	t.Helper()
	for end := time.Now().Add(patience); len(q.job(id).Lines) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%+v", q.job(id))
		}
	}
}

// TestClose: no process is left, what waited never begins, and nothing is let in.
func TestClose(t *testing.T) {
	q := New[string](Limits{Running: 2, Waiting: 1, Kept: 9, Patience: 300 * time.Millisecond})
	gate := fifo(t)
	pids := []string{add(t, q, "a", shell(`echo $$; read x <"$1"`, gate)),
		add(t, q, "b", shell(`trap '' TERM; echo $$; read x <"$1"`, gate))}
	waits := add(t, q, "waits", shell("echo begun"))
	for _, id := range pids {
		ready(t, q, id)
	}
	q.Close()
	for _, id := range pids {
		j := q.job(id)
		var pid int
		if _, err := fmt.Sscan(j.Lines[0], &pid); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) || j.State != Stopped {
			t.Errorf("%v, %+v", err, j)
		}
	}
	if j := q.job(waits); j.State != Stopped || len(j.Lines) > 0 {
		t.Errorf("%+v", j)
	}
	if _, err := q.Add("late", shell("true")); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	q.Close()
}
