// Package sha1pair takes the two SHA-1 digests that a WARC record has, that of its block, which is
// a head and a body, and that of the body, in one pass: [Sum] for a message in memory, [Pair] for
// one that comes in parts.
//
// It is faster than crypto/sha1 twice where it has assembly. In crypto/sha1 the unit of the
// processor that does the rounds makes the message schedule for half of the time, and waits for the
// rounds before. Here ordinary vector instructions make the schedule, and the rounds of the two
// messages come by turns: two digests cost little more than one. Best times in microseconds, with a
// head of 300 bytes; BenchmarkSum, which .ci/run prints, says them for any other machine:
//
//	           Intel Sapphire Rapids     AMD EPYC (Zen 5)
//	body         twice      Sum           twice      Sum
//	  1 KiB        1.6      1.0             1.3     0.85
//	 10 KiB       13.1      6.9            10.5      6.2
//	100 KiB        129       67             104       60
//	  1 MiB       1317      680            1061      598
//
// That is 4 to 6 us of the 140 that all of warcorder takes for an exchange of 10 KiB, and half a
// millisecond of each MiB. The package may be dropped in one line, if crypto/sha1 gets faster or
// the assembly becomes a burden: Sum and New do without it where interleaves is false.
//
// The assembly needs the SHA extensions and AVX-512 (of which the 128-bit registers, so that no
// clock slows down): Intel's Ice Lake and AMD's Zen 4. Elsewhere it is crypto/sha1 twice. With the
// SHA extensions alone, by turns won 15 % there: not worth its own assembly.
//
// Invariant: the digests are those of crypto/sha1, whatever the lengths and the parts, and not a
// byte beside the message is read.
package sha1pair

import (
	"crypto/sha1"
	"hash"
)

// Sum returns the digests of a message and of its body, which follows the head.
func Sum(message []byte, head int) (whole, body [sha1.Size]byte) {
	if !interleaves {
		return sha1.Sum(message), sha1.Sum(message[head:])
	}
	l := newLanes()
	l.write(message[:head], nil)
	l.write(message[head:], message[head:])
	return l.sums()
}

// Pair takes a message in parts. Use New.
type Pair struct {
	lanes *lanes
	whole hash.Hash // and body: where there are no lanes
	body  hash.Hash
}

// New returns the Pair of an empty message.
func New() *Pair { return newPair(interleaves) }

func newPair(interleaves bool) *Pair {
	if !interleaves {
		return &Pair{whole: sha1.New(), body: sha1.New()}
	}
	l := newLanes()
	return &Pair{lanes: &l}
}

// WriteHead takes more of the head. The body must not have begun.
func (p *Pair) WriteHead(b []byte) {
	if p.lanes == nil {
		p.whole.Write(b)
		return
	}
	p.lanes.write(b, nil)
}

// WriteBody takes more of the body.
func (p *Pair) WriteBody(b []byte) {
	if p.lanes == nil {
		p.whole.Write(b)
		p.body.Write(b)
		return
	}
	p.lanes.write(b, b)
}

// Sums returns the digests of the message and of its body. The Pair is of no use after.
func (p *Pair) Sums() (whole, body [sha1.Size]byte) {
	if p.lanes == nil {
		return [sha1.Size]byte(p.whole.Sum(nil)), [sha1.Size]byte(p.body.Sum(nil))
	}
	return p.lanes.sums()
}
