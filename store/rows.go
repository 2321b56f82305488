package store

import (
	"bytes"
	"encoding/binary"
	"slices"

	"go.etcd.io/bbolt"
)

// rowsAtOnce is how many rows a transaction of a Renewal copies, or as many as have bytesAtOnce.
const (
	rowsAtOnce  = 20_000
	bytesAtOnce = 8 << 20
)

// rows are rows of a bucket that are copied at once.
type rows struct {
	bucket []byte
	from   []byte // where to go on
	done   bool   // nothing follows

	buf  []byte
	ends [][2]int // of keys and values in buf
}

// copySlice copies the rows that come next.
func (r *Renewal) copySlice(rows *rows) error {
	of := fileOf(rows.bucket)
	rows.buf, rows.ends = rows.buf[:0], rows.ends[:0]
	err := r.from.read(func(s snapshot) error {
		w := s.bucket(rows.bucket).walk()
		k, v := w.Seek(rows.from)
		for n := 0; k != nil && n < rowsAtOnce && len(rows.buf) < bytesAtOnce; n++ {
			id, err := of(k, v)
			if err != nil {
				return err
			}
			if r.without[id] {
				r.skip(rows.bucket, v)
			} else {
				rows.add(k, v)
			}
			k, v = w.Next()
		}
		rows.from, rows.done = append(rows.from[:0], k...), k == nil
		return nil
	})
	if err != nil || len(rows.ends) == 0 {
		return err
	}
	return r.to.update(rows.put)
}

// skip counts a row that is not copied.
func (r *Renewal) skip(bucket, value []byte) {
	switch string(bucket) {
	case string(bucketCaptures):
		r.skipped.captures++
		if isRevisit(value) {
			r.skipped.revisits++
		}
	case string(bucketTimeline):
		r.skipped.timed++
	}
}

// add adds a row.
func (r *rows) add(key, value []byte) {
	r.buf = append(r.buf, key...)
	end := len(r.buf)
	r.buf = append(r.buf, value...)
	r.ends = append(r.ends, [2]int{end, len(r.buf)})
}

// put stores the rows.
func (r *rows) put(tx *bbolt.Tx) error {
	bucket, start := tx.Bucket(r.bucket), 0
	bucket.FillPercent = 0.9 // they come in order
	for _, end := range r.ends {
		if err := bucket.Put(r.buf[start:end[0]], r.buf[end[0]:end[1]]); err != nil {
			return err
		}
		start = end[1]
	}
	return nil
}

// copied are the buckets whose rows are copied one by one; the others are small, and change while
// that goes on.
func copied() [][]byte {
	return slices.DeleteFunc(buckets(), func(name []byte) bool {
		return slices.ContainsFunc([][]byte{bucketFiles, bucketRemotes, bucketGaps, bucketMeta},
			func(other []byte) bool { return bytes.Equal(name, other) })
	})
}

// fileOf returns what tells the file of a row of a bucket. Most keys end with their place.
func fileOf(bucket []byte) func(key, value []byte) (uint32, error) {
	if bytes.Equal(bucket, bucketDedup) {
		return func(_, value []byte) (uint32, error) {
			if len(value) < originalHead {
				return 0, errOriginal
			}
			return binary.BigEndian.Uint32(value[originalFile:]), nil
		}
	}
	return func(key, _ []byte) (uint32, error) {
		if len(key) < locationSize {
			return 0, damaged("a key %q", key)
		}
		return binary.BigEndian.Uint32(key[len(key)-locationSize:]), nil
	}
}
