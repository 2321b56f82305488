package verify

import (
	"bytes"
	"cmp"
	"sync"

	"warcorder/store/extsort"
)

// row is a line of a table, made to be sorted by its bytes.
type row [56]byte

// table gives rows that together may be larger than memory in their order. The zero value is ready.
type table struct {
	mu     sync.Mutex
	sorter extsort.Sorter
}

const tableMemory = 16 << 20 // bytes; what the collector has not taken back yet comes on top

// add adds a row. It may be called from several goroutines.
func (t *table) add(dir string, memory int, r row) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sorter.Dir, t.sorter.Memory = dir, cmp.Or(memory, tableMemory)
	return t.sorter.Add(r[:])
}

// groups gives the rows in their order, those together that begin with the same size bytes. It
// keeps only the first of a group that would fill memory.
func (t *table) groups(size int, each func(group []row)) error {
	rows, err := t.sorter.Sorted()
	if err != nil {
		return err
	}
	var group []row
	for ; rows.More() && err == nil; err = rows.Next() {
		r := row(rows.Head())
		if len(group) > 0 && !bytes.Equal(group[0][:size], r[:size]) {
			each(group)
			group = group[:0]
		}
		if len(group) < maxGroup {
			group = append(group, r)
		}
	}
	if err == nil && len(group) > 0 {
		each(group)
	}
	return err
}

// maxGroup is how many rows of one group are looked at: some 4 MB.
const maxGroup = 64 << 10

// close removes the temporary file.
func (t *table) close() {
	_ = t.sorter.Close() // what was written has been read, or is of no use
}
