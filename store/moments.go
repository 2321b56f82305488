package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"slices"
	"time"
)

// Period is a range of time, both ends inclusive, in seconds: as From and To of a Query say it. The
// zero Period is not used: NewPeriod makes one.
type Period struct{ from, to string }

// NewPeriod returns the period from a timestamp to another: 1 to 14 digits of YYYYMMDDhhmmss; "" is
// the beginning, or the end.
func NewPeriod(from, to string) (p Period, err error) {
	if p.from, err = padTime(from, '0'); err != nil {
		return p, err
	}
	p.to, err = padTime(to, '9')
	return p, err
}

// Has reports whether t is in the period.
func (p Period) Has(t time.Time) bool { return !p.Before(t) && !p.After(t) }

// Before reports whether t lies before the period.
func (p Period) Before(t time.Time) bool {
	return string(appendSeconds(nil, FourDigitYear(t))) < p.from
}

// After reports whether t lies after the period.
func (p Period) After(t time.Time) bool {
	return string(appendSeconds(nil, FourDigitYear(t))) > p.to
}

// Begin returns a moment that no moment of the period precedes: the beginning of its first month.
func (p Period) Begin() time.Time {
	number := func(text string) (n int) {
		for _, c := range []byte(text) {
			n = 10*n + int(c-'0')
		}
		return n
	}
	month := min(max(number(p.from[4:6]), 1), 12)
	return time.Date(number(p.from[:4]), time.Month(month), 1, 0, 0, 0, 0, time.UTC)
}

// sliceMoments is how many moments are read in one transaction.
const sliceMoments = 4096

// Timeline gives all captures from a time on, in the order of time; those of one microsecond in the
// order of their files' names, and in a file as they lie there. What is committed meanwhile may be
// missing. No transaction is open while the caller has a moment.
func (b *Bolt) Timeline(ctx context.Context, from time.Time) iter.Seq2[Moment, error] {
	return func(yield func(Moment, error) bool) {
		r := momentReader{files: &b.files, next: appendMoment(nil, from)}
		for r.next != nil {
			err := ctx.Err()
			if err == nil {
				err = b.read(r.read)
			}
			for i := range r.moments {
				if err == nil && !yield(r.moments[i], nil) {
					return
				}
			}
			if err != nil {
				yield(Moment{}, err)
				return
			}
		}
	}
}

// momentReader reads the timeline in slices. Keys of one moment are in the order of the files' IDs,
// which another index of the same files may not have: so they are sorted by name. Where a slice is
// too short for that, the files are read one after the other.
type momentReader struct {
	files   *fileTable
	file    File     // of the last moment
	next    []byte   // where to go on; nil is the end
	tied    []uint32 // files whose captures of the moment of next are to be read, one by one
	moments []Moment
}

// read reads the next slice.
func (r *momentReader) read(s snapshot) error {
	r.moments = r.moments[:0]
	w := s.bucket(bucketTimeline).walk()
	if len(r.tied) > 0 {
		return r.readTied(w)
	}
	k, v := w.Seek(r.next)
	first := 0 // of the moments of the last time
	for ; k != nil; k, v = w.Next() {
		if n := len(r.moments); n >= sliceMoments {
			if !bytes.HasPrefix(k, appendMoment(nil, r.moments[n-1].Time)) {
				break
			}
			if first == 0 {
				return r.tie(w, r.moments[0].Time)
			}
			k = appendMoment(nil, r.moments[first].Time)
			r.moments = r.moments[:first]
			break
		}
		m, err := r.decode(k, v)
		if err != nil {
			return err
		}
		if n := len(r.moments); n > 0 && !m.Time.Equal(r.moments[n-1].Time) {
			sortByFile(r.moments[first:])
			first = n
		}
		r.moments = append(r.moments, m)
	}
	sortByFile(r.moments[min(first, len(r.moments)):])
	r.goOn(k)
	return nil
}

// goOn lets the next slice begin with that key; nil is the end.
func (r *momentReader) goOn(key []byte) {
	if key == nil {
		r.next = nil
		return
	}
	r.next = append(r.next[:0], key...)
}

// sortByFile sorts moments of one time, which are in the order of file IDs and offsets.
func sortByFile(moments []Moment) {
	slices.SortStableFunc(moments, func(a, b Moment) int { return cmp.Compare(a.File, b.File) })
}

