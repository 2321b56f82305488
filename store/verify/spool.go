package verify

import (
	"bufio"
	"bytes"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"warcorder/store/scratch"
)

// row is a line of a table, made to be sorted by its bytes.
type row [56]byte

// spool sorts rows that together may be larger than memory. What fills its memory becomes a sorted
// run in a temporary file; in the end the runs are merged. The zero value is ready.
type spool struct {
	mu   sync.Mutex
	rows []row
	file *os.File
	runs []run // in it, one behind another
	size int64
}

type run struct{ from, to int64 }

const spoolMemory = 16 << 20 // bytes; what the collector has not taken back yet comes on top

// add adds a row. It may be called from several goroutines.
func (s *spool) add(dir string, memory int, r row) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if memory == 0 {
		memory = spoolMemory
	}
	s.rows = append(s.rows, r)
	if len(s.rows)*len(r) < memory {
		return nil
	}
	if err := s.spill(dir); err != nil {
		return fmt.Errorf("sort: %w", err)
	}
	return nil
}

func (s *spool) sort() {
	slices.SortFunc(s.rows, func(a, b row) int { return bytes.Compare(a[:], b[:]) })
}

// spill makes a run of the rows that are in memory.
func (s *spool) spill(dir string) error {
	if s.file == nil {
		file, err := scratch.Create(dir, "warcorder-verify-*")
		if err != nil {
			return err
		}
		s.file = file
	}
	s.sort()
	out := bufio.NewWriterSize(s.file, 1<<18)
	for i := range s.rows {
		out.Write(s.rows[i][:]) // a bufio.Writer keeps its first error until Flush
	}
	if err := out.Flush(); err != nil {
		return err
	}
	end := s.size + int64(len(s.rows)*len(row{}))
	s.runs = append(s.runs, run{s.size, end})
	s.rows, s.size = s.rows[:0], end
	return nil
}

// groups gives the rows in their order, those together that begin with the same size bytes. It
// keeps only the first of a group that would fill memory.
func (s *spool) groups(size int, each func(group []row)) error {
	var group []row
	err := s.sorted(func(r row) {
		if len(group) > 0 && !bytes.Equal(group[0][:size], r[:size]) {
			each(group)
			group = group[:0]
		}
		if len(group) < maxGroup {
			group = append(group, r)
		}
	})
	if err == nil && len(group) > 0 {
		each(group)
	}
	return err
}

// maxGroup is how many rows of one group are looked at: some 4 MB.
const maxGroup = 64 << 10

// sorted gives the rows in their order.
func (s *spool) sorted(each func(row)) error {
	s.sort()
	m := merge{{rest: s.rows}}
	for _, r := range s.runs {
		buffer := max(spoolMemory/len(s.runs), 4<<10)
		m = append(m, &source{
			in: bufio.NewReaderSize(io.NewSectionReader(s.file, r.from, r.to-r.from), min(buffer, 1<<20)),
		})
	}
	var err error
	m = slices.DeleteFunc(m, func(s *source) bool {
		more, err2 := s.next()
		err = errors.Join(err, err2)
		return !more
	})
	heap.Init(&m)
	for len(m) > 0 && err == nil {
		each(m[0].first)
		var more bool
		if more, err = m[0].next(); more {
			heap.Fix(&m, 0)
		} else {
			heap.Pop(&m)
		}
	}
	if err != nil {
		return fmt.Errorf("sort: %w", err)
	}
	return nil
}

// close removes the temporary file.
func (s *spool) close() {
	if s.file == nil {
		return
	}
	s.file.Close() // what was written has been read, or is of no use
	s.file = nil
}

// source is a sorted run: in memory or in the file.
type source struct {
	first row
	rest  []row
	in    *bufio.Reader
}

// next moves to the next row.
func (s *source) next() (more bool, err error) {
	if s.in == nil {
		if len(s.rest) == 0 {
			return false, nil
		}
		s.first, s.rest = s.rest[0], s.rest[1:]
		return true, nil
	}
	_, err = io.ReadFull(s.in, s.first[:])
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}

// merge is a heap of sources by their first rows.
type merge []*source

func (m merge) Len() int           { return len(m) }
func (m merge) Less(i, j int) bool { return bytes.Compare(m[i].first[:], m[j].first[:]) < 0 }
func (m merge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(x any)        { *m = append(*m, x.(*source)) }
func (m *merge) Pop() any {
	last := len(*m) - 1
	s := (*m)[last]
	*m = (*m)[:last]
	return s
}
