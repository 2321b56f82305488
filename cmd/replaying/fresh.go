package replaying

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// Fresh answers from what is being recorded: what a client has had from the recorder is in the index
// before the next request is answered, also with a slow disk.
type Fresh struct {
	By answerer
	// Settle waits for that; for exchanges whose clients still take or send no longer than for
	// patience, and it reports whether it waited for all.
	Settle func(ctx context.Context, patience time.Duration) (all bool, err error)

	passed atomic.Pointer[time.Time] // until then no client is waited for
	stuck  atomic.Pointer[time.Time] // until then the disk is not waited for either
}

const (
	clientPatience = time.Second      // for a client that has not taken its last bytes
	diskPatience   = 10 * time.Second // for what is on its way into the index
	notAgainFor    = 5 * time.Second  // after it was not there in time
)

// Answer has a request answered.
func (f *Fresh) Answer(ctx context.Context, method, url string, head []byte, body io.Reader) (
	answer []byte, rest io.ReadCloser, err error) {
	if !isAhead(&f.stuck) {
		f.settle(ctx)
	}
	return f.By.Answer(ctx, method, url, head, body)
}

// settle waits for a while. What is not there then comes by itself, a little later.
func (f *Fresh) settle(ctx context.Context) {
	within, cancel := context.WithTimeout(ctx, diskPatience)
	defer cancel()
	patience := clientPatience
	if isAhead(&f.passed) {
		patience = 0
	}
	all, err := f.Settle(within, patience)
	until := time.Now().Add(notAgainFor)
	switch {
	case ctx.Err() != nil: // the client that asked has gone: that says nothing
	case within.Err() != nil:
		f.stuck.Store(&until)
	case err == nil && !all && patience > 0:
		f.passed.Store(&until)
	}
}

// isAhead reports whether a moment is still to come.
func isAhead(moment *atomic.Pointer[time.Time]) bool {
	until := moment.Load()
	return until != nil && time.Now().Before(*until)
}
