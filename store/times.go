package store

import "time"

// Timed returns how many captures the timeline has. Who has read it all, and counts, sees by that
// whether more has come.
func (b *Bolt) Timed() (int64, error) {
	if now := b.tally.Load(); now != nil {
		return now.timed, nil
	}
	var n int64
	err := b.read(func(s snapshot) error {
		n = tallyOf(s).timed
		return nil
	})
	return n, err
}

// LastBefore returns a time soon behind the last capture before the stretch of t, for QuietBefore. It
// is false if there is none.
func (b *Bolt) LastBefore(t time.Time) (last time.Time, found bool, err error) {
	err = b.read(func(s snapshot) error {
		w := s.bucket(bucketTimeline).walk()
		k, _ := w.Seek(appendStretch(nil, FourDigitYear(t)))
		if k == nil {
			k, _ = w.Last()
		} else {
			k, _ = w.Prev()
		}
		if k == nil {
			return nil
		}
		if len(k) != momentKeySize {
			return errMoment
		}
		last, found = timeOfStretch(k).Add(stretch), true
		return nil
	})
	return last, found, err
}

// MomentAt returns the moment of a capture that was made at that time and lies there. It is false if
// the index has none.
func (b *Bolt) MomentAt(t time.Time, file string, offset int64) (m Moment, found bool, err error) {
	f, known := b.files.named(file)
	if !known {
		return m, false, nil
	}
	err = b.read(func(s snapshot) error {
		key := appendMomentKey(nil, t, f.ID, offset)
		value := s.bucket(bucketTimeline).Get(key)
		if value == nil {
			return nil
		}
		m, err = decodeMoment(key, value)
		m.File, found = f.Name, err == nil
		return err
	})
	return m, found, err
}
