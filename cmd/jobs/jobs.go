// Package jobs runs commands as processes, some at once and the others after them, and keeps what
// they say. Start with [New].
//
//	waiting ─► running ─► ended
//	   └──────────┴─────► stopped    by Stop, or by Close
//
// Invariant: no more run and wait than Limits say, no more that are over are kept, and of what each
// says no more than said.go does. When Close has returned none runs, and none begins.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// State is how far a job has come.
type State string

// The states.
const (
	Waiting State = "waiting"
	Running State = "running"
	Ended   State = "ended"
	Stopped State = "stopped"
)

// Job is a job as it is at a moment.
type Job[Subject any] struct {
	ID      string
	Subject Subject // what it is about, as Add was told
	State   State
	Exit    int // the status of a process that has ended; -1 if a signal has ended it, or it never began

	Queued, Began, Ended time.Time // zero until then

	Lines   []string // the last ones that it has said
	LeftOut int      // how many it said before them
}

// Limits bound a queue.
type Limits struct {
	Running, Waiting int
	Kept             int           // of those that are over
	Patience         time.Duration // for a process that is to end, before it is killed
}

// Queue is jobs, the first ones first.
type Queue[Subject any] struct {
	limits Limits

	mu     sync.Mutex
	all    []*job[Subject]
	added  int
	closed bool
	runs   sync.WaitGroup
}

// job is one job. The queue's lock guards it, but for what the process says.
type job[Subject any] struct {
	Job[Subject]
	command func(context.Context) *exec.Cmd
	cancel  context.CancelFunc // of one that has a process; else nil
	said    said
}

// New returns a queue.
func New[Subject any](limits Limits) *Queue[Subject] { return &Queue[Subject]{limits: limits} }

// ErrClosed is the error of Add when all is to end.
var ErrClosed = errors.New("the recorder is ending")

// Add adds a job, which command is asked for when its turn has come; its output is taken. The error
// says that there is no room.
func (q *Queue[Subject]) Add(about Subject, command func(context.Context) *exec.Cmd) (id string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return "", ErrClosed
	case q.running() >= q.limits.Running && q.count(Waiting) >= q.limits.Waiting:
		return "", q.full()
	}
	q.added++
	j := &job[Subject]{command: command}
	j.ID, j.Subject, j.State, j.Queued = strconv.Itoa(q.added), about, Waiting, time.Now()
	q.all = append(q.all, j)
	q.next()
	return j.ID, nil
}

func (q *Queue[Subject]) full() error {
	if q.limits.Waiting == 0 {
		return fmt.Errorf("%d run already: end one of them first", q.limits.Running)
	}
	return fmt.Errorf("%d wait already: ask again when some of them are over, or stop some",
		q.limits.Waiting)
}

// Going returns how many jobs wait, and how many processes there are.
func (q *Queue[Subject]) Going() (waiting, running int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count(Waiting), q.running()
}

func (q *Queue[Subject]) count(in State) (n int) {
	for _, j := range q.all {
		if j.State == in {
			n++
		}
	}
	return n
}

// running is how many processes there are, those that are about to end included.
func (q *Queue[Subject]) running() (n int) {
	for _, j := range q.all {
		if j.cancel != nil {
			n++
		}
	}
	return n
}

// next begins those whose turn it is, and forgets the oldest of those that are over.
func (q *Queue[Subject]) next() {
	for _, j := range q.all {
		if j.State == Waiting && !q.closed && q.running() < q.limits.Running {
			q.begin(j)
		}
	}
	over := q.count(Ended) + q.count(Stopped) - q.limits.Kept
	q.all = slices.DeleteFunc(q.all, func(j *job[Subject]) bool {
		if over <= 0 || j.State == Waiting || j.State == Running || j.cancel != nil {
			return false
		}
		over--
		return true
	})
}

// begin runs a job.
func (q *Queue[Subject]) begin(j *job[Subject]) {
	ctx, cancel := context.WithCancel(context.Background())
	j.State, j.Began, j.cancel = Running, time.Now(), cancel
	q.runs.Go(func() {
		exit := q.run(ctx, j)
		cancel()
		q.mu.Lock()
		defer q.mu.Unlock()
		if j.State == Running {
			j.State = Ended
		}
		j.Exit, j.Ended, j.cancel = exit, time.Now(), nil
		q.next()
	})
}

// run runs the process of a job to its end, and returns its status.
func (q *Queue[Subject]) run(ctx context.Context, j *job[Subject]) (exit int) {
	cmd := j.command(ctx)
	cmd.Stdout, cmd.Stderr = &j.said, &j.said
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil { // which not all systems have
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = q.limits.Patience
	err := cmd.Run()
	j.said.end()
	if cmd.ProcessState == nil {
		fmt.Fprintf(&j.said, "%v\n", err)
		return -1
	}
	return cmd.ProcessState.ExitCode()
}

// All returns the jobs, the newest first.
func (q *Queue[Subject]) All() (all []Job[Subject]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range slices.Backward(q.all) {
		now := j.Job
		now.Lines, now.LeftOut = j.said.last()
		all = append(all, now)
	}
	return all
}

// Stop stops a job that waits or runs, and returns how it is then; known is false if there is none
// of that ID. A process that runs ends by itself, or is killed after Patience.
func (q *Queue[Subject]) Stop(id string) (state State, known bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.all {
		if j.ID == id {
			q.stop(j)
			return j.State, true
		}
	}
	return "", false
}

func (q *Queue[Subject]) stop(j *job[Subject]) {
	switch j.State {
	case Waiting:
		j.State, j.Ended, j.Exit = Stopped, time.Now(), -1
	case Running:
		j.State = Stopped // and makes room when its process is gone
		j.cancel()
	}
}

// Revise changes what is told of jobs: subject may change what one is about that is over, and of what
// any of them has said only the lines stay that line reports. Neither may wait, nor use the queue.
func (q *Queue[Subject]) Revise(subject func(*Subject), line func(string) (stays bool)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.all {
		if j.State == Ended || j.State == Stopped {
			subject(&j.Subject)
		}
		j.said.drop(line)
	}
}

// Close stops all jobs, lets none in any more, and returns when no process is left.
func (q *Queue[Subject]) Close() {
	q.mu.Lock()
	q.closed = true
	for _, j := range q.all {
		q.stop(j)
	}
	q.mu.Unlock()
	q.runs.Wait()
}
