package recorder

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/rs/zerolog"
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

// Panics counts the panics that were recovered from, in whatever goroutine. Those of a recorder and
// of the proxy before it are the same; a proxy without a recorder has its own.
type Panics struct {
	log zerolog.Logger

	mu     sync.Mutex
	number int64                   // of all
	times  [panicsAtMost]time.Time // of the newest, a ring
	next   int
	broken error // why the process is to stop; nil if it is not
	tell   func(error)
}

// NewPanics returns a count of no panics.
func NewPanics(log zerolog.Logger) *Panics { return &Panics{log: log} }

// Caught notes a panic that was recovered from in the work on url ("" if there is none): it is
// logged with its stack and counted, and of five within a minute whoever gave a function to
// OnBroken is told. It is called by the deferred function that recovered, while the stack is still
// there. What it returns says of the exchange why it is lost; the gap is the caller's to note.
func (p *Panics) Caught(value any, url string) error {
	p.log.Error().Str("panic", Logged(fmt.Sprint(value))).Str("url", Logged(url)).
		Str("stack", string(debug.Stack())).
		Msg("a fault of warcorder's own was caught: all else goes on")
	p.add(time.Now())
	return fmt.Errorf("a fault of warcorder's own (the log has its stack): %.200s", fmt.Sprint(value))
}

// Catch, deferred, makes a panic an error: of work that is on no URL, so that all else goes on. See Caught.
func (p *Panics) Catch(err *error) {
	if value := recover(); value != nil {
		*err = p.Caught(value, "")
	}
}

// OnBroken takes the function that is told once when too many panics have come to go on: it stops
// the process, with the error that it gets. It must not wait for the caller.
func (p *Panics) OnBroken(tell func(error)) {
	p.mu.Lock()
	p.tell = tell
	broken := p.broken
	p.mu.Unlock()
	if broken != nil {
		tell(broken)
	}
}

// Number returns how many there have been.
func (p *Panics) Number() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.number
}

// add counts one panic.
func (p *Panics) add(at time.Time) {
	p.mu.Lock()
	p.number++
	p.times[p.next] = at
	p.next = (p.next + 1) % panicsAtMost
	oldest := p.times[p.next] // of the newest five
	p.mu.Unlock()
	if !oldest.IsZero() && at.Sub(oldest) < panicsWithin {
		p.stop(errBroken)
	}
}

// stop tells whoever stops the process, once, why it must.
func (p *Panics) stop(why error) {
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
