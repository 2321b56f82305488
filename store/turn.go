package store

import (
	"context"
	"sync"
	"time"
)

// turns lets those who read an index stand back behind who writes it. Nobody stands back within a
// transaction, nor before the first keys: whoever asks for few captures never waits. Beyond these,
// while there is something to write, all readers together read one slice in each restTime, which takes
// some 10 ms of it with all that becomes of its captures: so reading takes a fortieth of one
// processor, and goes on also where there is always something to write, with 10,000 captures a second.
// The zero value is ready.
type turns struct {
	mu   sync.Mutex
	next time.Time // when a slice may be read for which nobody has come yet
}

const (
	quickKeys = sliceKeys // that a reading looks at before it stands back
	restTime  = 400 * time.Millisecond
	lookEvery = 5 * time.Millisecond // whether there is still something to write
)

// take returns when the slice of one who comes now may be read.
func (t *turns) take() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.next
	if now := time.Now(); mine.Before(now) {
		mine = now
	}
	t.next = mine.Add(restTime)
	return mine
}

// leave lets those who come later have the time of one who did not wait for it.
func (t *turns) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next = t.next.Add(-restTime)
}

// standBack waits until a reading that has looked at so many keys may read another slice. It is to be
// called while no transaction is open. The error is that of ctx.
func (b *Bolt) standBack(ctx context.Context, keys int) error {
	if b.Busy == nil || keys < quickKeys || !b.Busy() {
		return ctx.Err()
	}
	mine := b.turns.take()
	for left := time.Until(mine); left > 0; left = time.Until(mine) {
		select {
		case <-time.After(min(left, lookEvery)):
		case <-ctx.Done():
		}
		if ctx.Err() != nil || !b.Busy() {
			b.turns.leave()
			break
		}
	}
	return ctx.Err()
}
