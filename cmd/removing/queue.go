package removing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"warcorder/recorder"
)

// Queue carries out removals one at a time, apart from whoever has asked for them: these may go, and
// ask again what has become of it.
//
//	waiting ─► running ─► done       also if nothing went: Job.Result says what
//	   │          ├─────► failed     Job.Err says why; nothing has changed, or the next start goes on
//	   └──────────┴─────► stopped    by Stop or by Close, before it was decided: nothing has changed
//
// No more than mostWaiting wait, and mostOver are kept that are over. Of one that removed something the
// URLs are not kept, nor what others had seen before it. A panic is a matter of the work: [Remove] makes it
// an error. The zero Queue is empty.
type Queue struct {
	mu     sync.Mutex
	all    []*job
	added  int
	closed bool
	runs   sync.WaitGroup
}

const (
	mostWaiting = 20
	mostOver    = 20
)

// State is how far a job has come.
type State string

// The states.
const (
	Waiting State = "waiting"
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
	Stopped State = "stopped"
)

// Job is a removal as it is at a moment.
type Job struct {
	ID     string
	About  string // what is to go, as Add was told
	Looks  bool   // it is only looked what would go
	State  State
	Step   Progress // of one that runs
	Result Removed  // of one that is done
	Err    error    // of one that failed

	Queued, Began, Ended time.Time // zero until then
}

// Progress is what a removal does.
type Progress struct {
	Step     string // Finishes, Plans, Writes or Indexes; "" before the first
	Done, Of int64  // bytes of the files that are written anew
}

// The steps of a removal.
const (
	Finishes = "finish" // the files that are open are finished
	Plans    = "plan"   // what goes, and what needs it
	Writes   = "write"  // files are written anew
	Indexes  = "index"  // and the index
)

// job is one job; the queue's lock guards it.
type job struct {
	Job
	work   func(context.Context, func(Progress)) (Removed, error)
	cancel context.CancelFunc // of one that runs
	told   bool               // to stop, which it may be too late for
}

// ErrEnding is the error of Add when all is to end.
var ErrEnding = errors.New("the recorder is ending")

// Add adds a removal. The error says that there is no room.
func (q *Queue) Add(about string, looks bool, work func(context.Context, func(Progress)) (Removed, error)) (
	id string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return "", ErrEnding
	}
	if q.count(Waiting) >= mostWaiting {
		return "", fmt.Errorf("%d removals wait already: ask again when some of them are over, or stop some",
			mostWaiting)
	}
	q.added++
	j := &job{work: work, Job: Job{ID: strconv.Itoa(q.added), About: about, Looks: looks, State: Waiting,
		Queued: time.Now()}}
	q.all = append(q.all, j)
	q.next()
	return j.ID, nil
}

// Going returns how many removals wait, and how many go on.
func (q *Queue) Going() (waiting, running int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count(Waiting), q.count(Running)
}

func (q *Queue) count(states ...State) (n int) {
	for _, j := range q.all {
		if slices.Contains(states, j.State) {
			n++
		}
	}
	return n
}

// next begins the one whose turn it is, and forgets the oldest of those that are over.
func (q *Queue) next() {
	if i := slices.IndexFunc(q.all, func(j *job) bool { return j.State == Waiting }); i >= 0 && !q.closed &&
		!slices.ContainsFunc(q.all, func(j *job) bool { return j.cancel != nil }) {
		q.begin(q.all[i])
	}
	over := q.count(Done, Failed, Stopped) - mostOver
	q.all = slices.DeleteFunc(q.all, func(j *job) bool {
		if over <= 0 || j.State == Waiting || j.cancel != nil {
			return false
		}
		over--
		return true
	})
}

func (q *Queue) begin(j *job) {
	ctx, cancel := context.WithCancel(context.Background())
	j.State, j.Began, j.cancel = Running, time.Now(), cancel
	q.runs.Go(func() {
		result, err := patiently(ctx, func() (Removed, error) {
			return j.work(ctx, func(now Progress) {
				q.mu.Lock()
				defer q.mu.Unlock()
				j.Step = now
			})
		})
		cancel()
		q.mu.Lock()
		defer q.mu.Unlock()
		q.over(j, result, err)
		q.next()
	})
}

// patiently has something done, once nobody else has the files for himself.
func patiently(ctx context.Context, work func() (Removed, error)) (done Removed, err error) {
	for {
		if done, err = work(); !errors.Is(err, recorder.ErrAlone) {
			return done, err
		}
		select {
		case <-ctx.Done():
			return done, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// over notes what has come of a job.
func (q *Queue) over(j *job, result Removed, err error) {
	j.Ended, j.cancel, j.work, j.Step = time.Now(), nil, nil, Progress{}
	switch {
	case err != nil && !result.Done && j.told:
		j.State = Stopped
	case err != nil:
		j.State, j.Err = Failed, err
	default:
		j.State = Done
	}
	if result.Done {
		for _, other := range q.all {
			other.Result.First, other.Result.Alike = nil, nil
		}
		result.First, result.Alike, result.Took = nil, nil, nil
	}
	j.Result = result
}

// All returns the jobs, the newest first.
func (q *Queue) All() (all []Job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range slices.Backward(q.all) {
		all = append(all, j.Job)
	}
	return all
}

// Stop stops a job that waits or runs, unless what it does is decided already; known is false if there
// is none of that ID.
func (q *Queue) Stop(id string) (known bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.all {
		if j.ID == id {
			q.stop(j)
			return true
		}
	}
	return false
}

func (q *Queue) stop(j *job) {
	switch j.State {
	case Waiting:
		j.State, j.Ended, j.work = Stopped, time.Now(), nil
	case Running:
		j.told = true // it is Stopped, or Done, when it is over
		j.cancel()
	}
}

// Close stops all jobs, and returns when none runs. What was decided comes to its end before.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	for _, j := range q.all {
		q.stop(j)
	}
	q.mu.Unlock()
	q.runs.Wait()
}
