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

// panics counts the panics that were recovered from, in whatever goroutine.
type panics struct {
	log zerolog.Logger

	mu     sync.Mutex
	times  [panicsAtMost]time.Time // of the newest, a ring
	next   int
	broken error // why the process is to stop; nil if it is not
	tell   func(error)
}

func newPanics(log zerolog.Logger) *panics { return &panics{log: log} }

// caught is Recorder.Panicked.
func (p *panics) caught(value any, url string) error {
	p.log.Error().Str("panic", Logged(fmt.Sprint(value))).Str("url", Logged(url)).
		Str("stack", string(debug.Stack())).
		Msg("a fault of warcorder's own was caught: recording goes on")
	p.add(time.Now())
	return fmt.Errorf("a fault of warcorder's own (the log has its stack): %.200s", fmt.Sprint(value))
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
