package canon

import (
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// arrange returns the leaves of an object's members in order. Of members with the
// same name the last one counts, at the place of the first, as in Python and
// JavaScript.
func (p *jsonParser) arrange(members []member) (all chain) {
	members = lastOfEach(members)
	if p.rules.integersFirst {
		sortIndexes(members)
	}
	for _, m := range members {
		all = p.link(all, m.leaves)
	}
	return all
}

// seed makes the place of a name in a table unforeseeable. It changes no result.
var seed = maphash.MakeSeed()

// lastOfEach writes, in place, the last of the members with the same name over the
// first, and returns the members that are left.
func lastOfEach(members []member) []member {
	if len(members) < 2 {
		return members
	}
	var room [64]uint32 // small objects need no allocation
	table := room[:]
	if need := 2 * len(members); need > len(table) {
		table = make([]uint32, 1<<bits.Len(uint(need)))
	}
	kept := members[:0]
	for _, m := range members {
		slot := findName(table, kept, m.name)
		if *slot == 0 {
			kept = append(kept, m)
			*slot = uint32(len(kept))
		}
		kept[*slot-1] = m
	}
	return kept
}

// findName returns the slot of a hash table for the member called name: it holds
// that member's number plus 1, or 0 if there is none yet. The table is at most half
// full, and its size is a power of 2.
func findName(table []uint32, members []member, name string) *uint32 {
	for i := maphash.String(seed, name); ; i++ {
		slot := &table[i&uint64(len(table)-1)]
		if *slot == 0 || members[*slot-1].name == name {
			return slot
		}
	}
}

// sortIndexes puts the members whose names are array indexes first, ascending, as
// the properties of a JavaScript object are.
func sortIndexes(members []member) {
	index := func(m member) int64 {
		if i, ok := arrayIndex(m.name); ok {
			return int64(i)
		}
		return math.MaxInt64
	}
	if !slices.ContainsFunc(members, func(m member) bool { return index(m) < math.MaxInt64 }) {
		return
	}
	slices.SortStableFunc(members, func(a, b member) int {
		x, y := index(a), index(b)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
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
