package removing

import (
	"cmp"
	"context"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/holdings"
	"warcorder/store/readback"
	"warcorder/store/removal"
)

// slack is how long a capture that is too old may stay in a file that has younger ones, as a part of
// the age: a file would else be written anew each time that another of its captures gets too old.
const slack = 24 * time.Hour

// Older is the Choose of a Wish that is for what is older than an age, of what was recorded here: an
// import is as old as its captures, and somebody has brought it all the same. A file of which all
// captures are older goes whole; of others the captures go that are older, when one of them is older by
// a day, or by a quarter of the age if that is less. The certificates of origins stay: see isChain.
func Older(ctx context.Context, dir collection.Dir, age time.Duration, now time.Time) func(*store.Bolt,
	*readback.Files) (removal.Order, error) {
	return func(index *store.Bolt, _ *readback.Files) (removal.Order, error) {
		limit := now.Add(-age)
		ages, err := agesOf(ctx, index, limit)
		if err != nil || len(ages) == 0 {
			return removal.Order{Captures: nothing}, err
		}
		in := chosen(ages, owners(dir), limit, age)
		return removal.Order{
			Aged: true,
			Has:  func(_ string, at time.Time) bool { return at.Before(limit) },
			In:   in,
			Captures: func(yield func(*store.Capture) bool) error {
				err := index.Captures(store.Query{To: stamp(limit)}, func(c *store.Capture) bool {
					stays := !c.Time.Before(limit) || isChain(c) || !in(c.File)
					return ctx.Err() == nil && (stays || yield(c))
				})
				return cmp.Or(err, ctx.Err())
			},
		}, nil
	}
}

// slackOf is how much older than the age captures may be beside younger ones.
func slackOf(age time.Duration) time.Duration { return min(slack, age/4) }

// chosen returns a function that reports whether captures of a file go that are older than the limit.
func chosen(all map[string]ages, own func(string) bool, limit time.Time, age time.Duration) func(string) bool {
	late := limit.Add(-slackOf(age))
	return func(name string) bool {
		a, known := all[name]
		return (!known || a.young == 0 || a.oldest.Before(late)) && own(name)
	}
}

// owners returns a function that reports whether a file was recorded by us, and looks once. What it
// cannot read it does not know, and it stays.
func owners(dir collection.Dir) func(name string) bool {
	known := map[string]bool{}
	return func(name string) bool {
		own, looked := known[name]
		if !looked {
			own = isOwn(dir, name)
			known[name] = own
		}
		return own
	}
}

// isOwn reports whether a file of that name is ours, wherever it is; one that cannot be looked at is not.
func isOwn(dir collection.Dir, name string) (own bool) {
	found := false
	for _, path := range dir.WARCPaths(name) {
		if is, err := collection.IsOwn(path); err == nil {
			own, found = is, true
		}
	}
	if found {
		return own
	}
	away, err := holdings.New(dir).OpenNoted(name)
	if err != nil {
		return false
	}
	defer away.Close()
	own, err = collection.IsOwnIn(away.Section(away.Size), name)
	return own && err == nil
}

// leapOf is the time without any recording from which on the clock may be wrong: shorter ones cost
// nothing that would not go soon.
func leapOf(age time.Duration) time.Duration { return max(age, 30*24*time.Hour) }

// Leaps reports whether the clock may be wrong, so that captures only seem to be older than an age:
// from the end of the last session to the beginning of this one it has gone on for longer than that, or
// since then by so much more than the machine has run.
func Leaps(age time.Duration, last, began, now time.Time, ran time.Duration) bool {
	off := began.Sub(last)
	if last.IsZero() {
		off = 0
	}
	return max(off, now.Round(0).Sub(began.Round(0))-ran) > leapOf(age)
}

func nothing(func(*store.Capture) bool) error { return nil }

// stamp is a time as a Query has it.
func stamp(t time.Time) string { return t.UTC().Format("20060102150405") }

// ages is how old the captures of a file are.
type ages struct {
	young  int64 // captures that are not too old
	oldest time.Time
	latest time.Time
}

// agesOf returns how old the captures of the files are that have one which is too old; none if no file
// has. The timeline tells at once whether there is any.
func agesOf(ctx context.Context, index *store.Bolt, limit time.Time) (map[string]ages, error) {
	untimed, err := index.Untimed()
	if err != nil {
		return nil, err
	}
	for moment, err := range index.Timeline(ctx, time.Time{}) {
		if err != nil {
			return nil, err
		}
		if untimed == 0 && !moment.Time.Before(limit) {
			return nil, nil
		}
		break
	}
	all := map[string]ages{}
	err = index.Captures(store.Query{}, func(c *store.Capture) bool {
		if isChain(c) {
			return ctx.Err() == nil
		}
		a := all[c.File]
		if !c.Time.Before(limit) {
			a.young++
		} else if a.oldest.IsZero() || c.Time.Before(a.oldest) {
			a.oldest = c.Time
		}
		if c.Time.After(a.latest) {
			a.latest = c.Time
		}
		all[c.File] = a
		return ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	for name, a := range all {
		if a.oldest.IsZero() {
			a.oldest = limit
			all[name] = a
		}
	}
	return all, err
}
