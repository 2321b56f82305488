package deflate

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

const (
	window     = 1 << 15 // how far back a match may lie (RFC 1951 section 2)
	longest    = 258     // bytes in a match of one pair of codes
	shortest   = 3
	least      = 4                  // bytes that a long match is never cut below: encode relies on 4
	tableBits  = 13                 // the table stays in the innermost cache, beside the window
	multiplier = 0x9e3779b185ebca87 // odd, its bits spread over the word
)

// A sequence is a number of literals and the match that follows them: 32 bits of literals, 16 of
// length, 16 of distance.
type sequence uint64

func newSequence(literals, length, distance int) sequence {
	return sequence(uint64(literals)<<32 | uint64(length)<<16 | uint64(distance))
}

func (s sequence) literals() int { return int(s >> 32) }
func (s sequence) length() int   { return int(s >> 16 & 0xffff) }
func (s sequence) distance() int { return int(s & 0xffff) }

// A finder finds matches within a text, piece by piece. Its table holds the lower 16 bits of
// positions, by the hash of the bytes that stand there. A position is taken for one of the last
// 65536, right or wrong: a candidate counts only if its bytes agree. A candidate always lies in the
// text, since the table is empty when a text begins, and its zeros mean the first byte.
type finder struct {
	table     [1 << tableBits]uint16
	sequences []sequence
}

// reset forgets the text.
func (f *finder) reset() { clear(f.table[:]) }

// A pace is how closely a text is searched.
type pace struct {
	hashed uint // bytes that must agree for a match
	skip   int  // 32 times the first step; it grows by one with each step that finds nothing
}

// paceOf returns the pace for a text: a short one shrinks more, a long one takes less time. At the
// pace for short texts a page of 100 KB shrinks to 8 % less, in 30 % more time.
func paceOf(text []byte) pace {
	const short = 4 << 10
	if len(text) <= short {
		return pace{hashed: 6, skip: 1 << 5}
	}
	return pace{hashed: 8, skip: 1 << 6}
}

// find puts the sequences of text[from:to] into f.sequences, and returns how many literals follow
// the last. What lies before from is history, which find has seen since the last reset.
func (f *finder) find(text []byte, from, to int, pace pace) (rest int) {
	hashed := int(pace.hashed)
	unhashed := (64 - 8*pace.hashed) & 63 // bits of a load that do not count
	f.sequences = slices.Grow(f.sequences[:0], (to-from)/hashed+2)
	sequences := f.sequences[:cap(f.sequences)]
	n := 0
	literals := from // where they begin
	r := rawOf(text)
	limit := min(to, len(text)-8) - hashed
	at := max(from, 8)
search:
	for at <= limit {
		var seen int
		var x uint64
		misses := pace.skip
		for {
			here := r.load(at)
			slot := &f.table[here<<(unhashed&63)*multiplier>>(64-tableBits)]
			distance := uint16(at) - *slot
			*slot = uint16(at)
			seen = at - int(distance)
			if seen < 0 {
				panic("deflate: a candidate before the text")
			}
			x = r.load(seen) ^ here
			if x<<(unhashed&63) == 0 && uint16(distance-1) < window {
				break
			}
			at += misses >> 5
			misses++
			if at > limit {
				break search
			}
		}

		distance := at - seen
		end := at + bits.TrailingZeros64(x)>>3
		if x == 0 {
			end += agree(text[end:max(end, to)], text[seen+8:])
		}
		end = min(end, to)
		if seen >= 8 { // what a step has left out may belong to the match
			x := r.load(at-8) ^ r.load(seen-8)
			at -= min(bits.LeadingZeros64(x)>>3, at-literals)
		}
		if length := end - at; length <= longest {
			sequences[n] = newSequence(at-literals, length, distance)
			n++
		} else {
			n += putLong(sequences[n:], at-literals, length, distance)
		}
		literals, at = end, end
	}
	f.sequences = sequences[:n]
	return to - literals
}

// putLong puts a match that is longer than the longest as several. It returns how many.
func putLong(dst []sequence, literals, length, distance int) int {
	i := 0
	for length > longest {
		n := min(longest, length-least)
		dst[i] = newSequence(literals, n, distance)
		literals, length = 0, length-n
		i++
	}
	dst[i] = newSequence(literals, length, distance)
	return i + 1
}

// agree returns how many bytes a and b begin with in common; b is at least as long as a.
func agree(a, b []byte) int {
	n := 0
	for ; n+8 <= len(a); n += 8 {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}
