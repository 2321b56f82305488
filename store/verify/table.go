package verify

import (
	"bytes"
	"cmp"
	"sync"

	"warcorder/store/extsort"
)

// row is a row of a table; the order of rows is that of their bytes.
type row [56]byte

// table sorts rows that together may be larger than memory. The zero value is ready.
type table struct {
	mu     sync.Mutex
	sorter extsort.Sorter
}

// tableMemory is how many bytes of rows a table keeps in memory. Garbage comes on top.
const tableMemory = 16 << 20

// add adds a row. It may be called from several goroutines.
func (t *table) add(dir string, memory int, r row) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sorter.Dir, t.sorter.Memory = dir, cmp.Or(memory, tableMemory)
	return t.sorter.Add(r[:])
}

// groups calls each with the rows in their order; rows that begin with the same size bytes are one
// group. Of a group larger than maxGroup only the first rows are looked at.
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
	_ = t.sorter.Close() // an error changes nothing: the rows have been read, or are of no use
}

// differences names the fields in which a capture differs from the record.
func (l line) differences(capture line) (wrong []string) {
	for _, one := range []struct {
		name   string
		differ bool
	}{
		{"length", l.length != capture.length},
		{"URL", l.url != capture.url},
		{"date", l.time != capture.time},
		{"payload digest", differ(l.digest, capture.digest)},
		{"HTTP status", l.status != 0 && capture.status != 0 && l.status != capture.status},
	} {
		if one.differ {
			wrong = append(wrong, one.name)
		}
	}
	return wrong
}
