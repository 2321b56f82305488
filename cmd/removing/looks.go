package removing

import (
	"context"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
)

// Looks looks again and again whether anything is too old. A look goes through the whole index, if
// that has anything which is older than the age, as a file of another tool has that stays: so Looks
// remembers when something gets too old. The zero Looks has not looked.
type Looks struct {
	last  time.Time // when it was looked, and there was nothing
	next  time.Time // before that there is nothing, unless another file has come
	files uint32    // the highest ID of the files that were there
}

// HasOlder reports whether Older would choose anything.
func (l *Looks) HasOlder(ctx context.Context, dir collection.Dir, index *store.Bolt, age time.Duration,
	now time.Time) (bool, error) {
	known, err := index.Files()
	if err != nil {
		return false, err
	}
	files := uint32(0)
	for _, file := range known {
		files = max(files, file.ID)
	}
	if files == l.files && !now.Before(l.last) && now.Before(l.next) {
		return false, nil
	}
	*l = Looks{}
	limit := now.Add(-age)
	all, err := agesOf(ctx, index, limit)
	if err != nil || len(all) == 0 { // the timeline has told it, which it does again soon
		return false, err
	}
	own := owners(dir)
	in := chosen(all, own, limit, age)
	next := now.Add(slackOf(age)) // what is not too old now in a file with younger ones is not before that
	for name, a := range all {
		if in(name) {
			return true, nil
		}
		if whole := a.latest.Add(age); own(name) {
			next = earlier(next, earlier(whole, a.oldest.Add(age+slackOf(age))))
		}
	}
	*l = Looks{last: now, next: next, files: files}
	return false, nil
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
