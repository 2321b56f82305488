package store

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
)

// batch is the captures of one Commit as keys and values, made before its transaction begins. Its memory is used again by the next.
type batch struct {
	buf    []byte // keys and values
	urlKey []byte
	rows   []row
}

// row is where a capture lies in buf: its value follows its key.
type row struct{ key, value, end int }

// fill makes keys and values of captures, which lie in files.
func (b *batch) fill(captures []Capture, files *fileTable) error {
	b.buf, b.rows = b.buf[:0], b.rows[:0]
	for i := range captures {
		c := &captures[i]
		file, known := files.named(c.File)
		switch {
		case !known:
			return fmt.Errorf("capture of %s: file %q is not known", c.URL, c.File)
		case c.Offset < 0 || c.Offset > maxOffset || c.Length < 0:
			return fmt.Errorf("capture of %s: offset %d, length %d", c.URL, c.Offset, c.Length)
		}
		b.urlKey = appendURLKey(b.urlKey[:0], c.URLKey)
		r := row{key: len(b.buf)}
		b.buf = appendKey(b.buf, b.urlKey, c.Time.UTC(), file.ID, c.Offset)
		r.value = len(b.buf)
		b.buf = appendValue(b.buf, b.urlKey, c)
		r.end = len(b.buf)
		b.rows = append(b.rows, r)
	}
	slices.SortFunc(b.rows, func(x, y row) int {
		return bytes.Compare(b.buf[x.key:x.value], b.buf[y.key:y.value])
	})
	return nil
}

// sorted gives the keys, in order, and their values. They are good until the next fill.
func (b *batch) sorted() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		for _, r := range b.rows {
			if !yield(b.buf[r.key:r.value:r.value], b.buf[r.value:r.end:r.end]) {
				return
			}
		}
	}
}
