package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"
)

// batch is the captures of one Commit as keys and values, made before its transaction begins. The
// next Commit uses its memory again.
type batch struct {
	buf       []byte // keys and values
	rows      []row
	secondary []secondaryRow
	moments   []momentRow
	present   []bool // by the number of a capture: whether the index may have it already
	originals originals

	key    []byte // the secondary key that is being added
	urlKey []byte // of the capture that is being added
	extras extrasWriter
}

// row is where a capture lies in buf: its value follows its key, its extras follow its value, and
// then comes the key that it may have had before: one that is not cut, if its key is, or the other
// way round.
type row struct {
	number                         int // of the capture in the batch
	key, value, extras, other, end int
	secondaryFrom, secondaryUntil  int // the numbers of its secondary keys
}

// secondaryRow is where a secondary key lies in buf: its value follows it.
type secondaryRow struct {
	name            Key
	key, value, end int
}

// keepBatch is how much memory, in bytes, a batch keeps for the next.
const keepBatch = 16 << 20

// fill makes keys and values of captures, which lie in files.
func (b *batch) fill(captures []Capture, files *fileTable) error {
	b.buf, b.rows, b.secondary = b.buf[:0], b.rows[:0], b.secondary[:0]
	b.moments = b.moments[:0]
	b.originals.reset(keepBatch)
	for i := range captures {
		c := &captures[i]
		file, known := files.named(c.File)
		switch {
		case !known:
			return fmt.Errorf("capture of %s: file %q is not known", c.URL, c.File)
		case c.Offset < 0 || c.Offset > maxOffset || c.Length < 0:
			return fmt.Errorf("capture of %s: offset %d, length %d", c.URL, c.Offset, c.Length)
		}
		if err := b.add(c, file.ID); err != nil {
			return fmt.Errorf("capture of %s: %w", c.URL, err)
		}
		if c.Original != nil {
			b.originals.add(c.Original, file.ID)
		}
	}
	b.originals.sort()
	b.sortMoments()
	slices.SortFunc(b.rows, func(x, y row) int {
		if order := bytes.Compare(b.buf[x.key:x.value], b.buf[y.key:y.value]); order != 0 {
			return order
		}
		return cmp.Compare(x.key, y.key) // the last one counts if a capture is there twice
	})
	return nil
}

// add adds the keys and values of c, which lies in the file with that id.
func (b *batch) add(c *Capture, id uint32) (err error) {
	b.urlKey = appendURLKey(b.urlKey[:0], c.URLKey)
	r := row{number: len(b.rows), key: len(b.buf)}
	if c.isCut(b.urlKey) {
		b.buf = appendCutHead(b.buf, b.urlKey)
	} else {
		b.buf = appendKeyHead(b.buf, b.urlKey)
	}
	b.buf = appendKeyTail(b.buf, c.Time, id, c.Offset)
	r.value = len(b.buf)
	b.buf = appendValue(b.buf, b.urlKey, c)
	r.extras = len(b.buf)
	r.secondaryFrom = len(b.secondary)
	if c.hasExtras() {
		if b.buf, err = b.extras.append(b.buf, c, b.urlKey); err != nil {
			return err
		}
	}
	r.other = len(b.buf)
	if !c.isGET() && len(b.urlKey) > maxCutKey {
		b.addOther(c, id)
	}
	r.end = len(b.buf)
	if r.extras < r.other {
		b.addSecondary(c, b.buf[r.key:r.value])
	}
	r.secondaryUntil = len(b.secondary)
	b.rows = append(b.rows, r)
	b.addMoment(c, id, b.buf[r.key:r.value])
	return nil
}

// addOther adds the key of c that is cut if its own is not.
func (b *batch) addOther(c *Capture, id uint32) {
	if c.isCut(b.urlKey) {
		b.buf = appendKeyHead(b.buf, b.urlKey)
	} else {
		b.buf = appendCutHead(b.buf, b.urlKey)
	}
	b.buf = appendKeyTail(b.buf, c.Time, id, c.Offset)
}

// addSecondary adds the secondary keys of c, whose key in the index is primary.
func (b *batch) addSecondary(c *Capture, primary indexKey) {
	for _, name := range secondaryKeys {
		text := *c.key(name)
		if text == "" {
			continue
		}
		b.key = appendURLKey(b.key[:0], text)
		r := secondaryRow{name: name, key: len(b.buf)}
		b.buf = append(appendKeyHead(b.buf, b.key), primary.tail()...)
		r.value = len(b.buf)
		b.buf = appendSecondary(b.buf, name, b.key, primary)
		r.end = len(b.buf)
		b.secondary = append(b.secondary, r)
	}
}

