package store

import (
	"bufio"
	"bytes"
	"errors"

	"warcorder/store/extsort"
)

// cutRun is a run of captures some of whose keys are cut. The SURTs of these must be made again
// before their order is known; a run may have any number of them, so it is sorted outside of
// memory. So is one of very many captures of one second. What is sorted is lines, and behind each
// what leads back to the capture:
//
//	line '\n' 'c' end   of a cut key, or of one of that second
//	line '\n' ' ' end   of another, whose SURT is in the line
//
// A capture that is committed to the run later on is missing.
type cutRun struct {
	head   []byte // what all of its keys begin with
	second bool   // it is of one second
	next   []byte // where in the run to go on with sorting
	sorter extsort.Sorter
	sorted *extsort.Lines // nil until all of the run has been read
	line   []byte         // used again, as text is
	text   bytes.Buffer
}

// begins reports whether k begins a run with cut keys, which is to be read first.
func (s *slice) begins(c cursor, k indexKey) bool {
	head := k.head()
	if head == nil || !c.name.primary() || bytes.Equal(head, s.uncut) {
		return false
	}
	s.run = append(append(s.run[:0], head...), longMark)
	if found, _ := c.captures.walk().Seek(s.run); !bytes.HasPrefix(found, s.run) {
		s.uncut = append(s.uncut[:0], head...)
		return false
	}
	s.beginSorting(cutRun{head: bytes.Clone(head), next: bytes.Clone(k)}, s.run)
	return true
}

// sortSecond begins a run of one second, which begins like that.
func (s *slice) sortSecond(run []byte) {
	s.run = append(s.run[:0], run[:len(run)-len("YYYYMMDDhhmmss")]...)
	s.beginSorting(cutRun{head: run, second: true, next: run}, run)
}

// beginSorting begins to sort a run, the last keys of which begin like last.
func (s *slice) beginSorting(run cutRun, last []byte) {
	run.sorter = extsort.Sorter{Dir: s.temp, Memory: s.memory}
	s.cut = &run
	s.next = append(s.next[:0], last...)
	s.next[len(s.next)-1]++ // behind the run
}

// readCut reads captures of the run with cut keys, once it is sorted.
func (s *slice) readCut(c cursor) error {
	if s.cut == nil {
		return nil
	}
	if s.cut.sorted == nil {
		if err := s.sortCut(c); err != nil || s.cut.sorted == nil {
			return err
		}
	}
	for s.cut.sorted.More() && !s.full() {
		key, err := s.cut.key(s.run)
		if err != nil {
			return err
		}
		if err := s.add(c, key, c.get(key)); err != nil {
			return err
		}
		if err := s.cut.sorted.Next(); err != nil {
			return err
		}
	}
	if s.cut.sorted.More() {
		return nil
	}
	return s.closeCut()
}

// closeCut ends the reading of a run with cut keys.
func (s *slice) closeCut() error {
	if s.cut == nil {
		return nil
	}
	run := s.cut
	s.cut = nil
	return run.sorter.Close()
}

// sortCut sorts the run, as much of it as a slice has room for.
func (s *slice) sortCut(c cursor) (err error) {
	head, run := s.cut.head, s.cut
	for k, v := c.seek(run.next); bytes.HasPrefix(k, head); k, v = c.next() {
		if s.span.between(k) {
			if k, v = c.seek(s.span.cut); !bytes.HasPrefix(k, head) {
				break
			}
		}
		if s.full() {
			run.next = append(run.next[:0], k...)
			return nil
		}
		if err := s.sortKey(c, k, v); err != nil {
			return err
		}
	}
	run.sorted, err = run.sorter.Sorted()
	return err
}

// sortKey gives the capture of a key to the sorter, if the query selects it.
func (s *slice) sortKey(cursor cursor, k indexKey, v []byte) error {
	s.keys++
	if err := k.check(); err != nil {
		return err
	}
	if is, _ := s.since.selects(k, v); !is || !s.span.hasTime(k) {
		return nil
	}
	text, key, value, err := cursor.capture(k, v)
	if err != nil || !s.span.hasMethod(value) {
		return err
	}
	c, _, err := s.decode(cursor, key, value)
	if err != nil {
		return err
	}
	if !s.span.key.primary() {
		*c.key(s.span.key) = string(text)
	}
	s.bytes += len(s.decoder.text)
	if !s.span.has(&c) {
		return nil
	}
	mark := byte(' ')
	run := s.cut
	if k.cut() || run.second {
		mark = 'c'
	}
	run.line = append(c.appendPywb(run.line[:0], s.span.key), '\n', mark)
	run.line = append(run.line, k.tail()...)
	return run.sorter.Add(run.line)
}

// key returns the key in the index of the first of the sorted captures. The run is what cut keys, or
// those of a second, begin with.
func (r *cutRun) key(run []byte) (indexKey, error) {
	r.text.Reset()
	w := bufio.NewWriterSize(&r.text, 512)
	if err := errors.Join(r.sorted.Write(w), w.Flush()); err != nil {
		return nil, err
	}
	line := bytes.TrimSuffix(r.text.Bytes(), []byte("\n"))
	end := line[len(line)-tailSize:]
	if line[len(line)-tailSize-1] == 'c' {
		return append(bytes.Clone(run), end...), nil
	}
	urlKey, _, _ := bytes.Cut(line, []byte(" "))
	return append(appendKeyHead(nil, urlKey), end...), nil
}
