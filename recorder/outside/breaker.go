package outside

import (
	"sync"
	"time"
)

// breaker leaves an archive alone that has failed: for a pause that becomes twice as long each time that
// the one question fails which is asked behind it.
type breaker struct {
	patience    int           // failures in a row that begin a pause
	first, most time.Duration // of the pauses

	mu     sync.Mutex
	failed int // in a row
	pause  time.Duration
	until  time.Time
	reason error // why it is left alone; nil if it is not
	trying bool  // the question behind a pause is on its way
}

// begin reports whether the archive may be asked now, and whether that is the question behind a pause.
// end must follow, if something was asked.
func (b *breaker) begin(now time.Time) (may, trial bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reason == nil {
		return true, false
	}
	if b.trying || now.Before(b.until) {
		return false, false
	}
	b.trying = true
	return true, true
}

// end notes what came of a question. It reports whether a pause has begun or the last one was ended by
// it. A question that was asked before the pause says nothing any more.
func (b *breaker) end(trial bool, err error, now time.Time) (changed bool, pause time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if trial {
		b.trying = false
	}
	switch {
	case b.reason != nil && !trial:
		return false, 0
	case err == nil:
		changed = b.reason != nil
		b.failed, b.pause, b.reason = 0, 0, nil
		return changed, 0
	}
	if b.failed++; b.failed < b.patience {
		return false, 0
	}
	changed = b.reason == nil
	b.pause = min(max(2*b.pause, b.first), b.most)
	b.until, b.reason = now.Add(b.pause), err
	return changed, b.pause
}

// state is until when the archive is left alone, and why; nil if it is not.
func (b *breaker) state() (until time.Time, reason error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.until, b.reason
}
