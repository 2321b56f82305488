package deflate

import "math/bits"

const (
	endOfBlock    = 256
	literalCount  = 286 // codes of literals, of the end of a block and of lengths
	distanceCount = 30
	maxCode       = 14 // bits; four literals and what is left of a byte fit into 64
)

// lengths are the number of bits of each code.
type lengths struct {
	literals  [literalCount]uint8
	distances [distanceCount]uint8
}

// A code is its bits, in the order in which they are written, above 8 bits that say how many they
// are.
type code uint32

func newCode(value uint32, n uint8) code { return code(value<<8 | uint32(n)) }

func (c code) bits() uint64 { return uint64(c >> 8) }
func (c code) size() uint   { return uint(c & 0xff) }

// codes is a pair of Huffman codes, ready to write with, and what declares them.
type codes struct {
	lengths
	literal  [256]code
	end      code
	length   [256]code // by length-shortest, with its extra bits
	distance [32]code  // 30 and 31 are never used
	header   writer    // a block of these codes begins with it
}

// lengthCode returns the code of a match's length, how many extra bits follow it, and these bits.
func lengthCode(length int) (symbol, extra int, rest uint32) {
	if length == longest {
		return 285, 0, 0
	}
	n := uint32(length - shortest)
	if n < 8 {
		return 257 + int(n), 0, 0
	}
	e := bits.Len32(n) - 3
	return 257 + 4*e + int(n>>e), e, n & (1<<e - 1)
}

// distanceCode returns the code of a distance and how many extra bits follow it: these are the
// lower bits of distance-1.
func distanceCode(distance uint32) (symbol, extra uint32) {
	d := distance - 1
	e := uint32(bits.Len32(d|2)) - 2
	return 2*e + d>>e, e
}

// set makes the codes of l.
func (c *codes) set(l *lengths) {
	c.lengths = *l
	var symbols [literalCount]code
	assign(symbols[:], l.literals[:])
	copy(c.literal[:], symbols[:])
	c.end = symbols[endOfBlock]
	for i := range c.length {
		symbol, extra, rest := lengthCode(i + shortest)
		n := uint8(symbols[symbol])
		c.length[i] = newCode(uint32(symbols[symbol]>>8)|rest<<n, n+uint8(extra))
	}
	assign(c.distance[:], l.distances[:])
	c.header.reset(c.header.out[:0])
	c.header.declare(l)
	c.header.flush()
}

// assign gives out canonical codes (RFC 1951 section 3.2.2).
func assign(codes []code, lengths []uint8) {
	var next [16]uint32
	for _, n := range lengths {
		next[n]++
	}
	next[0] = 0
	first := uint32(0)
	for n := range next {
		next[n], first = first, (first+next[n])<<1
	}
	for symbol, n := range lengths {
		codes[symbol] = newCode(uint32(bits.Reverse16(uint16(next[n]))>>(16-n)), n)
		next[n]++
	}
}

// build sets lengths to those of a Huffman code of limit bits at most. Every symbol gets a code,
// used or not.
func build(lengths []uint8, counts []uint32, limit int) {
	var nodes [literalCount]node
	sorted := nodes[:len(counts)]
	all := uint32(0)
	for _, n := range counts {
		all |= n
	}
	shift := max(bits.Len32(all)-countBits, 0)
	for symbol, n := range counts {
		sorted[symbol] = newNode(max(n>>shift, 1), symbol)
	}
	sort(sorted)
	var weights [literalCount]uint32
	w := weights[:len(sorted)]
	for i, n := range sorted {
		w[i] = n.count()
	}
	depths(w)
	var number [32]int // of codes by their bits
	for _, n := range w {
		number[min(int(n), limit)]++
	}
	shorten(&number, limit)
	i := 0
	for n := limit; n > 0; n-- {
		for range number[n] {
			lengths[sorted[i].symbol()] = uint8(n)
			i++
		}
	}
}

const (
	symbolBits = 9
	countBits  = 16
)

// A node is a count, and below it in the same word the symbol that is counted.
type node uint32

func newNode(count uint32, symbol int) node { return node(count<<symbolBits | uint32(symbol)) }
func (n node) count() uint32                { return uint32(n) >> symbolBits }
func (n node) symbol() int                  { return int(n & (1<<symbolBits - 1)) }

// sort puts nodes in ascending order of their counts, one byte after another. It takes a quarter of
// the time of slices.Sort.
func sort(nodes []node) {
	var other [literalCount]node
	to := other[:len(nodes)]
	for shift := symbolBits; shift < symbolBits+countBits; shift += 8 {
		var next [256]uint16
		for _, n := range nodes {
			next[uint8(n>>shift)]++
		}
		if int(next[0]) == len(nodes) {
			continue
		}
		sum := uint16(0)
		for i, n := range next {
			next[i] = sum
			sum += n
		}
		for _, n := range nodes {
			slot := &next[uint8(n>>shift)]
			to[*slot] = n
			*slot++
		}
		copy(nodes, to)
	}
}

// depths turns weights, in ascending order, into their depths in a Huffman tree, in place (Moffat
// and Katajainen, In-Place Calculation of Minimum-Redundancy Codes).
func depths(w []uint32) {
	n := len(w)
	leaf, root := 2, 0
	w[0] += w[1]
	for next := 1; next < n-1; next++ {
		take := func() uint32 {
			if leaf >= n || root < next && w[root] < w[leaf] {
				v := w[root]
				w[root] = uint32(next)
				root++
				return v
			}
			leaf++
			return w[leaf-1]
		}
		v := take()
		w[next] = v + take()
	}
	w[n-2] = 0
	for i := n - 3; i >= 0; i-- {
		w[i] = w[w[i]] + 1
	}
	available, depth, root, next := 1, uint32(0), n-2, n-1
	for available > 0 {
		used := 0
		for root >= 0 && w[root] == depth {
			used++
			root--
		}
		for ; available > used; available-- {
			w[next] = depth
			next--
		}
		available, depth = 2*used, depth+1
	}
}

// shorten lengthens other codes until those that were cut down to limit bits have room.
func shorten(number *[32]int, limit int) {
	total := 0
	for n := 1; n <= limit; n++ {
		total += number[n] << (limit - n)
	}
	for ; total > 1<<limit; total-- {
		n := limit - 1
		for number[n] == 0 {
			n--
		}
		number[n]--
		number[n+1] += 2
		number[limit]--
	}
}

func (l *lengths) build(h *histogram) {
	build(l.literals[:], h.literals[:], maxCode)
	build(l.distances[:], h.distances[:], maxCode)
}