// release gives back memory that only a very large batch needs.
func (b *batch) release() {
	if cap(b.buf) > keepBatch {
		b.buf = nil
	}
	b.extras.release(keepBatch)
	b.originals.reset(keepBatch)
}

// part returns a part of buf; nothing can be appended to it.
func (b *batch) part(from, until int) []byte { return b.buf[from:until:until] }

// put stores the batch, and brings the tally up to date.
func (b *batch) put(t tables, now *tally) error {
	b.look(t.timeline, now)
	for _, r := range b.rows {
		key, value := b.part(r.key, r.value), b.part(r.value, r.extras)
		if b.present[r.number] {
			if err := t.forgetBefore(key, b.part(r.other, r.end), now); err != nil {
				return err
			}
		}
		now.more(value)
		if err := t.captures.Put(key, value); err != nil {
			return err
		}
		if err := b.putExtras(t, r); err != nil {
			return err
		}
	}
	return b.putMoments(t.timeline, now)
}

// putExtras stores the extras of r and its secondary keys.
func (b *batch) putExtras(t tables, r row) error {
	if r.extras == r.other {
		return nil
	}
	key := indexKey(b.part(r.key, r.value))
	if err := t.extras.Put(key.location(), b.part(r.extras, r.other)); err != nil {
		return err
	}
	for _, s := range b.secondary[r.secondaryFrom:r.secondaryUntil] {
		if err := t.secondary[s.name].Put(b.part(s.key, s.value), b.part(s.value, s.end)); err != nil {
			return err
		}
	}
	return nil
}

// forgetBefore removes what there is of the capture of a key, but for the capture itself, and of
// the key that it may have had before.
func (t tables) forgetBefore(key, other indexKey, now *tally) error {
	if err := t.forgetRest(key, t.captures.Get(key), now); err != nil || len(other) == 0 {
		return err
	}
	return t.forget(other, now)
}

// forget removes the capture of a key, if there is one.
func (t tables) forget(key indexKey, now *tally) error {
	value := t.captures.Get(key)
	if value == nil {
		return nil
	}
	if err := t.forgetRest(key, value, now); err != nil {
		return err
	}
	return t.captures.Delete(key)
}

// forgetRest takes the capture of a key and its value, nil if there is none, off the tally, and
// removes what other buckets have of it.
func (t tables) forgetRest(key indexKey, value []byte, now *tally) error {
	if value == nil {
		return nil
	}
	now.less(value)
	if err := t.forgetMoment(key, value, now); err != nil {
		return err
	}
	return t.forgetExtras(key, value)
}

// forgetExtras removes the extras and the secondary keys of a capture that will be replaced.
func (t tables) forgetExtras(key indexKey, value []byte) error {
	if !hasFlag(value, flagExtras) {
		return nil
	}
	var d decoder
	c, err := d.decode(key, value)
	if err != nil {
		return err
	}
	if err := d.extras.read(&c, key, t.extras.Get(key.location())); err != nil {
		return err
	}
	for _, name := range secondaryKeys {
		text := *c.key(name)
		if text == "" {
			continue
		}
		old := append(appendKeyHead(nil, appendURLKey(nil, text)), key.tail()...)
		if err := t.secondary[name].Delete(old); err != nil {
			return err
		}
	}
	return t.extras.Delete(key.location())
}

// putCaptures stores the batch, and returns the tally behind it.
func putCaptures(tx *bbolt.Tx, rows *batch) (tally, error) {
	now := tallyOf(transaction{tx})
	if len(rows.originals.rows) > 0 {
		bucket, err := tx.CreateBucketIfNotExists(bucketDedup)
		if err == nil {
			err = rows.originals.put(bucket)
		}
		if err != nil {
			return now, err
		}
	}
	before := now
	err := rows.put(tablesOf(tx), &now)
	if err != nil || now == before {
		return now, err
	}
	return now, now.put(tx)
}

// tables are the buckets of the captures, in one transaction.
type tables struct {
	captures, extras, timeline *bbolt.Bucket
	secondary                  map[Key]*bbolt.Bucket
}

// tablesOf returns the buckets of a transaction that writes.
func tablesOf(tx *bbolt.Tx) tables {
	t := tables{tx.Bucket(bucketCaptures), tx.Bucket(bucketExtras), tx.Bucket(bucketTimeline),
		make(map[Key]*bbolt.Bucket)}
	t.extras.FillPercent = 0.9 // keys come in order, as a rule
	t.timeline.FillPercent = 0.95
	for _, name := range secondaryKeys {
		t.secondary[name] = tx.Bucket([]byte(name))
	}
	return t
}

// count returns how many captures there are.
func count(s snapshot) int64 {
	n := s.bucket(bucketMeta).Get(metaCaptures)
	if len(n) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(n))
}
