package cdxapi

import (
	"cmp"
	"container/heap"
	"slices"
	"strconv"
	"time"

	"warcorder/store"
)

// What is given in another order than it is read is kept until all is there: no more lines than are
// asked for, no more than bounds.kept, and of no more than bounds.bytes.

// kept is a line that waits, with its capture.
type kept struct {
	line     line
	distance int64 // in seconds
	number   int   // in the order in which it was read
}

// keep returns a line that is good for longer.
func keep(l *line) line {
	c := *l.Capture
	return line{&c, l.resolved, l.original, l.scratch}
}

// size is about how many bytes a line takes while it is kept.
func (l *line) size() int {
	const around = 256
	c := l.Capture
	return around + len(c.URLKey) + len(c.URL) + len(c.RequestBody) + len(c.MIME) + len(c.Digest) +
		len(c.File)
}

// tooLong says that lines cannot be kept, since they are too long.
func (r *run) tooLong() error {
	return &tooMuch{"Lines that are given in another order than they are read are kept until all are there, " +
		"of " + thousands(r.bounds.bytes) + " bytes at most, and these are longer. Ask for fewer by limit, " +
		"or narrow url, from or to."}
}

// lastOf gives the last lines of a walk, in their order.
func (r *run) lastOf(walk store.Walk) (err error) {
	if r.last > r.bounds.kept {
		return bad("limit", "of the last lines %s can be had: ask with sort=reverse for more",
			thousands(r.bounds.kept))
	}
	r.limit, r.resumable, r.keeps = 0, false, true
	var lines []line
	if r.skipped > 0 {
		lines, err = r.lastForwards(walk)
	} else {
		lines, err = r.lastBackwards(walk)
	}
	if err != nil {
		return err
	}
	for i := range lines {
		if err := r.answer.give(&lines[i]); err != nil {
			return err
		}
	}
	return nil
}

// lastBackwards reads the last lines from the last one on.
func (r *run) lastBackwards(walk store.Walk) (lines []line, err error) {
	size := 0
	err = r.backwards(walk, func(l *line) error {
		if size += l.size(); size > r.bounds.bytes {
			return r.tooLong()
		}
		if lines = append(lines, keep(l)); len(lines) == r.last {
			return errEnough
		}
		return nil
	})
	slices.Reverse(lines)
	return lines, err
}

// lastForwards reads all lines, since the captures that are passed over are at the beginning.
func (r *run) lastForwards(walk store.Walk) (lines []line, err error) {
	size := 0
	err = r.each(r.walking(walk), func(l *line) error {
		if len(lines) == r.last {
			size -= lines[0].size()
			lines = lines[1:]
		}
		if size += l.size(); size > r.bounds.bytes {
			return r.tooLong()
		}
		lines = append(lines, keep(l))
		return nil
	})
	return lines, err
}

// nearest gives the lines of a walk that are the nearest to a moment, the nearest first: those of
// several URL keys, or of a page, which lie in no order of time.
func (r *run) nearest(walk store.Walk) error {
	most := cmp.Or(r.limit, maxNumber)
	r.limit, r.resumable, r.keeps = 0, false, true
	var near nearest
	err := r.each(r.walking(walk), func(l *line) error {
		near.add(l, r.at, min(most, r.bounds.kept+1))
		if near.size > r.bounds.bytes {
			return r.tooLong()
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case near.Len() > r.bounds.kept:
		return bad("limit", "of captures of several URLs, in the order of their distance from a moment, "+
			"%s can be had: give limit", thousands(r.bounds.kept))
	}
	slices.SortFunc(near.lines, compare)
	for i := range near.lines {
		if err := r.answer.give(&near.lines[i].line); err != nil {
			return err
		}
	}
	return nil
}

// nearest are lines, the farthest first as a heap has it.
type nearest struct {
	lines []kept
	read  int
	size  int // bytes of lines
}

func (n *nearest) Len() int           { return len(n.lines) }
func (n *nearest) Swap(i, j int)      { n.lines[i], n.lines[j] = n.lines[j], n.lines[i] }
func (n *nearest) Less(i, j int) bool { return compare(n.lines[i], n.lines[j]) > 0 }
func (n *nearest) Push(x any)         { n.lines = append(n.lines, x.(kept)) }

func (n *nearest) Pop() any {
	last := n.lines[len(n.lines)-1]
	n.lines = n.lines[:len(n.lines)-1]
	return last
}

// compare says which of two lines is the nearer one.
func compare(a, b kept) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.number, b.number))
}

// add adds a line, if it is one of so many that are the nearest.
func (n *nearest) add(l *line, at time.Time, most int) {
	seconds := l.Time.Unix() - at.Unix()
	k := kept{distance: max(seconds, -seconds), number: n.read}
	n.read++
	if len(n.lines) == most {
		if compare(k, n.lines[0]) > 0 {
			return
		}
		n.size -= n.lines[0].line.size()
		heap.Pop(n)
	}
	k.line = keep(l)
	n.size += l.size()
	heap.Push(n, k)
}

// thousands writes a number as a person reads it.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
