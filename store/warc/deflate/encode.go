package deflate

import (
	"encoding/binary"
	"slices"
)

const slack = 64 // bytes: what a store writes beyond the last bit, and the end of a block

// encode puts text, which is what sequences and the rest literals after them stand for. At most 7
// bits are held when the loop begins, and after each store: 4 literals of maxCode bits, or a length
// and a distance with their extra bits, find room beside them. Nothing takes more than maxCode bits
// for each of its bytes, since a match has at least 4 bytes.
func (w *writer) encode(c *codes, text []byte, sequences []sequence, rest int) {
	start := len(w.out)
	w.out = slices.Grow(w.out, len(text)*maxCode/8+slack)
	out := rawOf(w.out[start:cap(w.out)])
	at, hold, n := 0, w.bits, w.n&63
	i := 0 // in text
	for _, s := range sequences {
		literals := s.literals()
		for ; literals >= 4; literals -= 4 {
			four := binary.LittleEndian.Uint32(text[i:])
			i += 4
			c0, c1 := c.literal[uint8(four)], c.literal[uint8(four>>8)]
			c2, c3 := c.literal[uint8(four>>16)], c.literal[four>>24]
			hold |= c0.bits() << (n & 63)
			n += c0.size()
			hold |= c1.bits() << (n & 63)
			n += c1.size()
			hold |= c2.bits() << (n & 63)
			n += c2.size()
			hold |= c3.bits() << (n & 63)
			n += c3.size()
			out.store(at, hold)
			at += int(n >> 3)
			hold >>= n & 56
			n &= 7
		}
		// Up to three literals without a branch, which no processor could foretell: a match of at least
		// as many bytes follows them.
		four := binary.LittleEndian.Uint32(text[i:])
		c0 := c.literal[uint8(four)] & code(-literals>>31)
		c1 := c.literal[uint8(four>>8)] & code((1-literals)>>31)
		c2 := c.literal[uint8(four>>16)] & code((2-literals)>>31)
		hold |= c0.bits() << (n & 63)
		n += c0.size()
		hold |= c1.bits() << (n & 63)
		n += c1.size()
		hold |= c2.bits() << (n & 63)
		n += c2.size()
		out.store(at, hold)
		at += int(n >> 3)
		hold >>= n & 56
		n &= 7

		length, distance := s.length(), uint32(s.distance())
		i += literals + length
		l := c.length[uint8(length-shortest)]
		hold |= l.bits() << (n & 63)
		n += l.size()
		symbol, extra := distanceCode(distance)
		d := c.distance[symbol&31]
		hold |= d.bits() << (n & 63)
		n += d.size()
		hold |= uint64((distance-1)&(1<<(extra&31)-1)) << (n & 63)
		n += uint(extra)
		out.store(at, hold)
		at += int(n >> 3)
		hold >>= n & 56
		n &= 7
	}
	w.out, w.bits, w.n = w.out[:start+at], hold, n
	for text = text[len(text)-rest:]; len(text) > 0; text = text[min(4, len(text)):] {
		for _, b := range text[:min(4, len(text))] {
			w.putCode(c.literal[b])
		}
		w.flush()
	}
}
