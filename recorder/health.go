package recorder

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store"
)

// part is a part of the recorder that can fail by itself.
type part int

const (
	committing part = iota
	streaming
	spilling
	roomy   // the disk is not nearly full
	indexed // the index is still where it was
	parts
)

// health is whether all parts of the recorder can write. Recording is on while none of them has a
// fault; each part takes back its own, when a try has succeeded.
type health struct {
	log    zerolog.Logger
	stop   func(why error)       // told of what only a new start mends
	reason atomic.Pointer[error] // why recording is off; nil if it is on
	mu     sync.Mutex
	faults [parts]error
}

func newHealth(stop func(why error), log zerolog.Logger) *health {
	return &health{stop: stop, log: log}
}

// ready is nil, or why recording is off.
func (h *health) ready() error {
	if reason := h.reason.Load(); reason != nil {
		return *reason
	}
	return nil
}

// set notes that a part has failed, or, with a nil error, that it works. It logs when recording
// goes off or on; a part that keeps failing is logged once.
func (h *health) set(p part, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.faults[p]
	h.faults[p] = err
	if errors.Is(err, store.ErrBroken) {
		h.stop(fmt.Errorf("%w: stopped; start it again, which repairs the index or makes it anew", err))
	}
	if err != nil {
		h.reason.Store(&err)
		if before == nil {
			h.log.Error().Err(err).
				Msg("recording is off: new requests are refused until writing works again")
		}
		return
	}
	if before == nil {
		return
	}
	for _, other := range h.faults {
		if other != nil {
			h.reason.Store(&other)
			return
		}
	}
	h.reason.Store(nil)
	h.log.Info().Msg("recording is on again")
}

// fault is what is wrong with one part.
func (h *health) fault(p part) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.faults[p]
}

// First and longest pause before a part that has failed tries again.
const (
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

// retry calls try until it succeeds, with pauses in between, and reports how it goes for part p.
// When the recorder closes it tries once more; the error is that of the last try.
func (h *health) retry(p part, closing <-chan struct{}, try func() error) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		last := isClosed(closing)
		err := try()
		if err == nil {
			h.set(p, nil)
			return nil
		}
		h.set(p, err)
		if last {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-closing:
			timer.Stop()
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// watchEvery is the time between two looks at the collection. A disk takes about 1 GB in it at
// most, which is what min-free-space leaves by default.
const watchEvery = time.Second

// checkSame returns an error unless the file at path is the one that was there.
func checkSame(path string, was os.FileInfo) error {
	is, err := os.Stat(path)
	if err == nil && !os.SameFile(is, was) {
		err = errors.New("it is another file now")
	}
	if err != nil {
		return fmt.Errorf(
			"the index %s was taken away while it was recorded to, stop and start again: %w", path, err)
	}
	return nil
}
