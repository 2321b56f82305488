package pushing

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// Feed is a push to one target, again and again.
type Feed struct {
	feeds  *Feeds
	target Target
	to     string // with what is secret: another password is another feed
	stop   context.CancelFunc
	paced  chan struct{} // has one when the pace has changed

	mu    sync.Mutex
	every time.Duration
	state State
	asOf  time.Time // all that was captured before was given
}

// State is how a feed goes.
type State struct {
	To string `json:"to"` // without what is secret
	Up bool   `json:"up"` // false: it fails

	// Lag is how long ago all that there was had been given, in seconds: no capture that waits is older.
	Lag float64 `json:"lagSeconds"`

	Lines    int64 `json:"lines"`    // that were given since the start
	Failures int64 `json:"failures"` // tries that failed since the start

	Reason string     `json:"reason,omitempty"` // why it fails
	Since  *time.Time `json:"since,omitempty"`  // since when
	Stale  string     `json:"stale,omitempty"`  // why the target has what is not there any more
}

const (
	// firstRetry is how long after a first failure a feed tries again, and lastRetry how long after many.
	// What the target itself waits for is beside that.
	firstRetry = 5 * time.Second
	lastRetry  = 5 * time.Minute

	// openRounds is of how many rounds one writes also what lies in files that are still written: a part
	// of these is written again each time, and who reads it at that moment may have to read it again.
	openRounds = 10
)

// run gives what has come until ctx ends.
func (f *Feed) run(ctx context.Context) {
	failed := 0
	for n := 0; ctx.Err() == nil; n++ {
		err := f.feeds.Guard(func() error { return f.round(ctx, n) })
		if ctx.Err() != nil {
			return
		}
		if failed++; err == nil {
			failed = 0
		}
		f.note(err)
		f.wait(ctx, failed)
	}
}

// wait waits for the next round.
func (f *Feed) wait(ctx context.Context, failed int) {
	began := time.Now()
	for {
		timer := time.NewTimer(time.Until(began.Add(f.pause(failed))))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-f.paced:
			timer.Stop()
			continue
		}
		timer.Stop()
		return
	}
}

// pause is how long after a round the next one begins. Of those who share a target that was away not
// all come at once.
func (f *Feed) pause(failed int) time.Duration {
	f.mu.Lock()
	every := f.every
	f.mu.Unlock()
	if failed == 0 {
		return every
	}
	pause := min(firstRetry, every)
	for range failed - 1 {
		if pause = 2 * pause; pause >= lastRetry {
			pause = lastRetry
			break
		}
	}
	return pause*3/4 + rand.N(pause/2+1)
}

// setPace has the next round begin at another pace.
func (f *Feed) setPace(every time.Duration) {
	f.mu.Lock()
	f.every = every
	f.mu.Unlock()
	select {
	case f.paced <- struct{}{}:
	default:
	}
}

// round gives what has come. Another process may be at that: then there is nothing to do.
func (f *Feed) round(ctx context.Context, n int) error {
	p := f.feeds.Make(f.target)
	p.Finished = f.target.shelf != nil && n%openRounds != 0
	p.Sent, p.Stale = f.sent, f.isStale
	release, err := p.Hold()
	if errors.Is(err, ErrAtWork) {
		return nil
	}
	if err != nil {
		return err
	}
	err = f.give(ctx, p)
	return errors.Join(err, release())
}

// give gives what has come, if anything has.
func (f *Feed) give(ctx context.Context, p *Push) error {
	began := time.Now()
	f.noteAsOf(p.AsOf())
	if f.oldest().IsZero() {
		f.noteAsOf(f.feeds.Oldest(ctx))
	}
	empty, err := p.isEmpty(ctx, f.feeds.IsEmpty)
	if err == nil && empty {
		err = p.allBefore(began)
	} else if err == nil {
		err = p.Run(ctx)
	}
	if err == nil && !p.Finished {
		f.noteAsOf(began)
	}
	return err
}

// oldest is when all had been given.
func (f *Feed) oldest() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asOf
}

func (f *Feed) noteAsOf(t time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t.After(f.asOf) {
		f.asOf = t
	}
}

// note notes how a round went, and tells it when that has changed.
func (f *Feed) note(err error) {
	f.mu.Lock()
	was := f.state.Up
	if f.state.Up = err == nil; err != nil {
		f.state.Failures++
		f.state.Reason = err.Error()
	} else {
		f.state.Reason, f.state.Since = "", nil
	}
	if was && err != nil {
		now := time.Now()
		f.state.Since = &now
	}
	f.mu.Unlock()
	if was != (err == nil) {
		f.feeds.Told(Event{To: f.target.String(), Err: err})
	}
}

func (f *Feed) sent(what Sent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state.Lines += what.Lines
}

func (f *Feed) isStale(why string) {
	f.mu.Lock()
	f.state.Stale = why
	f.mu.Unlock()
	f.feeds.Told(Event{To: f.target.String(), Stale: why})
}

// now is how the feed goes.
func (f *Feed) now() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	state := f.state
	if !f.asOf.IsZero() {
		state.Lag = max(0, time.Since(f.asOf).Seconds())
	}
	return state
}
