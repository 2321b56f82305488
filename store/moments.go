package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"slices"
	"time"

	"warcorder/store/extsort"
)

const (
	// sliceMoments is how many moments are read in one transaction, or some more: all of a stretch of
	// time (timeline.go) are read at once, since it is to be sorted.
	sliceMoments = 4096

	// maxStretch is how many moments of a stretch are sorted in memory, some 6 MB. Those of a longer one,
	// of more than 1,900 captures a second or of a file that tells no better times, are sorted on the
	// disk.
	maxStretch = 1 << 15

	momentMemory = 4 << 20 // bytes of those that are sorted on the disk
)

// Timeline gives all captures from a time on, in the order of time; those of one microsecond in the
// order of their files' names, and in a file as they lie there. What is committed meanwhile may be
// missing. No transaction is open while the caller has a moment. If a Renewal puts another index in
// the place of this one, the error is ErrReplaced: the moments before it lead into files of before.
func (b *Bolt) Timeline(ctx context.Context, from time.Time) iter.Seq2[Moment, error] {
	return func(yield func(Moment, error) bool) {
		r := momentReader{files: &b.files, next: appendStretch(nil, from), most: b.stretchMoments}
		if r.most == 0 {
			r.most = maxStretch
		}
		r.sorter = extsort.Sorter{Dir: b.TempDir, Memory: cmp.Or(b.sortMemory, momentMemory)}
		err := b.moments(ctx, &r, func(m Moment) bool {
			return m.Time.Before(from) || yield(m, nil)
		})
		if err = errors.Join(err, r.sorter.Close()); err != nil && !r.stopped {
			yield(Moment{}, err)
		}
	}
}

// moments calls yield with the moments that r reads.
func (b *Bolt) moments(ctx context.Context, r *momentReader, yield func(Moment) bool) (err error) {
	keys := 0
	for ; !r.done(); keys += sliceMoments {
		if err := b.standBack(ctx, keys); err != nil {
			return err
		}
		if r.sorted != nil {
			err = b.readSame(&r.seen, func(snapshot) error { return r.readSorted() })
		} else {
			err = b.readSame(&r.seen, r.read)
		}
		if err != nil {
			return err
		}
		for i := range r.moments {
			if !yield(r.moments[i]) {
				r.stopped = true
				return nil
			}
		}
	}
	return nil
}

// momentReader reads the timeline in slices.
type momentReader struct {
	seen    *writing // of which the first slice was read
	files   *fileTable
	file    File   // of the last moment
	next    []byte // where to go on; nil is the end
	moments []Moment
	most    int  // of a stretch that is sorted in memory
	stopped bool // nobody wants more

	long   []byte // the stretch that is being sorted on the disk; nil if there is none
	sorter extsort.Sorter
	sorted *extsort.Lines // of that stretch, once all of it is there
	line   []byte
}

func (r *momentReader) done() bool { return r.next == nil && r.long == nil }

// read reads the next slice: whole stretches, or a part of a long one for the sorter.
func (r *momentReader) read(s snapshot) error {
	r.moments = r.moments[:0]
	w := s.bucket(bucketTimeline).walk()
	if r.long != nil {
		return r.sort(w)
	}
	first := 0 // of the moments of the last stretch
	k, v := w.Seek(r.next)
	for last := r.next; k != nil; k, v = w.Next() {
		if !bytes.HasPrefix(k, last) || len(r.moments) == 0 {
			if len(r.moments) >= sliceMoments {
				break
			}
			sortMoments(r.moments[first:])
			first, last = len(r.moments), bytes.Clone(k[:min(len(k), stretchSize)])
		}
		if len(r.moments)-first >= r.most {
			r.moments, r.next = r.moments[:first], last
			if first == 0 {
				r.long = last
			}
			return nil
		}
		m, err := r.decode(k, v)
		if err != nil {
			return err
		}
		r.moments = append(r.moments, m)
	}
	sortMoments(r.moments[first:])
	r.goOn(k)
	return nil
}

// goOn lets the next slice begin with that key; nil is the end.
func (r *momentReader) goOn(key []byte) {
	if key == nil {
		r.next = nil
		return
	}
	r.next = append([]byte{}, key...)
}

// sortMoments sorts moments of one stretch.
func sortMoments(moments []Moment) {
	slices.SortFunc(moments, func(a, b Moment) int {
		if order := a.Time.Compare(b.Time); order != 0 {
			return order
		}
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset))
	})
}

// sort gives a part of the long stretch to the sorter. What is sorted has before each key and its
// value the time(8), and the file's name with a zero.
func (r *momentReader) sort(w walker) (err error) {
	k, v := w.Seek(r.next)
	for n := 0; bytes.HasPrefix(k, r.long) && n < 8*sliceMoments; n++ {
		m, err := r.decode(k, v)
		if err != nil {
			return err
		}
		r.line = binary.BigEndian.AppendUint64(r.line[:0], sinceFirst(m.Time))
		r.line = append(append(append(append(r.line, m.File...), 0), k...), v...)
		if err := r.sorter.Add(r.line); err != nil {
			return err
		}
		k, v = w.Next()
	}
	isWhole := !bytes.HasPrefix(k, r.long)
	if r.goOn(k); isWhole {
		r.sorted, err = r.sorter.Sorted()
	}
	return err
}

