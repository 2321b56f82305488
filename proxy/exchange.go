package proxy

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// exchange is one request of a session on its way to the origin, and the response on its way back.
// It knows of the client's side its session, and of the origin's side the connection that its
// source gave it; the rest of what it needs it holds itself.
type exchange struct {
	client *session // whose request it is, and who gets the answer
	cfg    *Config
	rec    *recorder.Recorder
	log    *zerolog.Logger
	source *source         // where the answer comes from
	stop   context.Context // done when it is to be ended

	req *http1.Request
	to  origin
	url string
	x   *recorder.Exchange // what is kept; nil when it is settled

	up     *upstream // the connection to the origin; nil before and after
	upload *upload   // nil if the request went out in one piece
	until  time.Time // when timeout-total ends it; zero: never
	due    time.Time // when timeout-first-byte ends the wait for a head
	sent   bool      // bytes of the origin have reached the client

	unrecorded bool // as the operator wishes (no-record, a pause): x has facts for the log, no bytes
	whole      whole
}

// abandoned reports that nobody waits for the answer, not even the archive.
func (e *exchange) abandoned() bool { return e.client.gone.Load() && !e.goesOn() }

// overtime reports that an error is timeout-total's doing.
func (e *exchange) overtime(err error) bool {
	return isTimeout(err) && !e.until.IsZero() && !time.Now().Before(e.until)
}

// glance is how long the relay waits for an origin before it begins to watch whether the client is
// still there. Most answers come sooner and are spared the watching. It may be half as long again.
const glance = 250 * time.Millisecond

// by returns the moment at which a step that began now has taken too long.
func (e *exchange) by(patience time.Duration) time.Time {
	at := time.Now().Add(patience)
	if !e.until.IsZero() && e.until.Before(at) {
		return e.until
	}
	return at
}

// boundWrite sets how long the next write may take: timeout-idle and up to an eighth more, but
// never beyond timeout-total.
func (e *exchange) boundWrite(w *wire) {
	patience := e.cfg.Timeout.Idle
	at, slack := e.by(patience), patience/8
	if !e.until.IsZero() && at.Add(slack).After(e.until) {
		slack = 0
	}
	w.writeUntil(at, slack)
}

// bounded sets the limit on a body.
func (e *exchange) bounded(b http1.Body) http1.Body {
	b.Most = e.cfg.MaxBodySize
	return b
}
