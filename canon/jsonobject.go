package canon

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// arrange returns the leaves of the innermost object's members, which begin at from, in
// order. Of members with the same name the last one counts, at the place of the first, as
// in Python and JavaScript.
func (p *jsonParser) arrange(from int) (all chain) {
	if p.members.length-from > 1 {
		p.keepLasts(from)
	}
	if p.rules.integersFirst {
		p.sortIndexes(from)
	}
	for i := from; i < p.members.length; i++ {
		all = p.link(all, p.members.at(i).leaves)
	}
	return all
}

// keepLasts writes the last of the members with the same name over the first.
func (p *jsonParser) keepLasts(from int) {
	p.closed++
	kept := from
	for i := from; i < p.members.length; i++ {
		m := *p.members.at(i)
		at := p.names.place(m.name, p.closed, kept)
		*p.members.at(at) = m
		if at == kept {
			kept++
		}
	}
	p.members.cut(kept)
}

// indexed is a member whose name is an array index.
type indexed struct {
	index  uint32
	member member
}

// sortIndexes puts the members whose names are array indexes first, ascending, as
// the properties of a JavaScript object are. No two have the same name.
func (p *jsonParser) sortIndexes(from int) {
	var first []indexed
	for i := from; i < p.members.length; i++ {
		m := p.members.at(i)
		if index, ok := arrayIndex(p.names.text(m.name)); ok {
			first = append(first, indexed{index, *m})
			m.name = moved
		}
	}
	if len(first) == 0 {
		return
	}
	slices.SortFunc(first, func(a, b indexed) int { return cmp.Compare(a.index, b.index) })
	to := p.members.length // others go to the end
	for i := to - 1; i >= from; i-- {
		if m := *p.members.at(i); m.name != moved {
			to--
			*p.members.at(to) = m
		}
	}
	for i := range first {
		*p.members.at(from + i) = first[i].member
	}
}

// moved is no number of a name.
const moved = math.MaxUint32

// arrayIndex reads what ECMAScript calls an array index: a number below 2^32-1
// without a leading zero.
func arrayIndex(name string) (index uint32, ok bool) {
	if name == "" || len(name) > 10 || !isDigit(name[0]) || name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	n, err := strconv.ParseUint(name, 10, 32)
	return uint32(n), err == nil && n < math.MaxUint32
}
