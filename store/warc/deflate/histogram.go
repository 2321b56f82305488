package deflate

import "math/bits"

// A histogram counts how often each code is used.
type histogram struct {
	literals  [literalCount]uint32
	distances [distanceCount]uint32
}

// sample counts every stride-th run of sequences, and every stride-th byte of the rest. It returns
// how many bytes those are.
func (h *histogram) sample(text []byte, sequences []sequence, rest, stride int) (covered int) {
	const run = 8
	end := text[len(text)-rest:]
	for len(sequences) > 0 {
		sampled := sequences[:min(run, len(sequences))]
		for _, s := range sampled {
			literals, length := s.literals(), s.length()
			for _, b := range text[:literals] {
				h.literals[b]++
			}
			code, _, _ := lengthCode(length)
			h.literals[code]++
			distance, _ := distanceCode(uint32(s.distance()))
			h.distances[distance]++
			text = text[literals+length:]
			covered += literals + length
		}
		sequences = sequences[len(sampled):]
		skipped := sequences[:min(run*(stride-1), len(sequences))]
		at := 0
		for _, s := range skipped {
			at += s.literals() + s.length()
		}
		text, sequences = text[at:], sequences[len(skipped):]
	}
	for i := 0; i < len(end); i += stride {
		h.literals[end[i]]++
	}
	h.literals[endOfBlock]++
	return covered + (len(end)+stride-1)/stride
}

// cost returns how many bits the symbols that have been counted take with codes of lengths l,
// without extra bits.
func (h *histogram) cost(l *lengths) uint64 {
	n := uint64(0)
	for i, count := range h.literals {
		n += uint64(count) * uint64(l.literals[i])
	}
	for i, count := range h.distances {
		n += uint64(count) * uint64(l.distances[i])
	}
	return n
}

// entropy returns about how many bits they take with the best of codes.
func (h *histogram) entropy() uint64 { return entropy(h.literals[:]) + entropy(h.distances[:]) }

func entropy(counts []uint32) uint64 {
	total, sum := uint64(0), uint64(0)
	for _, n := range counts {
		if n > 0 {
			total += uint64(n)
			sum += uint64(n) * logarithm(n)
		}
	}
	if total == 0 {
		return 0
	}
	return (total*logarithm(uint32(total)) - sum) >> 8
}

// logarithm returns about 256 times the logarithm of n to base 2: a straight line between powers of
// two.
func logarithm(n uint32) uint64 {
	whole := bits.Len32(n) - 1
	return uint64(whole)<<8 | uint64(n)<<8>>whole&0xff
}
