package json

import "hash/maphash"

// Names numbers the different names of a JSON text. A name is hashed once for each time that it
// stands in the text, and never again for the values that go by it: a name of a megabyte may have a
// million of them. 0 is the empty name.
type Names struct {
	list  pages[knownName] // by number
	table []uint32         // numbers by hash; at most half full, its length a power of 2
	small [32]uint32       // table of a small text
}

// A knownName is a name, and its place in the object that is being closed.
type knownName struct {
	text   string
	hash   uint32
	object uint32 // which object the place is in
	place  uint32
}

// hashSeed makes the place of a name in a table unforeseeable. It changes no result.
var hashSeed = maphash.MakeSeed()

func (n *Names) init() {
	n.list.add(knownName{})
	n.table = n.small[:]
}

// Len returns how many names there are, the empty one among them.
func (n *Names) Len() int { return n.list.length }

// Text returns the name that has a number.
func (n *Names) Text(number uint32) string { return n.list.at(int(number)).text }

// Number returns the number of a name, a new one if it has none.
func (n *Names) Number(name string) uint32 {
	if name == "" {
		return 0
	}
	hash := uint32(maphash.String(hashSeed, name))
	slot := n.slot(hash, name)
	if *slot > 0 {
		return *slot
	}
	number := uint32(n.list.length)
	n.list.add(knownName{text: name, hash: hash})
	*slot = number
	if 2*n.list.length > len(n.table) {
		n.grow()
	}
	return number
}

// slot returns the place of a name in the table, where 0 stands if it has no number.
func (n *Names) slot(hash uint32, name string) *uint32 {
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
func (n *Names) grow() {
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

// place returns where in an object a name stands, which is at next if it has no place there yet.
func (n *Names) place(name, object uint32, next int) int {
	known := n.list.at(int(name))
	if known.object != object {
		known.object, known.place = object, uint32(next)
	}
	return int(known.place)
}