// tie finds the files that have captures of a moment of which there are too many for a slice, and
// reads the first of them.
func (r *momentReader) tie(w walker, at time.Time) error {
	r.moments = r.moments[:0]
	r.next = appendMoment(r.next[:0], at)
	names := make(map[uint32]string)
	k, _ := w.Seek(r.next)
	for bytes.HasPrefix(k, r.next) && len(k) == momentKeySize {
		id := binary.BigEndian.Uint32(k[8:])
		file, err := r.files.get(id)
		if err != nil {
			return damaged("%v", err)
		}
		names[id], r.tied = file.Name, append(r.tied, id)
		k, _ = w.Seek(binary.BigEndian.AppendUint32(appendMoment(nil, at), id+1))
	}
	slices.SortFunc(r.tied, func(a, b uint32) int { return cmp.Compare(names[a], names[b]) })
	r.next = binary.BigEndian.AppendUint32(r.next, r.tied[0])
	return r.readTied(w)
}

// readTied reads on in the first of the tied files.
func (r *momentReader) readTied(w walker) error {
	in := bytes.Clone(r.next[:8+4])
	k, v := w.Seek(r.next)
	for ; bytes.HasPrefix(k, in); k, v = w.Next() {
		if len(r.moments) >= sliceMoments {
			r.goOn(k)
			return nil
		}
		m, err := r.decode(k, v)
		if err != nil {
			return err
		}
		r.moments = append(r.moments, m)
	}
	if r.tied = r.tied[1:]; len(r.tied) > 0 {
		r.next = binary.BigEndian.AppendUint32(in[:8], r.tied[0])
		return nil
	}
	k, _ = w.Seek(append(in[:8], bytes.Repeat([]byte{0xff}, locationSize+1)...))
	r.goOn(k)
	return nil
}

func (r *momentReader) decode(key, value []byte) (m Moment, err error) {
	if m, err = decodeMoment(key, value); err != nil {
		return m, err
	}
	if m.file != r.file.ID {
		if r.file, err = r.files.get(m.file); err != nil {
			return m, damaged("%v", err)
		}
	}
	m.File = r.file.Name
	return m, nil
}

// QuietBefore returns the time of the first capture behind the last pause of that length before a
// time: of all captures from it up to then, each follows another within the pause. It is t if the
// pause was right before.
func (b *Bolt) QuietBefore(ctx context.Context, t time.Time, pause time.Duration) (time.Time, error) {
	first := FourDigitYear(t)
	for ended := false; !ended; {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		err := b.read(func(s snapshot) (err error) {
			first, ended, err = quietBefore(s, first, pause)
			return err
		})
		if err != nil {
			return t, err
		}
	}
	return first, nil
}

// quietBefore is QuietBefore, as far as it comes in one transaction.
func quietBefore(s snapshot, t time.Time, pause time.Duration) (first time.Time, ended bool,
	err error) {
	w := s.bucket(bucketTimeline).walk()
	from := appendMoment(nil, t)
	k, _ := w.Seek(from)
	if k == nil {
		k, _ = w.Last()
	} else {
		k, _ = w.Prev()
	}
	for range sliceMoments {
		if k == nil {
			return t, true, nil
		}
		if len(k) != momentKeySize {
			return t, false, errMoment
		}
		at := timeOfMoment(k)
		if t.Sub(at) >= pause {
			return t, true, nil
		}
		t = at
		k, _ = w.Prev()
	}
	if bytes.Equal(appendMoment(nil, t), from) { // thousands of captures of one microsecond
		t = t.Add(-time.Microsecond)
	}
	return t, false, nil
}

// CaptureOf returns the capture of a moment; urlKey is its URL key, which is needed if the moment has none:
// HasKey. It is false if that capture is not in the index.
func (b *Bolt) CaptureOf(m *Moment, urlKey string) (c Capture, found bool, err error) {
	heads := [][]byte{[]byte(m.key)}
	if m.key == "" {
		key := appendURLKey(nil, urlKey)
		heads = [][]byte{appendKeyHead(nil, key)}
		if len(key) > maxCutKey {
			heads = append(heads, appendCutHead(nil, key))
		}
	}
	err = b.read(func(s snapshot) error {
		for _, head := range heads {
			key := indexKey(appendKeyTail(head, m.Time, m.file, m.Offset))
			value := s.bucket(bucketCaptures).Get(key)
			if value == nil {
				continue
			}
			var d decoder
			c, err = d.capture(key, value, s.bucket(bucketExtras))
			c.File, found = m.File, true
			return err
		}
		return nil
	})
	return c, found, err
}

// Untimed returns how many captures are not in the timeline: those that were put into the index by
// a version without it. A new index has all.
func (b *Bolt) Untimed() (n int64, err error) {
	err = b.read(func(s snapshot) error {
		now := tallyOf(s)
		n = max(now.captures-now.timed, 0)
		return nil
	})
	return n, err
}
