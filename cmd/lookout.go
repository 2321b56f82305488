package cmd

import (
	"sync"
	"time"
)

// lookout keeps what a look has found, for who asks often: one look at a time, and not two within its
// interval. Who asks while a look goes on waits for it, but not for long: a disk that does not answer
// holds up nobody, who gets what was found before. So does a look that panics, which ends no recording.
type lookout[T any] struct {
	look     func() T
	interval time.Duration
	patience time.Duration
	broke    func(panicked any) // is told of the first look that panics, with its stack still there

	tell  sync.Once
	mu    sync.Mutex
	found T
	at    time.Time     // of the end of the last look
	going chan struct{} // closed when the look that goes on has ended; nil: none does
}

// now returns what was found last.
func (l *lookout[T]) now() T {
	if _, going := l.seen(); going != nil {
		patience := time.NewTimer(l.patience)
		defer patience.Stop()
		select {
		case <-going:
		case <-patience.C:
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.found
}

// seen is now for who does not wait at all: what a look finds that begins by it is there for who comes
// next. going is closed when the look has ended; nil if none goes on.
func (l *lookout[T]) seen() (found T, going <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.going == nil && time.Since(l.at) >= l.interval {
		l.going = make(chan struct{})
		go l.take(l.going)
	}
	return l.found, l.going
}

// take looks.
func (l *lookout[T]) take(going chan struct{}) {
	defer close(going)
	defer func() {
		panicked := recover()
		l.mu.Lock()
		l.at, l.going = time.Now(), nil
		l.mu.Unlock()
		if panicked != nil && l.broke != nil {
			l.tell.Do(func() { l.broke(panicked) })
		}
	}()
	found := l.look()
	l.mu.Lock()
	l.found = found
	l.mu.Unlock()
}
