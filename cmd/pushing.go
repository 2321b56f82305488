package cmd

import (
	"context"
	"errors"
	"fmt"

	"warcorder/store/collection"
	"warcorder/store/delta"
	"warcorder/store/outbackcdx"
)

// pushing is a push at work.
type pushing struct {
	*pushCommand
	line   *commandLine
	dir    collection.Dir
	server *outbackcdx.Server
	kept   string // the token file
	stale  bool   // the server has lines of what is not there any more, as was said
}

// all sends all that is new: what an earlier push has begun, and then what has come since. Each round
// takes up what the token file says.
func (p *pushing) all() (exported, error) {
	for {
		at, err := pushedAt(p.kept)
		if err != nil {
			return exported{}, err
		}
		done, err := p.goOn(at)
		if err == nil && at.until == nil {
			return done, nil
		}
		if at.until != nil && errors.Is(err, delta.ErrChanged) {
			err = p.void(at)
		}
		if err != nil && !isChanged(err) {
			return exported{}, err
		}
	}
}

// isChanged reports whether something was removed while lines were sent: the token file says of which.
func isChanged(err error) bool { return errors.Is(err, errRemoved) || errors.Is(err, delta.ErrChanged) }

// goOn sends what was begun, from where the server has it; else what has come since it was given all.
func (p *pushing) goOn(at pushed) (exported, error) {
	done, err := p.send(round{since: at.since, until: at.until, behind: at.behind,
		keep: func(until delta.Token, behind string) error { return p.keep(pushed{at.since, &until, behind}) }})
	if err == nil {
		err = p.keep(pushed{since: done.token})
	}
	return done, err
}

// void sends what has come since what was begun, of which something is there no more: the server may
// have it, and who asks since before it is not told that it is void. Then the server has nothing but what
// is there now, though not all of that: this is what is begun from then on.
func (p *pushing) void(at pushed) error {
	done, err := p.send(round{since: *at.until, keep: func(until delta.Token, _ string) error {
		either := at.until.Or(until)
		return p.keep(pushed{since: at.since, until: &either})
	}})
	if errors.Is(err, delta.ErrOther) {
		p.isStale("all files are gone of which lines were sent last, and nothing says what was there")
		return p.keep(pushed{since: at.since})
	}
	if err == nil {
		err = p.keep(pushed{since: at.since, until: &done.token})
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

// send sends the lines. The server has them when there is no error.
func (p *pushing) send(r round) (done exported, err error) {
	ctx := context.Background()
	one, err := p.server.KeepsOne(ctx)
	if err != nil {
		return done, err
	}
	var until delta.Token
	asked := asking{dir: p.dir, ask: &delta.Ask{Since: r.since}, until: r.until}
	asked.began = func(begun delta.Token) { until = begun }
	feed := outbackcdx.NewFeed(ctx, p.server)
	feed.KeepsAll, feed.Behind = !one, r.behind
	feed.Sends = func() error { return r.keep(until, r.behind) }
	feed.Confirmed = func(behind string) error { return r.keep(until, behind) }
	done, err = asked.export(feed)
	if sent := feed.Err(); sent != nil {
		return done, sent // whatever the reading has made of it
	}
	if err == nil {
		err = feed.Close()
	}
	if err == nil {
		p.tell(feed)
		p.tellStale(&done.Done, feed)
	}
	return done, err
}

func (p *pushing) keep(at pushed) error { return at.keep(p.kept, p.Mode) }

// tell says what was sent, and what was not.
func (p *pushing) tell(feed *outbackcdx.Feed) {
	done := &feed.Done
	p.line.remark("%s added, %s deleted at %s", count(int(done.Added), "line"),
		count(int(done.Deleted), "line"), p.server)
	for _, reason := range done.Reasons() {
		p.line.remark("%s left out, %s", count(int(done.LeftOut[reason]), "line"), reason)
	}
	if done.Before > 0 {
		p.line.remark("%s there before: an earlier push broke off", count(int(done.Before), "line"))
	}
	if done.Digests > 0 {
		p.line.remark("%s without a digest: OutbackCDX keeps SHA-1 alone", count(int(done.Digests), "line"))
	}
}

// tellStale says why the server has lines of what is not there any more, if it has.
func (p *pushing) tellStale(done *delta.Done, feed *outbackcdx.Feed) {
	n, why := done.Unlisted, "they were removed to be forgotten, so that nothing says which they are"
	switch {
	case feed.KeepsAll && done.Rewritten > 0:
		n, why = max(1, n+done.Removed), "files were written anew since, and the version of its index keeps "+
			"lines by their places, which are others now"
	case done.Gone > 0:
		n, why = max(1, n), count(done.Gone, "file")+" gone, and nothing says what was there"
	case feed.Done.Stale > 0:
		n, why = feed.Done.Stale, "the version of its index deletes lines by their places alone"
	}
	if n > 0 {
		p.isStale("%d or more: %s", n, why)
	}
}

// isStale says that the server has lines of what is not there any more: at once, since what comes then
// may break off, and the next push knows nothing of it.
func (p *pushing) isStale(format string, args ...any) {
	p.stale = true
	say("%s has lines of captures that are not there any more, %s", p.server, fmt.Sprintf(format, args...))
}

// staleError is the error of a push after which the server has lines of what is not there any more.
func (p *pushing) staleError() error {
	if !p.stale {
		return nil
	}
	return fmt.Errorf("push: all that is new is at %s; and it has lines of captures that are not there any "+
		"more, see above. To be rid of them remove the collection there, and the token file here, "+
		"and push again", p.server)
}
