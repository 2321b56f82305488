package pushing

import (
	"context"
	"errors"
	"fmt"

	"warcorder/store/delta"
	"warcorder/store/outbackcdx"
)

// indexServer is a push to an index server.
type indexServer struct {
	*Push
	server *outbackcdx.Server
}

// all sends all that is new: what an earlier push has begun, and then what has come since. Each round
// takes up what the token file says.
func (p *indexServer) all(ctx context.Context) error {
	for {
		at, err := pushedAt(p.Kept)
		if err != nil {
			return err
		}
		err = p.goOn(ctx, at)
		if err == nil && at.until == nil {
			return nil
		}
		if at.until != nil && errors.Is(err, delta.ErrChanged) {
			err = p.void(ctx, at)
		}
		if err != nil && !isChanged(err) || ctx.Err() != nil {
			return err
		}
	}
}

// goOn sends what was begun, from where the server has it; else what has come since it was given all.
func (p *indexServer) goOn(ctx context.Context, at pushed) error {
	until, err := p.send(ctx, round{since: at.since, until: at.until, behind: at.behind,
		keep: func(until delta.Token, behind string) error {
			return p.keep(pushed{since: at.since, until: &until, behind: behind})
		}})
	if err != nil {
		return err
	}
	return p.keep(pushed{since: until})
}

// void sends what has come since what was begun, of which something is there no more: the server may
// have it, and who asks since before it is not told that it is void. Then the server has nothing but what
// is there now, though not all of that: this is what is begun from then on.
func (p *indexServer) void(ctx context.Context, at pushed) error {
	done, err := p.send(ctx, round{since: *at.until, keep: func(until delta.Token, _ string) error {
		either := at.until.Or(until)
		return p.keep(pushed{since: at.since, until: &either})
	}})
	if errors.Is(err, delta.ErrOther) {
		p.isStale("all files are gone of which lines were sent last, and nothing says what was there")
		return p.keep(pushed{since: at.since})
	}
	if err == nil {
		err = p.keep(pushed{since: at.since, until: &done})
	}
	return err
}

// round is a delta that is sent.
type round struct {
	since  delta.Token
	until  *delta.Token
	behind string // key and second up to which the server has it

	// keep is called before the first line is sent, and whenever the server has answered for some.
	keep func(until delta.Token, behind string) error
}

// send sends the lines, and returns the token of them. The server has them when there is no error.
func (p *indexServer) send(ctx context.Context, r round) (until delta.Token, err error) {
	one, err := p.server.KeepsOne(ctx)
	if err != nil {
		return until, err
	}
	feed := outbackcdx.NewFeed(ctx, p.server)
	feed.KeepsAll, feed.Behind = !one, r.behind
	feed.Sends = func() error { return r.keep(until, r.behind) }
	feed.Confirmed = func(behind string) error { return r.keep(until, behind) }
	done, err := p.lines(ctx, feed, delta.Ask{Since: r.since, Until: r.until},
		func(begun delta.Token) { until = begun })
	if sent := feed.Err(); sent != nil {
		return until, sent // whatever the reading has made of it
	}
	if err == nil {
		err = feed.Close()
	}
	if err == nil {
		p.tell(&feed.Done)
		p.tellStale(&done, feed)
	}
	return until, err
}

// tell says what was sent, and what was not.
func (p *indexServer) tell(done *outbackcdx.Done) {
	sent := Sent{Lines: done.Added, Deleted: done.Deleted, Before: done.Before, Digests: done.Digests}
	for reason, n := range done.LeftOut {
		if sent.LeftOut == nil {
			sent.LeftOut = map[string]int64{}
		}
		sent.LeftOut[string(reason)] = n
	}
	p.Sent(sent)
}

// tellStale says why the server has lines of what is not there any more, if it has.
func (p *indexServer) tellStale(done *delta.Done, feed *outbackcdx.Feed) {
	n, why := done.Unlisted, "they were removed to be forgotten, so that nothing says which they are"
	switch {
	case feed.KeepsAll && done.Rewritten > 0:
		n, why = max(1, n+done.Removed), "files were written anew since, and the version of its index keeps "+
			"lines by their places, which are others now"
	case done.Gone > 0:
		n, why = max(1, n), fmt.Sprintf("%d file gone, and nothing says what was there", done.Gone)
		if done.Gone > 1 {
			why = fmt.Sprintf("%d files gone, and nothing says what was there", done.Gone)
		}
	case feed.Done.Stale > 0:
		n, why = feed.Done.Stale, "the version of its index deletes lines by their places alone"
	}
	if n > 0 {
		p.isStale(fmt.Sprintf("%d or more: %s", n, why))
	}
}

// isStale says that the server has lines of what is not there any more: at once, since what comes then
// may break off, and the next push knows nothing of it.
func (p *indexServer) isStale(why string) { p.Stale(why) }
