package recorder

import (
	"time"

	"warcorder/recorder/tally"
	"warcorder/store"
)

// telling is what is told of what happens, beside the log: to the tally. Nobody is waited for.
type telling struct {
	tally *tally.Tally
}

func newTelling() *telling { return &telling{tally: tally.New(time.Now())} }

// Tally counts what is recorded, as soon as it is on disk.
func (r *Recorder) Tally() *tally.Tally { return r.telling.tally }

// capture tells of an exchange, or of a record that is none, which is on disk.
func (t *telling) capture(now time.Time, d *done) {
	if !d.captured {
		return
	}
	t.tally.Count(now, &tally.Capture{
		Host: hostOf(d.url), MIME: d.mime, Body: d.body, Written: d.capture.Length,
		Revisit: d.isRevisit(), Extra: d.extra,
	})
}

// gap tells of a gap, which may be of a time long past.
func (t *telling) gap(g *store.Gap) { t.tally.Gap(time.Now(), g.Reason, 1) }

// gaps tells of n gaps of which no more is known than their reason.
func (t *telling) gaps(reason string, n int64) { t.tally.Gap(time.Now(), reason, n) }
