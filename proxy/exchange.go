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
// origins gave it; the rest of what it needs it holds itself.
type exchange struct {
	client *session // whose request it is, and who gets the answer
	limits
	rec     *recorder.Recorder
	log     *zerolog.Logger
	origins *origins        // where the answer comes from
	stop    context.Context // done when it is to be ended

	req *http1.Request
	to  origin
	url string
	x   *recorder.Exchange // what is kept; nil when it is settled

	up     *upstream // the connection to the origin; nil before and after
	upload *upload   // nil if the request went out in one piece
	due    time.Time // when timeout-first-byte ends the wait for a head
	sent   bool      // bytes of the origin have reached the client

	inPause    bool // it began while recording was paused, and would be recorded else
	unrecorded bool // as the operator wishes (no-record, a pause): x has facts for the log, no bytes
	whole      whole
}

// abandoned reports that nobody waits for the answer, not even the archive.
func (e *exchange) abandoned() bool { return e.client.gone.Load() && !e.goesOn() }

// glance is how long the relay waits for an origin before it begins to watch whether the client is
// still there. Most answers come sooner and are spared the watching. It may be half as long again.
const glance = 250 * time.Millisecond

// bounded sets the limit on a body.
func (e *exchange) bounded(b http1.Body) http1.Body {
	b.Most = e.cfg.MaxBodySize
	return b
}
