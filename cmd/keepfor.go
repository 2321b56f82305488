package cmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"warcorder/cmd/removing"
)

// keepTime is how long what is recorded is kept; 0 is for good. It is written as a number of days,
// 90d, or as other durations are.
type keepTime time.Duration

// leastKept is the shortest time that can be meant: who wants less wants no archive.
const leastKept = time.Hour

// UnmarshalText reads a time.
func (k *keepTime) UnmarshalText(text []byte) error {
	said := string(text)
	read, err := time.ParseDuration(said)
	if days, is := strings.CutSuffix(said, "d"); is {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		read = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || read < 0 || read > 0 && read < leastKept {
		return fmt.Errorf("%q is no time to keep something for: write a number of days, 90d, or of hours, "+
			"36h; 0 keeps it for good", said)
	}
	*k = keepTime(read)
	return nil
}

// MarshalText is the inverse of UnmarshalText.
func (k keepTime) MarshalText() ([]byte, error) {
	d := time.Duration(k)
	if d > 0 && d%(24*time.Hour) == 0 {
		return fmt.Appendf(nil, "%dd", d/(24*time.Hour)), nil
	}
	return []byte(durationText(d)), nil
}

// keepEvery is the time between two looks for what is too old.
const keepEvery = time.Hour

// keep removes what is too old, now and then, and when keep-for has changed, until ctx ends.
func (s *serving) keep(ctx context.Context) {
	var looks removing.Looks
	for began := time.Now(); ; {
		if c := s.now().recordFlags; c.KeepFor > 0 {
			s.removeOld(ctx, c, &looks, began)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.reloading.kept:
		case <-time.After(keepEvery):
		}
	}
}

// removeOld removes what is too old. What it cannot remove now it removes the next time.
func (s *serving) removeOld(ctx context.Context, c *recordFlags, looks *removing.Looks,
	began time.Time) {
	done, err := s.removeOlder(ctx, c, looks, began, time.Now())
	if done.Done {
		s.forget(done.Took)
	}
	for _, why := range done.LeftOut {
		s.log.Warn().Str("reason", why).Msg("a file cannot be written anew: what is older " +
			"than keep-for stays in it")
	}
	switch {
	case err == nil && done.Done:
		s.log.Info().Str("id", done.ID).Int64("captures", done.Captures).Int64("records", done.Records).
			Str("size", humanize.Bytes(uint64(done.Bytes))).Int("files", done.Files).
			Int("emptied", done.Emptied).Int64("moved", done.Moved).
			Strs("left", done.Left).Msg("removed what is older than keep-for")
	case err != nil && ctx.Err() == nil:
		s.log.Error().Err(err).Msg("what is older than keep-for could not be removed: it is tried again " +
			"in an hour")
	}
}

// removeOlder removes what is too old now, in a recording that began then.
func (s *serving) removeOlder(ctx context.Context, c *recordFlags, looks *removing.Looks,
	began, now time.Time) (done removing.Removed, err error) {
	defer s.rec.Panics().Catch(&err) // of the look
	age := time.Duration(c.KeepFor)
	old, err := looks.HasOlder(ctx, s.dir, s.rec.Index(), age, now)
	if err != nil || !old {
		return done, err
	}
	if last := s.rec.Before().Last; removing.Leaps(age, last, began, now, now.Sub(began)) {
		return done, fmt.Errorf("the clock may be wrong: it says %s, and the last recording ended at %s, "+
			"longer ago than keep-for. If it is right, start again, or use warcorder remove --to",
			now.UTC().Format(time.DateTime), last.UTC().Format(time.DateTime))
	}
	return removing.Remove(ctx, s.rec, s.dir, c.Recorder.Mode, removing.Wish{
		Choose: removing.Older(ctx, s.dir, age, now), Forget: true, Look: true,
		Reason: fmt.Sprintf("older than %s (keep-for)", durationText(age)),
	})
}
