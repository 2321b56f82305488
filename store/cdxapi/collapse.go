package cdxapi

import (
	"crypto/sha256"
	"errors"
	"slices"

	"warcorder/store"
)

// previous is what a column was in the last line that came so far, or in an answer before: of that the
// sum alone is known. The zero previous is that of no line.
type previous struct {
	value *string
	sum   string
}

func (p previous) equals(value string) bool {
	if p.value != nil {
		return *p.value == value
	}
	return p.sum != "" && p.sum == sumOf(value)
}

// sumSize is how many bytes of the SHA-256 of a value are in a key to go on.
const sumSize = 12

func sumOf(value string) string {
	sum := sha256.Sum256([]byte(value))
	return string(sum[:sumSize])
}

// isNew reports whether a line is not to be collapsed with the one before: each of what is compared
// must be another, and is compared with the last line that came so far.
func (r *run) isNew(l *line) bool {
	if r.previous == nil {
		r.previous = make([]previous, len(r.collapse))
		for i := range len(r.resume.sums) / sumSize {
			r.previous[i].sum = r.resume.sums[i*sumSize:][:sumSize]
		}
	}
	for i, of := range r.collapse {
		value := of(l)
		if r.previous[i].equals(value) {
			return false
		}
		r.previous[i] = previous{value: &value}
	}
	return true
}

// sums returns what an answer that goes on needs to know of the last line.
func (r *run) sums() (sums string) {
	if r.previous == nil {
		return r.resume.sums
	}
	for _, p := range r.previous {
		if p.value != nil {
			p.sum = sumOf(*p.value)
		}
		sums += p.sum
	}
	return sums
}

// firstOfEach gives of a walk backwards the lines that are left of one forwards when it is collapsed.
func (r *run) firstOfEach(walk store.Walk) error {
	limit, given := r.limit, 0
	r.limit, r.resumable, r.keeps = 0, false, true
	return r.backwards(walk, func(l *line) error {
		given++
		r.looked = 0
		if err := r.answer.give(l); err != nil {
			return err
		}
		if given == limit {
			return errEnough
		}
		return nil
	})
}

// backwards reads a walk backwards, until give returns errEnough. It is collapsed as it would be
// forwards: by one column after another.
func (r *run) backwards(walk store.Walk, give func(*line) error) error {
	var all []*firsts // the last column first
	for _, of := range slices.Backward(r.collapse) {
		f := &firsts{of: of, give: give}
		all, give = append(all, f), f.add
	}
	r.collapse, walk.Back = nil, true
	err := r.each(r.walking(walk), give)
	for _, f := range slices.Backward(all) {
		if err == nil {
			err = f.end()
		}
	}
	if err == errEnough {
		return nil
	}
	return err
}

// errEnough ends a walk of which no more lines are wanted.
var errEnough = errors.New("enough")

// firsts gives of lines that come backwards, in runs that agree in a column, the first of each run,
// which is read last.
type firsts struct {
	of    func(*line) string
	give  func(*line) error
	first *line // of the run, so far
	value string
}

// add takes the next line.
func (f *firsts) add(l *line) error {
	value := f.of(l)
	if f.first != nil && value != f.value {
		if err := f.give(f.first); err != nil {
			return err
		}
	}
	first := keep(l)
	f.first, f.value = &first, value
	return nil
}

// end gives the first line of the last run.
func (f *firsts) end() error {
	if f.first == nil {
		return nil
	}
	return f.give(f.first)
}
