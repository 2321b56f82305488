package replaying

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"warcorder/store"
)

// Fresh answers from what is being recorded: what a client has had from the recorder is there when the
// next request is answered, also with a slow disk.
type Fresh struct {
	By answerer
	// OnDisk waits until it is on disk; for exchanges whose clients still take or send no longer than
	// for patience, and it reports whether it waited for all.
	OnDisk func(ctx context.Context, patience time.Duration) (all bool, err error)
	// Index waits until what is on disk is in the index, as far as a question may find it.
	Index func(context.Context, store.Question) error

	passed atomic.Pointer[time.Time] // until then no client is waited for
	stuck  atomic.Pointer[time.Time] // until then the disk is not waited for either
}

const (
	clientPatience = time.Second      // for a client that has not taken its last bytes
	diskPatience   = 10 * time.Second // for what is on its way to the disk, or into the index
	notAgainFor    = 5 * time.Second  // after it was not there in time
)

// Answer has a request answered by By, which calls Await before each look at the index.
func (f *Fresh) Answer(ctx context.Context, method, url string, head []byte, body io.Reader) (
	answer []byte, rest io.ReadCloser, err error) {
	f.onDisk(ctx)
	return f.By.Answer(ctx, method, url, head, body)
}

// onDisk waits for a while. What is not there then comes by itself, a little later.
func (f *Fresh) onDisk(ctx context.Context) {
	patience := clientPatience
	if isAhead(&f.passed) {
		patience = 0
	}
	var all bool
	var err error
	inTime := f.within(ctx, func(ctx context.Context) { all, err = f.OnDisk(ctx, patience) })
	if inTime && err == nil && !all && patience > 0 {
		until := time.Now().Add(notAgainFor)
		f.passed.Store(&until)
	}
}

// Await waits for a while until the index has what a question may find. What it leaves out need not be
// there, so that requests take next to nothing from the recording.
func (f *Fresh) Await(ctx context.Context, q store.Question) {
	f.within(ctx, func(ctx context.Context) { f.Index(ctx, q) })
}

// within has wait wait for as long as the disk is waited for, and reports whether it had waited.
func (f *Fresh) within(ctx context.Context, wait func(context.Context)) bool {
	if isAhead(&f.stuck) {
		return false
	}
	within, cancel := context.WithTimeout(ctx, diskPatience)
	defer cancel()
	wait(within)
	switch {
	case ctx.Err() != nil: // the client that asked has gone: that says nothing
		return false
	case within.Err() != nil:
		until := time.Now().Add(notAgainFor)
		f.stuck.Store(&until)
		return false
	}
	return true
}

// isAhead reports whether a moment is still to come.
func isAhead(moment *atomic.Pointer[time.Time]) bool {
	until := moment.Load()
	return until != nil && time.Now().Before(*until)
}
