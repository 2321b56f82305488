package deflate

import (
	"encoding/binary"
	"math/bits"
)

// A writer appends bits, the lowest first.
type writer struct {
	out  []byte
	bits uint64
	n    uint // of bits, fewer than 8 after flush
}

func (w *writer) reset(out []byte) { *w = writer{out: out} }

// put appends n bits. After a flush there is room for 56 bits.
func (w *writer) put(value uint64, n uint) {
	w.bits |= value << w.n
	w.n += n
}

// flush moves whole bytes out.
func (w *writer) flush() {
	for w.n >= 8 {
		w.out = append(w.out, byte(w.bits))
		w.bits >>= 8
		w.n -= 8
	}
}

// align pads the last byte with zeros.
func (w *writer) align() {
	if w.n > 0 {
		w.out = append(w.out, byte(w.bits))
	}
	w.bits, w.n = 0, 0
}

// putAll appends what another writer holds.
func (w *writer) putAll(b *writer) {
	out := b.out
	for ; len(out) >= 4; out = out[4:] {
		w.put(uint64(binary.LittleEndian.Uint32(out)), 32)
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(w.bits))
		w.bits >>= 32
		w.n -= 32
	}
	for _, c := range out {
		w.put(uint64(c), 8)
	}
	w.flush()
	w.put(b.bits, b.n)
	w.flush()
}

// order is the order in which the lengths of the codes of code lengths are written (RFC 1951
// section 3.2.7).
const order = "\x10\x11\x12\x00\x08\x07\x09\x06\x0a\x05\x0b\x04\x0c\x03\x0d\x02\x0e\x01\x0f"

const (
	repeat      = 16 // the length before it, 3 to 6 times
	maxRepeat   = 6
	minRepeat   = 3
	lengthLimit = 7 // bits of a code of code lengths
	dynamic     = 2 // a block that declares its codes
)

// declare puts the head of a block that declares its codes, none of which is 0 bits long.
func (w *writer) declare(l *lengths) {
	var both, runs [literalCount + distanceCount]uint8
	all := append(append(both[:0], l.literals[:]...), l.distances[:]...)
	tokens := runs[:0] // a repeat is followed by its number
	var counts [19]uint32
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n] == all[0] {
			n++
		}
		tokens = append(tokens, all[0])
		counts[all[0]]++
		value := all[0]
		all = all[n:]
		for n--; n >= minRepeat; {
			k := min(n, maxRepeat)
			tokens = append(tokens, repeat, uint8(k-minRepeat))
			counts[repeat]++
			n -= k
		}
		for ; n > 0; n-- {
			tokens = append(tokens, value)
			counts[value]++
		}
	}
	var sizes [19]uint8
	buildUsed(sizes[:], counts[:], lengthLimit)
	var symbols [19]code
	assign(symbols[:], sizes[:])
	last := len(order)
	for last > 4 && sizes[order[last-1]] == 0 {
		last--
	}
	w.put(dynamic<<1|(literalCount-257)<<3|(distanceCount-1)<<8|uint64(last-4)<<13, 17)
	w.flush()
	for i := range last {
		w.put(uint64(sizes[order[i]]), 3)
		w.flush()
	}
	for i := 0; i < len(tokens); i++ {
		c := symbols[tokens[i]]
		w.put(c.bits(), c.size())
		if tokens[i] == repeat {
			i++
			w.put(uint64(tokens[i]), 2)
		}
		w.flush()
	}
}

// buildUsed is build for the symbols that are used.
func buildUsed(lengths []uint8, counts []uint32, limit int) {
	var used, symbols [19]uint32
	var sizes [19]uint8
	n := 0
	for symbol, count := range counts {
		if count > 0 {
			used[n], symbols[n] = count, uint32(symbol)
			n++
		}
	}
	if n == 1 { // a code needs two symbols
		used[1], symbols[1] = 1, (symbols[0]+1)%16
		n++
	}
	build(sizes[:n], used[:n], limit)
	for i := range n {
		lengths[symbols[i]] = sizes[i]
	}
}

func (w *writer) putCode(c code) { w.put(c.bits(), c.size()) }

// storedHeader begins a stored block of n bytes.
func (w *writer) storedHeader(n int, final bool) {
	w.put(bit(final), 3)
	w.flush()
	w.align()
	w.out = append(w.out, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
}

// fixed puts text in a block of fixed codes (RFC 1951 section 3.2.6). A final block is padded to a
// whole byte.
func (w *writer) fixed(text []byte, final bool) {
	w.put(bit(final)|1<<1, 3)
	for _, b := range text {
		if b < 144 {
			w.put(uint64(bits.Reverse8(0x30+b)), 8)
		} else {
			w.put(uint64(bits.Reverse16((0x190+uint16(b)-144)<<7)), 9)
		}
		w.flush()
	}
	w.put(0, 7)
	w.flush()
	if final {
		w.align()
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
