package proxy

import "time"

// limits bound the time of one exchange.
type limits struct {
	cfg   *Config
	until time.Time // when timeout-total ends it; zero: never
}

// begin sets until for what begins now.
func (l *limits) begin(now time.Time) {
	if total := l.cfg.Timeout.Total; total > 0 {
		l.until = now.Add(total)
	}
}

// overtime reports that an error is timeout-total's doing.
func (l *limits) overtime(err error) bool {
	return isTimeout(err) && !l.until.IsZero() && !time.Now().Before(l.until)
}

// by returns the moment at which a step that began now has taken too long.
func (l *limits) by(patience time.Duration) time.Time {
	at := time.Now().Add(patience)
	if !l.until.IsZero() && l.until.Before(at) {
		return l.until
	}
	return at
}

// boundWrite sets how long the next write may take: timeout-idle and up to an eighth more, but
// never beyond timeout-total.
func (l *limits) boundWrite(w *wire) {
	patience := l.cfg.Timeout.Idle
	at, slack := l.by(patience), patience/8
	if !l.until.IsZero() && at.Add(slack).After(l.until) {
		slack = 0
	}
	w.writeUntil(at, slack)
}
