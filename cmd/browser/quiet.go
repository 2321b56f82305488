package browser

import (
	"context"
	"errors"
	"time"
)

// Activity is how far a recorder has come with what a browser asks for.
type Activity struct {
	Ended    int64 // exchanges, well or not, since whenever
	InFlight int   // exchanges that go on
}

// Patience is when a page that nobody looks at is taken to be there.
type Patience struct {
	Quiet   time.Duration // so long nothing has begun or ended, and nothing goes on
	Endless time.Duration // so long nothing has begun or ended, but something goes on: an EventSource
	First   time.Duration // so long the browser may ask for nothing at all
	Most    time.Duration // all of it
}

// DefaultPatience waits two minutes at most.
var DefaultPatience = Patience{
	Quiet:   3 * time.Second,
	Endless: 15 * time.Second,
	First:   time.Minute,
	Most:    2 * time.Minute,
}

// ErrNothing says that a browser has asked for nothing.
var ErrNothing = errors.New("the browser asked for nothing")

// ErrMost says that the longest time was over, and the page still busy.
var ErrMost = errors.New("the page was still busy")

// pulse is the time between two looks at what a recorder does.
const pulse = 250 * time.Millisecond

// Wait waits until the page that a browser has opened is there, as the recorder's activity tells it;
// before is that of the moment before the browser began. It returns nil also when ctx ends.
func (p Patience) Wait(ctx context.Context, before Activity, now func() (Activity, error)) error {
	last, asked, start := before, false, time.Now()
	moved := start
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		is, err := now()
		if err != nil {
			return err
		}
		at := time.Now()
		if is != last {
			last, asked, moved = is, true, at
		}
		still, all := at.Sub(moved), at.Sub(start)
		switch {
		case !asked && all >= min(p.First, p.Most):
			return ErrNothing
		case !asked:
		case is.InFlight == before.InFlight && still >= p.Quiet || still >= p.Endless:
			return nil
		case all >= p.Most:
			return ErrMost
		}
	}
}
