package recovery

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"warcorder/store"
	"warcorder/store/collection"
)

// The reasons of gaps that a recovery finds.
const (
	GapMissing = "missing" // a WARC file that was there is not any more, or not all of it
	GapCrash   = "crash"   // the time until which a recorder did not come to its end
)

// The sign of an unclean end is a session that is open in the index though the collection is locked
// by us, or, should the index have been lost, made anew or restored meanwhile, a recorder.json of a
// session that the index does not know. Noting the gap and closing the session are one transaction:
// a recovery that is killed before it comes to that leaves the sign for the next one, and none
// tells twice.

// noteCrash puts a gap into the list if the last recorder has not come to its end. It is called
// when files and index agree again, and knows what that took.
func (r *recovery) noteCrash(index *store.Bolt) error {
	last, err := r.unclean(index)
	if err != nil {
		return err
	}
	if !last.Open {
		return r.dir.Withdraw() // what a recovery has left that was killed when it had noted the gap
	}
	gap := store.Gap{
		Time:   last.Last,
		Until:  time.Now().UTC(),
		Reason: GapCrash,
		Detail: r.crashDetail(),
	}
	if gap.Until.Before(gap.Time) { // the clock was set back
		gap.Until = gap.Time
	}
	last.Open = false
	if err := index.SetSession(last, gap.Cut()); err != nil {
		return err
	}
	r.log.Warn().Time("from", gap.Time).Time("until", gap.Until).Str("detail", gap.Detail).
		Msg("the last recorder did not come to its end: the gap list names the time in between")
	return r.dir.Withdraw()
}

// unclean returns the last session, open if it has not come to its end.
func (r *recovery) unclean(index *store.Bolt) (store.Session, error) {
	last, err := index.Session()
	if errors.Is(err, store.ErrDamaged) {
		last, err = store.Session{}, nil
	}
	if err != nil {
		return last, err
	}
	who, err := r.dir.Running()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return last, nil
	case err != nil && !errors.As(err, new(*collection.UnreadableError)):
		return last, err
	case err != nil || who.Started.IsZero():
		r.log.Warn().AnErr("damage", err).Msg("recorder.json is not to be read: it is passed over")
		return last, nil
	}
	started := store.FourDigitYear(who.Started.Truncate(time.Microsecond))
	if started.Equal(last.Started) {
		return last, nil
	}
	if !last.Open { // else the time of its last transaction is the earlier one
		last.Last = started
	}
	last.Started, last.Open = started, true
	return last, nil
}

// crashDetail says what the recovery has found.
func (r *recovery) crashDetail() string {
	said := "nothing had to be cut off"
	if r.found.Cut > 0 {
		said = fmt.Sprintf("%s of no whole exchange were cut off and kept beside the files",
			humanize.Bytes(uint64(r.found.Cut)))
	}
	if len(r.gone) == 0 {
		return said + ", no file is missing"
	}
	return said + ", missing or too short: " + strings.Join(r.gone, ", ")
}
