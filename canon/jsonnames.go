package canon

import "hash/maphash"

// jsonNames numbers the different names of a JSON text. A name is hashed once for each
// time that it stands in the text, and never again for the values that go by it: one
// name of a megabyte may have a million of them. 0 is the empty name.
type jsonNames struct {
	list  pages[jsonName] // by number
	table []uint32        // numbers by hash; at most half full, its length a power of 2
	small [32]uint32      // table of a small text
}

// jsonName is a name, and its place in the object that is being closed.
type jsonName struct {
	text   string
	hash   uint32
	object uint32 // which object the place is in
	place  uint32
}

// seed makes the place of a name in a table unforeseeable. It changes no result.
var seed = maphash.MakeSeed()

func (n *jsonNames) init() {
	n.list.add(jsonName{})
	n.table = n.small[:]
}

// text is the name that has a number.
func (n *jsonNames) text(number uint32) string { return n.list.at(int(number)).text }

// number returns the number of a name, a new one if it has none.
func (n *jsonNames) number(name string) uint32 {
	if name == "" {
		return 0
	}
	hash := uint32(maphash.String(seed, name))
	slot := n.slot(hash, name)
	if *slot > 0 {
		return *slot
	}
	number := uint32(n.list.length)
	n.list.add(jsonName{text: name, hash: hash})
	*slot = number
	if 2*n.list.length > len(n.table) {
		n.grow()
	}
	return number
}

// slot returns the place in the table of a name, which is 0 if it has no number.
func (n *jsonNames) slot(hash uint32, name string) *uint32 {
	for i := hash; ; i++ {
		slot := &n.table[i&uint32(len(n.table)-1)]
		if *slot == 0 {
			return slot
		}
		if known := n.list.at(int(*slot)); known.hash == hash && known.text == name {
			return slot
		}
	}
}

// grow doubles the table.
func (n *jsonNames) grow() {
	table := make([]uint32, 2*len(n.table))
	for number := 1; number < n.list.length; number++ {
		i := n.list.at(number).hash
		for table[i&uint32(len(table)-1)] != 0 {
			i++
		}
		table[i&uint32(len(table)-1)] = uint32(number)
	}
	n.table = table
}

// place returns where in an object a name stands: at next, if it has no place there yet.
func (n *jsonNames) place(name, object uint32, next int) int {
	known := n.list.at(int(name))
	if known.object != object {
		known.object, known.place = object, uint32(next)
	}
	return int(known.place)
}