// readSorted reads moments of the long stretch, once it is sorted.
func (r *momentReader) readSorted() (err error) {
	r.moments = r.moments[:0]
	for r.sorted.More() && len(r.moments) < sliceMoments {
		_, row, _ := bytes.Cut(r.sorted.Head()[8:], []byte{0})
		m, err := r.decode(row[:momentKeySize], row[momentKeySize:])
		if err != nil {
			return err
		}
		r.moments = append(r.moments, m)
		if err := r.sorted.Next(); err != nil {
			return err
		}
	}
	if r.sorted.More() {
		return nil
	}
	dir, memory := r.sorter.Dir, r.sorter.Memory
	err = r.sorter.Close()
	r.long, r.sorted, r.sorter = nil, nil, extsort.Sorter{Dir: dir, Memory: memory}
	return err
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

// QuietBefore returns a time, the latest that is easily found, that lies not behind t, and before
// which nothing was captured for as long as a pause.
func (b *Bolt) QuietBefore(ctx context.Context, t time.Time, pause time.Duration) (time.Time, error) {
	first, ended := startOfStretch(FourDigitYear(t)), false
	var seen *writing
	for keys := 0; !ended; keys += sliceMoments {
		if err := b.standBack(ctx, keys); err != nil {
			return t, err
		}
		err := b.readSame(&seen, func(s snapshot) (err error) {
			first, ended, err = quietBefore(s, first, pause)
			return err
		})
		if err != nil {
			return t, err
		}
	}
	return first, nil
}

// quietBefore is QuietBefore for the start of a stretch, as far as it comes in one transaction. It
// goes from stretch to stretch.
func quietBefore(s snapshot, first time.Time, pause time.Duration) (_ time.Time, ended bool, err error) {
	w := s.bucket(bucketTimeline).walk()
	for range sliceMoments {
		k, _ := w.Seek(appendStretch(nil, first))
		if k == nil {
			k, _ = w.Last()
		} else {
			k, _ = w.Prev()
		}
		if k == nil {
			return first, true, nil
		}
		if len(k) != momentKeySize {
			return first, false, errMoment
		}
		before := timeOfStretch(k)
		if first.Sub(before)-stretch >= pause {
			return first, true, nil
		}
		first = before
	}
	return first, false, nil
}

// CaptureOf returns the capture of a moment; urlKey is its URL key, which is needed if the moment
// has none: HasKey. It is false if that capture is not in the index.
func (b *Bolt) CaptureOf(m *Moment, urlKey string) (c Capture, found bool, err error) {
	err = b.CapturesOf([]*Moment{m}, []string{urlKey}, func(_ int, one *Capture) bool {
		c, found = *one, true
		return true
	})
	return c, found, err
}

// CapturesOf is CaptureOf for several moments at once, which takes much less time: take is called with
// the number of each moment whose capture is in the index, and with that, and says whether to go on.
func (b *Bolt) CapturesOf(moments []*Moment, urlKeys []string, take func(n int, c *Capture) bool) error {
	return b.read(func(s snapshot) error {
		captures, extras := s.bucket(bucketCaptures), s.bucket(bucketExtras)
		for n, m := range moments {
			for _, head := range m.heads(urlKeys[n]) {
				key := indexKey(appendKeyTail(head, m.Time, m.file, m.Offset))
				value := captures.Get(key)
				if value == nil {
					continue
				}
				var d decoder
				c, err := d.capture(key, value, extras)
				if err != nil {
					return err
				}
				c.File = m.File
				if !take(n, &c) {
					return nil
				}
				break
			}
		}
		return nil
	})
}

// CaptureAt returns the capture with a URL key and a time that lies there, whatever the Length of that
// place. It is false if there is none.
func (b *Bolt) CaptureAt(urlKey string, t time.Time, at Location) (c Capture, found bool, err error) {
	file, known := b.files.named(at.File)
	if !known || at.Offset < 0 || at.Offset > maxOffset {
		return c, false, nil
	}
	return b.CaptureOf(&Moment{Location: at, Time: t, file: file.ID}, urlKey)
}

// heads are what the key of a moment's capture may begin with.
func (m *Moment) heads(urlKey string) [][]byte {
	if m.key != "" {
		return [][]byte{[]byte(m.key)}
	}
	key := appendURLKey(nil, urlKey)
	heads := [][]byte{appendKeyHead(nil, key)}
	if len(key) > maxCutKey {
		heads = append(heads, appendCutHead(nil, key))
	}
	return heads
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
