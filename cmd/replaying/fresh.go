package replaying

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// Fresh answers from what is being recorded: what a client has had from the recorder is in the index
// before the next request is answered.
type Fresh struct {
	By     answerer
	Settle func(context.Context) error // waits for that

	stuck atomic.Pointer[time.Time] // until then nothing is waited for
}

const (
	settlePatience = 250 * time.Millisecond // for what is on its way into the index
	stuckFor       = 2 * time.Second        // after it was not there in time: a client takes its bytes slowly
)

// Answer has a request answered.
func (f *Fresh) Answer(ctx context.Context, method, url string, head []byte, body io.Reader) (
	answer []byte, rest io.ReadCloser, err error) {
	if until := f.stuck.Load(); until == nil || time.Now().After(*until) {
		f.settle(ctx)
	}
	return f.By.Answer(ctx, method, url, head, body)
}

// settle waits for a while. What is not there then comes by itself, a little later.
func (f *Fresh) settle(ctx context.Context) {
	within, cancel := context.WithTimeout(ctx, settlePatience)
	defer cancel()
	if f.Settle(within) != nil && ctx.Err() == nil {
		until := time.Now().Add(stuckFor)
		f.stuck.Store(&until)
	}
}
