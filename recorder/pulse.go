package recorder

import (
	"io"
	"sync/atomic"
	"time"
)

// pulse tells how long a goroutine has been at one step of its work. It beats when a step begins or
// comes on, and rests while the goroutine waits: for work, for others, or for its next try after an
// error, which health knows of. A pulse that has not beaten for minutes belongs to a write or sync
// that does not return, or to a fault of ours; neither ends by waiting.
type pulse struct {
	began time.Time    // what since counts from: no change of the clock moves it
	since atomic.Int64 // nanoseconds, at least 1; 0 while it rests
}

func newPulse() pulse { return pulse{began: time.Now()} }

func (p *pulse) beat() { p.since.Store(max(1, int64(time.Since(p.began)))) }
func (p *pulse) rest() { p.since.Store(0) }

// age is how long ago the pulse has beaten; 0 while it rests.
func (p *pulse) age() time.Duration {
	since := p.since.Load()
	if since == 0 {
		return 0
	}
	return max(0, time.Since(p.began)-time.Duration(since))
}

// during is a try of some work that beats when it begins. The pulse rests behind it: a pause may
// follow.
func (p *pulse) during(try func() error) func() error {
	return func() error {
		p.beat()
		defer p.rest()
		return try()
	}
}

// pulseReader beats with each piece of what is long.
type pulseReader struct {
	io.Reader
	pulse *pulse
}

func (r pulseReader) Read(p []byte) (int, error) {
	r.pulse.beat()
	return r.Reader.Read(p)
}

// Stalled is how long what writes the archive has been at one step: one write, one sync, one
// transaction. It is 0 while there is nothing to write, and between the tries of what has failed: a
// disk that is full, say, is a reason of Ready and no stall. Nothing is waited for.
func (r *Recorder) Stalled() time.Duration {
	return max(r.committer.pulse.age(), r.large.age())
}
