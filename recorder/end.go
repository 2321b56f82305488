package recorder

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"warcorder/store"
)

// end is when a recorder must have come to its end. Until its deadline a recorder writes what it
// has. Then there are three moments, each of which gives up more than the one before:
//
//	hurry  at the deadline: no large exchange is read or queued any more. It lies in spill/, where
//	       the next start finds it
//	late   2 s after it: small workers and committer write nothing more. What is in memory alone is
//	       lost, and named in the gap list
//	stuck  4 s after it: the disk does not answer. Close returns errStuck without waiting for it
//
// A disk that is merely slow ends between hurry and late, since little is in memory alone. Without
// EndBy none of the channels is ever closed, and Close waits as long as it takes.
type end struct {
	hurry chan struct{} // closed when what has spilled is left
	late  chan struct{} // closed when what is in memory is given up
	stuck chan struct{} // closed when nothing is waited for

	once   sync.Once
	timers []*time.Timer
}

func newEnd() *end {
	return &end{
		hurry: make(chan struct{}), late: make(chan struct{}), stuck: make(chan struct{}),
	}
}

const (
	lateAfter  = 2 * time.Second // of what is in memory there is little
	stuckAfter = 4 * time.Second
)

var errStuck = errors.New("the disk does not answer: ended without what was in memory; " +
	"the next start records what is in spill/")

// EndBy sets the moment at which the recorder leaves for the next start what is not written then,
// and lies on disk. Close, which may be called later, ends some seconds after it at most. What is
// in memory alone then becomes a gap.
func (r *Recorder) EndBy(deadline time.Time) {
	r.end.once.Do(func() {
		for closed, after := range map[chan struct{}]time.Duration{
			r.end.hurry: 0, r.end.late: lateAfter, r.end.stuck: stuckAfter,
		} {
			r.end.timers = append(r.end.timers,
				time.AfterFunc(time.Until(deadline)+after, func() { close(closed) }))
		}
	})
}

// Close writes what is queued, finishes all files and closes the index, by the time that EndBy has
// set. Everything that uses exchanges must have ended before. What cannot be written at its last
// try is lost: the log and the gap list name it, and Close returns why; unless it lies in spill/,
// where it stays for the next start.
func (r *Recorder) Close() error {
	r.closeOnce.Do(func() {
		closed := make(chan error, 1)
		go func() { closed <- r.close() }()
		select {
		case r.closeError = <-closed:
		case <-r.end.stuck:
			r.tellStuck()
			r.closeError = errStuck
		}
		for _, timer := range r.end.timers {
			timer.Stop()
		}
	})
	return r.closeError
}

// tellStuck says what is lost when the disk does not answer, in the list too if that is on another
// one, or answers again.
func (r *Recorder) tellStuck() {
	if n := r.queue.queued.Load(); n > 0 {
		detail := fmt.Sprintf("the disk did not answer: exchanges of %d bytes were in memory alone "+
			"when the recorder had to end", n)
		r.log.Error().Msg("exchanges lost: " + detail)
		r.Gap(GapWrite, "", detail)
	}
	flushed := make(chan error, 1)
	go func() { flushed <- r.gaps.flush() }()
	select {
	case <-flushed:
	case <-time.After(flushPatience):
	}
	r.gaps.tellWaiting()
}

// flushPatience is how long the gap list is waited for then.
const flushPatience = time.Second

func (r *Recorder) close() error {
	r.LastTry()
	r.queue.close()
	r.workers.Wait()
	close(r.committer.stop)
	r.stopped.Wait()
	r.committer.refusals.close()
	err := r.committer.failed
	if n := r.queue.lost.Load(); n > 0 {
		err = errors.Join(fmt.Errorf("%d exchanges lost, see the log", n), err)
	}
	r.watcher.Wait()
	r.memory.Tidy()
	r.pauses.mu.Lock()
	r.endPause(time.Now())
	r.pauses.mu.Unlock()
	return errors.Join(err, r.gaps.close(), r.endSession(), r.outside.Close(), r.shared.Close(),
		r.unlock())
}

// beginSession notes in the index that a recorder is at work.
func (r *Recorder) beginSession() error {
	now := time.Now().UTC().Truncate(time.Microsecond)
	s := store.Session{Started: now, Last: now, Open: true}
	before, err := r.index.Session()
	if err == nil {
		err = r.index.SetSession(s)
	}
	if err != nil {
		return err
	}
	r.before, r.session = before, s
	return nil
}

// Before is the session before this one; zero if the index knows of none.
func (r *Recorder) Before() store.Session { return r.before }

// endSession notes that the recorder has come to its end, if it was at work, and closes the index.
// If that cannot be noted, or is noted in an index that is not the collection's any more,
// recorder.json stays: the next start then says that something went wrong.
func (r *Recorder) endSession() error {
	if !r.session.Open { // it has only recorded what a crash had left
		return r.index.Close()
	}
	s := store.Session{Started: r.session.Started, Last: time.Now().UTC()}
	err := errors.Join(r.index.SetSession(s), r.index.Close())
	if err != nil || r.health.fault(indexed) != nil {
		return err
	}
	return r.dir.Withdraw()
}
