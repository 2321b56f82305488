package recorder

import (
	"context"
	"time"
)

// readers are those who wait until what is on disk is in the index. Captures share a transaction of
// the index, for which they wait; whoever is about to read the index asks for it at once, and so
// never sees that wait.
type readers struct {
	health *health
	asks   chan chan<- struct{}
	asking []chan<- struct{} // whose ask the committer has heard
	ended  chan struct{}     // closed when the committer has ended
}

func newReaders(health *health) readers {
	return readers{
		health: health, asks: make(chan chan<- struct{}), ended: make(chan struct{}),
	}
}

// settle waits until what is on disk is in the index. It does not while the committer cannot write,
// and returns why; that recording is off for another reason, a disk that is nearly full, say, does
// not keep it from that.
func (r *readers) settle(ctx context.Context) error {
	done := make(chan struct{}, 1)
	for asks := r.asks; ; {
		if err := r.health.fault(committing); err != nil {
			return err
		}
		select {
		case asks <- done:
			asks = nil
		case <-done:
			return nil
		case <-r.ended:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(settlePatience): // to look again whether anything can be written
		}
	}
}

const settlePatience = 100 * time.Millisecond

// answer tells those who asked that all that was on disk when they did is in the index.
func (r *readers) answer() {
	for _, done := range r.asking {
		done <- struct{}{}
	}
	r.asking = nil
}

// hear takes down who asks by now: with a slow disk and many exchanges there is always something to
// commit, and next never waits.
func (r *readers) hear(settled bool) {
	for {
		select {
		case done := <-r.asks:
			r.asking = append(r.asking, done)
			continue
		default:
		}
		if settled {
			r.answer()
		}
		return
	}
}
