package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"warcorder/cmd/pushing"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/delta"
)

// pushFlags are the settings of what others are given while it is recorded.
type pushFlags struct {
	Push  []string      `name:"push" placeholder:"KIND=ADDRESS,…"`
	Every time.Duration `name:"push-every" default:"1m"`
}

// leastEvery is the shortest time between two rounds of a feed that can be meant.
const leastEvery = time.Second

// check refuses feeds that cannot be meant.
func (f *pushFlags) check() error {
	if err := refuseMask("push", strings.Join(f.Push, ",")); err != nil {
		return err
	}
	if f.Every < leastEvery {
		return fmt.Errorf("push-every is %s, and has to be 1s or more", durationText(f.Every))
	}
	_, err := f.targets()
	return err
}

// targets are those who are given what is new.
func (f *pushFlags) targets() (all []pushing.Target, err error) {
	seen := map[string]bool{}
	for i, text := range f.Push {
		target, err := pushing.ParseTarget(text)
		if err == nil && seen[target.ID()] {
			err = errors.New("it is named twice: leave one of them out")
		}
		if err != nil {
			return nil, fmt.Errorf("push: number %d: %w", i+1, err)
		}
		seen[target.ID()] = true
		all = append(all, target)
	}
	return all, nil
}

// checkIn refuses tables in the collection itself.
func (f *pushFlags) checkIn(dir collection.Dir) error {
	all, err := f.targets()
	for i := range all {
		if err == nil {
			err = checkTarget(&all[i], dir)
		}
	}
	if err != nil {
		err = fmt.Errorf("push: %w", err)
	}
	return err
}

// maskedFeeds masks what a feed may have been given as a password.
func maskedFeeds(texts []string) (masked []string, isMasked bool) {
	masked = []string{}
	for _, text := range texts {
		kind, address, found := strings.Cut(text, "=")
		if other := maskedURL(address); found && other != address {
			text, isMasked = kind+"="+other, true
		}
		masked = append(masked, text)
	}
	return masked, isMasked
}

// feed gives others what is new, until the feeds are closed.
func (s *serving) feed() {
	f := s.feeds
	f.Make, f.IsEmpty, f.Oldest, f.Told, f.Guard = s.push, s.nothingSince, s.oldest, s.feedTold, s.guarded
	s.feedBy(s.now().recordFlags)
}

// feedBy has the feeds go on by settings that were checked.
func (s *serving) feedBy(c *recordFlags) {
	if targets, err := c.Feeds.targets(); err == nil {
		s.feeds.Set(targets, c.Feeds.Every)
	}
}

// push is what a target is given.
func (s *serving) push(target pushing.Target) *pushing.Push {
	return &pushing.Push{
		Target: target, Source: s.lines, Kept: s.dir.PushToken(target.ID()),
		Mode: s.now().Recorder.Mode, Name: s.dir.Name(), Version: version, TempDir: s.dir.Spill(),
	}
}

// lines writes what has come to the collection.
func (s *serving) lines(ctx context.Context, w io.Writer, ask delta.Ask, began func(delta.Token)) (
	done delta.Done, err error) {
	ask.Ends = s.ends
	d, err := delta.Begin(s.dir, s.rec.Index(), store.Query{Context: ctx}, ask)
	if err != nil {
		return done, err
	}
	defer d.Close()
	began(d.Token())
	return d.Write(w, nil)
}

// nothingSince reports whether nothing has come since a token.
func (s *serving) nothingSince(ctx context.Context, ask delta.Ask) (empty bool, err error) {
	ask.Ends = s.ends
	d, err := delta.Begin(s.dir, s.rec.Index(), store.Query{Context: ctx}, ask)
	if err != nil {
		return false, err
	}
	return d.IsEmpty(), d.Close()
}

// guarded does some work, and makes a panic of it an error.
func (s *serving) guarded(work func() error) (err error) {
	defer s.rec.Panics().Catch(&err)
	return work()
}

// oldest is when the first capture was made; zero if there is none.
func (s *serving) oldest(ctx context.Context) time.Time {
	for moment, err := range s.rec.Index().Timeline(ctx, time.Time{}) {
		if err != nil {
			break
		}
		return moment.Time
	}
	return time.Time{}
}

// feedTold logs what is told of a feed.
func (s *serving) feedTold(e pushing.Event) {
	switch {
	case e.Stale != "":
		s.log.Warn().Str("push", e.To).Str("reason", e.Stale).Msg("a feed has lines of captures that are " +
			"not there any more: doc/feeding.md says how to be rid of them")
	case e.Err != nil:
		s.log.Warn().Str("push", e.To).Err(e.Err).Msg("a feed fails: nothing is lost, and it is tried again " +
			"until it is well")
	default:
		s.log.Info().Str("push", e.To).Msg("a feed is well again")
	}
}
