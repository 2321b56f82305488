package deflate

import (
	"strings"
	"sync"
)

// presets are the codes of trained, ready to write with.
var presets = sync.OnceValue(func() []codes {
	all := make([]codes, len(trained))
	for i, t := range trained {
		all[i].set(t.lengths())
	}
	return all
})

// A preset is the lengths of a pair of codes, each a digit to the base of 16.
type preset struct{ name, literals, distances string }

const digits = "0123456789abcdef"

func (p *preset) lengths() *lengths {
	l := new(lengths)
	for i := range l.literals {
		l.literals[i] = uint8(strings.IndexByte(digits, p.literals[i]))
	}
	for i := range l.distances {
		l.distances[i] = uint8(strings.IndexByte(digits, p.distances[i]))
	}
	return l
}
