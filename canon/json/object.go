package json

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// arrange returns the leaves of the innermost object, whose members begin at from, in order. Of
// members with the same name the last one counts, at the place of the first, as in Python and
// JavaScript.
func (t *Text) arrange(from int) (all chain) {
	if t.members.length-from > 1 {
		t.keepLasts(from)
	}
	if t.rules.IntegersFirst {
		t.sortIndexes(from)
	}
	for i := from; i < t.members.length; i++ {
		all = t.link(all, t.members.at(i).leaves)
	}
	return all
}

// keepLasts writes the last of the members with the same name over the first.
func (t *Text) keepLasts(from int) {
	t.closed++
	kept := from
	for i := from; i < t.members.length; i++ {
		m := *t.members.at(i)
		at := t.Names.place(m.name, t.closed, kept)
		*t.members.at(at) = m
		if at == kept {
			kept++
		}
	}
	t.members.cut(kept)
}

// indexed is a member whose name is an array index.
type indexed struct {
	index  uint32
	member member
}

// sortIndexes puts the members whose names are array indexes first, ascending, which is the order
// of the properties of a JavaScript object. No two members have the same name.
func (t *Text) sortIndexes(from int) {
	var first []indexed
	for i := from; i < t.members.length; i++ {
		m := t.members.at(i)
		if index, ok := arrayIndex(t.Names.Text(m.name)); ok {
			first = append(first, indexed{index, *m})
			m.name = moved
		}
	}
	if len(first) == 0 {
		return
	}
	slices.SortFunc(first, func(a, b indexed) int { return cmp.Compare(a.index, b.index) })
	to := t.members.length // others go to the end
	for i := to - 1; i >= from; i-- {
		if m := *t.members.at(i); m.name != moved {
			to--
			*t.members.at(to) = m
		}
	}
	for i := range first {
		*t.members.at(from + i) = first[i].member
	}
}

// moved stands in place of a name's number, and is none.
const moved = math.MaxUint32

// arrayIndex reads what ECMAScript calls an array index: a number below 2^32-1 without a leading
// zero.
func arrayIndex(name string) (index uint32, ok bool) {
	if name == "" || len(name) > 10 || name[0] < '0' || name[0] > '9' ||
		name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	n, err := strconv.ParseUint(name, 10, 32)
	return uint32(n), err == nil && n < math.MaxUint32
}
