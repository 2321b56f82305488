package replaying

import (
	"context"
	"io"
	"sync/atomic"
)

// Counted counts the requests that somebody answers.
type Counted struct {
	By answerer

	inFlight, ended atomic.Int64
}

// InFlight is how many requests are being answered.
func (c *Counted) InFlight() int64 { return c.inFlight.Load() }

// Ended is how many requests have been, well or not.
func (c *Counted) Ended() int64 { return c.ended.Load() }

// Answer has a request answered.
func (c *Counted) Answer(ctx context.Context, method, url string, head []byte, body io.Reader) (
	answer []byte, rest io.ReadCloser, err error) {
	c.inFlight.Add(1)
	answer, rest, err = c.By.Answer(ctx, method, url, head, body)
	if err != nil || rest == nil {
		c.end()
		return answer, rest, err
	}
	return answer, &counted{rest, c}, nil
}

func (c *Counted) end() {
	c.ended.Add(1)
	c.inFlight.Add(-1)
}

// counted is the rest of an answer, which ends once.
type counted struct {
	io.ReadCloser
	of *Counted
}

func (r *counted) Close() error {
	if r.of != nil {
		r.of.end()
		r.of = nil
	}
	return r.ReadCloser.Close()
}
