package proxy

import (
	"context"
	"time"

	"warcorder/recorder"
)

// due is when c may be asked for; never while an answer is under way that is the whole. A URL rests
// after its whole has been asked for: else an origin that gives each part another version would be
// asked for one whole after the other.
func (q *completions) due(c *completion) (at time.Time, ever bool) {
	at, ever = q.quiet(c)
	if rests, known := q.rests.Peek(hashOf(c.url)); known && rests.After(at) && !q.hurries {
		at = rests
	}
	return at, ever
}

// quiet is due without the rest.
func (q *completions) quiet(c *completion) (at time.Time, ever bool) {
	f, latest := q.flights[c.url], c.since.Add(q.most().Within)
	switch quiet := c.last.Add(q.most().Quiet); {
	case f.wholes > 0:
		return at, false
	case q.hurries:
		return c.since, true
	case f.parts == 0 && quiet.Before(latest):
		return quiet, true
	}
	return latest, true
}

// plan sees to it that c is looked at when it is due.
func (q *completions) plan(c *completion) {
	if at, ever := q.due(c); ever {
		q.wakeBy(at)
	}
}

// wakeBy sees to it that those that wait are looked at, at that time at the latest.
func (q *completions) wakeBy(at time.Time) {
	if !q.next.IsZero() && !at.Before(q.next) {
		return
	}
	q.next = at
	if q.timer == nil {
		q.timer = time.AfterFunc(time.Until(at), q.wake)
	} else {
		q.timer.Reset(time.Until(at))
	}
}

// wake is the timer's.
func (q *completions) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next = time.Time{}
	q.advance()
}

// unreadyPause is the time between two looks whether anything can be recorded again.
const unreadyPause = time.Second

// advance starts what is due, as far as there are places, and plans for the others. It looks at all
// that wait, when the first of them is due and whenever a completion has ended. While nothing can
// be recorded they wait on, unless the recorder is to end: each would be refused, and given up.
// While recording is paused they wait too; an end within the pause gives them up.
func (q *completions) advance() {
	now := time.Now()
	switch paused := q.relay.paused.on(); {
	case len(q.queue) == 0:
	case paused && q.hurries:
		q.giveUp("recording was paused until the recorder ended")
		return
	case !q.hurries && (paused || q.relay.rec.Ready() != nil):
		q.wakeBy(now.Add(unreadyPause))
		return
	}
	for i := 0; i < len(q.queue) && len(q.running) < q.most().AtOnce; {
		c := q.queue[i]
		at, ever := q.due(c)
		switch {
		case !ever || q.hosts[c.to.siteName()] >= q.most().PerHost:
		case at.After(now):
			q.plan(c)
		default:
			q.start(c)
			continue
		}
		i++
	}
}

// start asks for c.
func (q *completions) start(c *completion) {
	q.take(c)
	c.begun = time.Now()
	q.asked.Add(c.version, pending)
	s := q.relay.newAbsent()
	q.running[s] = struct{}{}
	q.relay.clients.lend(exchangeFiles)
	q.hosts[c.to.siteName()]++
	go func() {
		defer q.ended(c, s)
		defer func() {
			if value := recover(); value != nil {
				c.fail(q.relay.panics.Caught(value, c.url).Error())
			}
		}()
		c.ask(s)
	}()
}

// ended settles c, which has run.
func (q *completions) ended(c *completion, s *session) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.running, s)
	q.relay.clients.lend(-exchangeFiles)
	host := c.to.siteName()
	if q.hosts[host]--; q.hosts[host] == 0 {
		delete(q.hosts, host)
	}
	if !c.held {
		now := time.Now()
		rest := max(q.most().Again, restFactor*now.Sub(c.begun))
		q.rests.Add(hashOf(c.url), now.Add(rest))
	}
	switch {
	case c.held:
		q.asked.Add(c.version, there)
	case c.whole:
		q.asked.Add(c.version, there)
		q.wholes++
	default:
		q.miss(c)
		q.relay.log.Warn().Str("url", recorder.Logged(c.url)).Str("why", c.why).
			Msg("the whole was asked for, and did not come")
	}
	q.moved.Broadcast()
	q.advance()
}

// hurry makes all that wait due, and all that is noted from now on: the recorder is to end.
func (q *completions) hurry() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hurries = true
	if n := len(q.queue) + len(q.running); n > 0 {
		q.relay.log.Info().Int("waiting", len(q.queue)).Int("running", len(q.running)).
			Msg("asking at once for the wholes of what has come in part")
	}
	q.advance()
}

// wait waits until nothing is left to ask for.
func (q *completions) wait() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.queue)+len(q.running) > 0 {
		q.moved.Wait()
	}
	if q.timer != nil {
		q.timer.Stop()
	}
}

// Whole asks at once for the wholes that are still to come, and waits for them and for fetches that
// go on without their client, until ctx is done: the clients have gone, and nobody else is to come.
func (p *Proxy) Whole(ctx context.Context) {
	q := p.completions
	q.hurry()
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.moved.Broadcast()
	})()
	q.mu.Lock()
	defer q.mu.Unlock()
	for ctx.Err() == nil && len(q.queue)+len(q.running)+q.places > 0 {
		q.moved.Wait()
	}
}

// stop gives up what waits, and ends what runs.
func (q *completions) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
	if n := len(q.queue) + len(q.running); n > 0 {
		q.relay.log.Warn().Int("waiting", len(q.queue)).Int("running", len(q.running)).
			Msg("shutdown-timeout is over: what has come in part stays so")
	}
	q.giveUp("the recorder was stopped")
	for s := range q.running {
		if up := s.upstream.Load(); up != nil {
			up.raw.Close()
		}
	}
}

// giveUp asks for nothing of what waits.
func (q *completions) giveUp(why string) {
	for len(q.queue) > 0 {
		c := q.queue[len(q.queue)-1]
		c.fail(why)
		q.take(c)
		q.miss(c)
	}
}

// miss settles a completion whose whole has not come.
func (q *completions) miss(c *completion) {
	q.failures++
	q.asked.Add(c.version, missed)
	q.relay.rec.GapOf(recorder.GapCut, c.url, c.gap(), c.head)
}

// Completions are counts of what clients have taken a part of, and the archive is to have whole.
type Completions struct {
	Waiting int   `json:"waiting"` // to be asked for
	Running int   `json:"running"` // being asked for
	Alone   int   `json:"alone"`   // fetches that go on without their client
	Whole   int64 `json:"whole"`   // that have come, since the start
	Failed  int64 `json:"failed"`  // that have not; each is a gap
}

// Completions tells how the asking for wholes goes.
func (p *Proxy) Completions() Completions {
	q := p.completions
	q.mu.Lock()
	defer q.mu.Unlock()
	return Completions{len(q.queue), len(q.running), q.places, q.wholes, q.failures}
}
