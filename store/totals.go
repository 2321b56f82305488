package store

import (
	"encoding/binary"

	"go.etcd.io/bbolt"
)

// Totals are what a collection holds, over all its recordings.
type Totals struct {
	Captures int64 `json:"captures"`
	// Revisits are those of the captures that refer to another one. They are nil while they have not
	// been counted: a program that counts none has recorded since, and there are too many to count
	// when the index is opened. Recover and rebuild count them.
	Revisits *int64 `json:"revisits,omitempty"`
	Bytes    int64  `json:"bytes"` // of WARC files, as far as they are in the index
	Files    int    `json:"files"` // that have captures, and are there
}

// Totals returns what the collection holds. Of an index that is open for writing no page is read:
// they are to be had while its disk does not answer.
func (b *Bolt) Totals() (t Totals, err error) {
	now := b.tally.Load()
	if now == nil {
		now = new(tally)
		err = b.read(func(s snapshot) error {
			*now = tallyOf(s)
			return nil
		})
	}
	if t.Captures = now.captures; now.counted {
		t.Revisits = &now.revisits
	}
	t.Files, t.Bytes = b.files.size()
	return t, err
}

// tally is how many captures and revisits there are. The value of meta's "revisits":
//
//	revisits(8)
//	captures(8)  when they were counted: if that is another number than meta's "captures", a program
//	             that knows of no revisits has recorded since
type tally struct {
	captures, revisits int64
	counted            bool // the revisits

	timed int64 // captures that are in the timeline: the others were put there by an older program
}

// tallyOf reads the tally of an index.
func tallyOf(s snapshot) tally {
	t := tally{captures: count(s)}
	if v := s.bucket(bucketMeta).Get(metaTimeline); len(v) == 8 {
		t.timed = int64(binary.BigEndian.Uint64(v))
	}
	v := s.bucket(bucketMeta).Get(metaRevisits)
	switch {
	case t.captures == 0:
		t.counted = true
	case len(v) == 16 && int64(binary.BigEndian.Uint64(v[8:])) == t.captures:
		t.revisits, t.counted = int64(binary.BigEndian.Uint64(v)), true
	}
	return t
}

// more adds the capture of a value, less takes it off; nil is none.
func (t *tally) more(value []byte) { t.add(value, 1) }
func (t *tally) less(value []byte) { t.add(value, -1) }

func (t *tally) add(value []byte, n int64) {
	if value == nil {
		return
	}
	t.captures += n
	if isRevisit(value) {
		t.revisits += n
	}
}

// put stores the tally.
func (t *tally) put(tx *bbolt.Tx) error {
	meta := tx.Bucket(bucketMeta)
	captures := binary.BigEndian.AppendUint64(nil, uint64(t.captures))
	if err := meta.Put(metaCaptures, captures); err != nil {
		return err
	}
	timed := binary.BigEndian.AppendUint64(nil, uint64(t.timed))
	if err := meta.Put(metaTimeline, timed); err != nil || !t.counted {
		return err
	}
	return meta.Put(metaRevisits,
		append(binary.BigEndian.AppendUint64(nil, uint64(t.revisits)), captures...))
}

// countedAtOpen is how many captures are looked through for revisits when an index is opened: that
// takes about a second.
const countedAtOpen = 1_000_000

// recount counts the revisits, and stores how many there are, if the index does not say that and has
// no more than most captures.
func (b *Bolt) recount(most int64) error {
	var now tally
	recounted := false
	err := b.read(func(s snapshot) error {
		now = tallyOf(s)
		if now.counted || now.captures > most {
			return nil
		}
		w := s.bucket(bucketCaptures).walk()
		for k, v := w.First(); k != nil; k, v = w.Next() {
			if isRevisit(v) {
				now.revisits++
			}
		}
		now.counted, recounted = true, true
		return nil
	})
	if recounted {
		err = b.update(now.put) // also for who only reads it later
	}
	b.tally.Store(&now)
	return err
}

// revisitMIME is the media type of a revisit in the index.
const revisitMIME = "warc/revisit"

// IsRevisit reports whether c is a revisit.
func (c *Capture) IsRevisit() bool { return c.MIME == revisitMIME }

// isRevisit reports whether the value of a capture is that of a revisit. It decodes nothing else.
func isRevisit(value []byte) bool {
	v := reader{rest: value}
	v.byte()
	v.byte()
	for range 3 {
		v.uvarint()
	}
	return string(v.text()) == revisitMIME
}
