package recorder

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// panicsAtMost within panicsWithin are too many to go on: what breaks so often breaks for
	// everybody.
	panicsAtMost = 5
	panicsWithin = time.Minute
)

// errBroken is why the process ends after too many panics.
var errBroken = errors.New(
	"warcorder broke 5 times within a minute (the log has the stacks): stopped, so that no more " +
		"is lost; start it again, and report the first stack",
)

// panics counts the panics that were recovered from, in whatever goroutine. The zero value is
// ready.
type panics struct {
	mu     sync.Mutex
	times  [panicsAtMost]time.Time // of the newest, a ring
	next   int
	broken error // why the process is to stop; nil if it is not
	tell   func(error)
}

// Panicked notes a panic that was recovered from in the work on url ("" if there is none): it is
// logged with its stack and counted, and of five within a minute whoever gave a function to
// OnBroken is told. It is called by the deferred function that recovered, while the stack is still
// there. What it returns says of the exchange why it is lost; the gap is the caller's to note.
func (r *Recorder) Panicked(value any, url string) error {
	r.log.Error().Str("panic", Logged(fmt.Sprint(value))).Str("url", Logged(url)).
		Str("stack", string(debug.Stack())).
		Msg("a fault of warcorder's own was caught: recording goes on")
	r.panics.add(time.Now())
	return fmt.Errorf("a fault of warcorder's own (the log has its stack): %.200s", fmt.Sprint(value))
}

// OnBroken takes the function that is told once when too many panics have come for recording to go
// on: it stops the process, with the error that it gets. It must not wait for the caller.
func (r *Recorder) OnBroken(tell func(error)) {
	p := &r.panics
	p.mu.Lock()
	p.tell = tell
	broken := p.broken
	p.mu.Unlock()
	if broken != nil {
		tell(broken)
	}
}

// add counts one panic.
func (p *panics) add(at time.Time) {
	p.mu.Lock()
	p.times[p.next] = at
	p.next = (p.next + 1) % panicsAtMost
	oldest := p.times[p.next] // of the newest five
	p.mu.Unlock()
	if !oldest.IsZero() && at.Sub(oldest) < panicsWithin {
		p.stop(errBroken)
	}
}

// stop tells whoever stops the process, once, why it must.
func (p *panics) stop(why error) {
	p.mu.Lock()
	before, tell := p.broken, p.tell
	if before == nil {
		p.broken = why
	}
	p.mu.Unlock()
	if before == nil && tell != nil {
		tell(why)
	}
}
