package proxy

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/rs/zerolog"

	"warcorder/recorder"
)

// relay is what all sessions share, whichever door they came in by. A session holds a pointer to it
// and nothing of the front door.
type relay struct {
	now         atomic.Pointer[settings]
	source      Source
	rec         *recorder.Recorder // nil: nothing is recorded, and a Source answers everything
	panics      *recorder.Panics
	log         zerolog.Logger
	clients     *clients
	memory      *budget // for large heads
	trust       trust
	doubts      doubts
	seenForeign map[*foreign]*summary // clients that speak other protocols
	pinned      *pinned               // clients that take the origin's certificate only
	untouched   *seldom               // hosts of tunnels that pass untouched
	codings     summary               // responses in codings that others cannot read, by URL
	login       login
	pages       http.Handler // our own

	completions *completions
	paused      pause
	passed      passed

	stop context.Context // done when in-flight exchanges are to be ended
}

// gap notes what came of a connection that is no exchange. What a Source is asked for was not to be
// recorded.
func (r *relay) gap(reason, place, detail string) {
	if r.source == nil {
		r.rec.Gap(reason, place, detail)
	}
}

// gaps notes n connections that were refused for the same reason.
func (r *relay) gaps(n int64, who, why string) {
	r.gap(recorder.GapRefused, who, why)
	if n > 1 && r.source == nil {
		r.rec.GapsMore(recorder.GapRefused, n-1)
	}
}

// broke notes a panic on a connection.
func (r *relay) broke(value any, place string) {
	err := r.panics.Caught(value, place)
	r.gap(recorder.GapWrite, place, err.Error())
}
