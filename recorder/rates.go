package recorder

import (
	"math"
	"sync"
	"time"
)

// Rates are what is recorded in a second, over some time: averages that decay exponentially, as
// those of a machine's load do. While a recorder is younger than that time they are over all that
// has been, and over a second at least.
type Rates struct {
	Minute    Rate `json:"1m"`
	Minutes5  Rate `json:"5m"`
	Minutes15 Rate `json:"15m"`
}

// Rate is what is recorded in a second.
type Rate struct {
	Exchanges float64 `json:"exchanges"`
	Bytes     float64 `json:"bytes"` // written to WARC files
}

// The times that rates are over; the last is for when the disk will be full.
var rateTimes = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 24 * time.Hour}

// rates are made of two counts that only grow, which are looked at every now and then: nothing is
// done for an exchange.
type rates struct {
	mu               sync.Mutex
	began, last      time.Time // the first look, and the last
	exchanges, bytes int64     // as they were at the last look
	decaying         [len(rateTimes)]Rate
}

// look takes the counts at a moment, and returns the rates by then.
func (r *rates) look(now time.Time, exchanges, bytes int64) (all [len(rateTimes)]Rate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.began.IsZero() {
		r.began, r.last, r.exchanges, r.bytes = now, now, exchanges, bytes
		return all
	}
	if passed := now.Sub(r.last); passed > 0 {
		came := Rate{
			Exchanges: float64(exchanges-r.exchanges) / passed.Seconds(),
			Bytes:     float64(bytes-r.bytes) / passed.Seconds(),
		}
		for i, over := range rateTimes {
			r.decaying[i].decay(&came, math.Exp(-float64(passed)/float64(over)))
		}
		r.last, r.exchanges, r.bytes = now, exchanges, bytes
	}
	for i, over := range rateTimes {
		// as much of the average as there is: it began with nothing
		part := -math.Expm1(-float64(max(now.Sub(r.began), time.Second)) / float64(over))
		all[i] = Rate{r.decaying[i].Exchanges / part, r.decaying[i].Bytes / part}
	}
	return all
}

// decay leaves that part of what was, and lets what came have the rest.
func (r *Rate) decay(came *Rate, left float64) {
	r.Exchanges = r.Exchanges*left + came.Exchanges*(1-left)
	r.Bytes = r.Bytes*left + came.Bytes*(1-left)
}
