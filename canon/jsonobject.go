package canon

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// arrange returns the leaves of an object's members in order. Of members with the
// same name the last one counts, at the place of the first, as in Python and
// JavaScript.
func (p *jsonParser) arrange(members []member) (all chain) {
	members = p.lastOfEach(members)
	if p.rules.integersFirst {
		p.sortIndexes(members)
	}
	for _, m := range members {
		all = p.link(all, m.leaves)
	}
	return all
}

// lastOfEach writes, in place, the last of the members with the same name over the
// first, and returns the members that are left.
func (p *jsonParser) lastOfEach(members []member) []member {
	if len(members) < 2 {
		return members
	}
	p.closed++
	kept := members[:0]
	for _, m := range members {
		if at := p.names.place(m.name, p.closed, len(kept)); at < len(kept) {
			kept[at] = m
		} else {
			kept = append(kept, m)
		}
	}
	return kept
}

// indexed is a member whose name is an array index.
type indexed struct {
	index  uint32
	member member
}

// sortIndexes puts the members whose names are array indexes first, ascending, as
// the properties of a JavaScript object are. No two have the same name.
func (p *jsonParser) sortIndexes(members []member) {
	var first []indexed
	others := members[:0]
	for _, m := range members {
		if index, ok := arrayIndex(p.names.text(m.name)); ok {
			first = append(first, indexed{index, m})
		} else {
			others = append(others, m)
		}
	}
	slices.SortFunc(first, func(a, b indexed) int { return cmp.Compare(a.index, b.index) })
	copy(members[len(first):], others)
	for i := range first {
		members[i] = first[i].member
	}
}

// arrayIndex reads what ECMAScript calls an array index: a number below 2^32-1
// without a leading zero.
func arrayIndex(name string) (index uint32, ok bool) {
	if name == "" || len(name) > 10 || !isDigit(name[0]) || name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	n, err := strconv.ParseUint(name, 10, 32)
	return uint32(n), err == nil && n < math.MaxUint32
}
