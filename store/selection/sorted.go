package selection

import (
	"bytes"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"warcorder/store"
	"warcorder/store/extsort"
)

// sorted are captures in the order of their lines. A line of the sorter is the capture's CDXJ line,
// a line break, and the capture; of one that is there twice the one that is selected comes first.
type sorted struct {
	sorter extsort.Sorter
	lines  *extsort.Lines
	err    error // what ended the lines

	order  []byte         // of the capture with which the lines are compared
	last   store.Location // of the capture that was given last
	chosen Chosen         // the next
	read   bool           // chosen is the next line
}

// add adds a capture.
func (s *sorted) add(c *Chosen) error {
	rank := byte('0')
	if c.Needed {
		rank = '1'
	}
	line := append(c.AppendCDXJ(nil), '\n', rank)
	return s.sorter.Add(c.Append(line))
}

// begin goes to the first capture. After it nothing can be added.
func (s *sorted) begin() (err error) {
	s.lines, err = s.sorter.Sorted()
	return err
}

// before gives the captures that belong before c.
func (s *sorted) before(c *store.Capture, give func(Chosen) bool) bool {
	if !s.lines.More() {
		return true
	}
	s.order = append(c.AppendCDXJ(s.order[:0]), '\n')
	for s.lines.More() {
		order, err := s.lines.Compare(s.order)
		if err != nil {
			s.err = err
			return false
		}
		if order > 0 {
			return true
		}
		if !s.give(give) {
			return false
		}
	}
	return true
}

// with gives c, which is selected: as it was sorted, if it was, since more is known of it then.
func (s *sorted) with(c *store.Capture, give func(Chosen) bool) bool {
	if s.lines.More() {
		next, ok := s.next()
		if !ok {
			return false
		}
		if next.Location == c.Location && !next.Needed {
			return s.give(give)
		}
	}
	s.last = c.Location
	return give(Chosen{Capture: *c})
}

// rest gives what is left.
func (s *sorted) rest(give func(Chosen) bool) {
	for s.lines.More() && s.give(give) {
	}
}

// give gives the next capture, unless it has been given.
func (s *sorted) give(give func(Chosen) bool) bool {
	c, ok := s.next()
	if !ok {
		return false
	}
	s.read = false
	if s.err = s.lines.Next(); s.err != nil {
		return false
	}
	if c.Location == s.last {
		return true
	}
	s.last = c.Location
	return give(c)
}

// next returns the next capture.
func (s *sorted) next() (c Chosen, ok bool) {
	if s.read {
		return s.chosen, true
	}
	line, err := s.lines.Text()
	s.err = err
	if _, after, found := bytes.Cut(line, []byte{'\n'}); s.err == nil && found && len(after) > 0 {
		s.chosen, s.err = Decode(after[1:])
	} else if s.err == nil {
		s.err = errChosen
	}
	s.read = s.err == nil
	return s.chosen, s.read
}

// recent are the places that were asked for last: many revisits have one original.
type recent struct {
	places *simplelru.LRU[store.Location, struct{}]
}

const mostRecent = 1 << 12

func newRecent() *recent {
	places, err := simplelru.NewLRU[store.Location, struct{}](mostRecent, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	return &recent{places}
}

// has reports whether a place is among them. It is from now on.
func (r *recent) has(at store.Location) bool {
	if r.places.Contains(at) {
		r.places.Get(at)
		return true
	}
	r.places.Add(at, struct{}{})
	return false
}
