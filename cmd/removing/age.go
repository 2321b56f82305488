package removing

import (
	"context"
	"time"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/removal"
)

// slack is how long a capture that is too old may stay in a file that has younger ones, as a part of
// the age: a file would else be written anew each time that another of its captures gets too old.
const slack = 24 * time.Hour

// Older is the Choose of a Wish that is for what is older than an age. A file of which all captures
// are older goes whole; of others the captures go that are older, when one of them is older by a day,
// or by a quarter of the age if that is less.
func Older(ctx context.Context, age time.Duration, now time.Time) func(*store.Bolt, *readback.Files) (
	removal.Order, error) {
	return func(index *store.Bolt, _ *readback.Files) (removal.Order, error) {
		limit := now.Add(-age)
		ages, err := agesOf(ctx, index, limit)
		if err != nil || len(ages) == 0 {
			return removal.Order{Captures: nothing}, err
		}
		late := limit.Add(-min(slack, age/4))
		in := func(name string) bool {
			a, known := ages[name]
			return !known || a.young == 0 || a.oldest.Before(late)
		}
		return removal.Order{
			KeepsConfirmed: true,
			Has:            func(_ string, at time.Time) bool { return at.Before(limit) },
			In:             in,
			Captures: func(yield func(*store.Capture) bool) error {
				return index.Captures(store.Query{To: stamp(limit)}, func(c *store.Capture) bool {
					return !c.Time.Before(limit) || !in(c.File) || yield(c)
				})
			},
		}, nil
	}
}

// HasOlder reports whether Older would choose anything.
func HasOlder(ctx context.Context, index *store.Bolt, age time.Duration, now time.Time) (bool, error) {
	order, err := Older(ctx, age, now)(index, nil)
	if err != nil {
		return false, err
	}
	any := false
	err = order.Captures(func(c *store.Capture) bool {
		any = true
		return false
	})
	return any, err
}

func nothing(func(*store.Capture) bool) error { return nil }

// stamp is a time as a Query has it.
func stamp(t time.Time) string { return t.UTC().Format("20060102150405") }

// ages is how old the captures of a file are.
type ages struct {
	young  int64 // captures that are not too old
	oldest time.Time
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
		a := all[c.File]
		if !c.Time.Before(limit) {
			a.young++
		} else if a.oldest.IsZero() || c.Time.Before(a.oldest) {
			a.oldest = c.Time
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
