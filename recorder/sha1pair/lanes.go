package sha1pair

import (
	"crypto/sha1"
	"encoding/binary"
)

// maxRun is how much is taken at once, in bytes: 0.2 ms, for the runtime cannot interrupt blocks.
const maxRun = 256 << 10

// lanes are two messages that are taken by turns.
type lanes struct{ whole, body lane }

// lane is the SHA-1 of a message so far.
type lane struct {
	state  [5]uint32
	begun  [sha1.BlockSize]byte // of a block that is not full
	length uint64               // of the message
}

func newLanes() lanes {
	start := lane{state: [5]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}}
	return lanes{whole: start, body: start}
}

// write appends a to the whole and b to the body.
func (l *lanes) write(a, b []byte) {
	blockA, runA, restA := l.whole.split(a)
	blockB, runB, restB := l.body.split(b)
	l.compress(blockA, runA, blockB, runB)
	copy(l.whole.begun[:], restA)
	copy(l.body.begun[:], restB)
}

// split cuts what is appended to a message: what fills up the block that was begun, whole blocks,
// and the rest.
func (l *lane) split(b []byte) (block, run, rest []byte) {
	had := int(l.length % sha1.BlockSize)
	l.length += uint64(len(b))
	if had > 0 {
		n := copy(l.begun[had:], b)
		if had+n < sha1.BlockSize {
			return nil, nil, nil
		}
		block, b = l.begun[:], b[n:]
	}
	whole := len(b) &^ (sha1.BlockSize - 1)
	return block, b[:whole], b[whole:]
}

// compress takes the blocks of a and then those of a2 into the whole, of b and b2 into the body. A
// lane that has nothing left goes along with the other for show.
func (l *lanes) compress(a, a2, b, b2 []byte) {
	var idle [5]uint32
	for {
		if len(a) == 0 {
			a, a2 = a2, nil
		}
		if len(b) == 0 {
			b, b2 = b2, nil
		}
		h, k, p, q := &l.whole.state, &l.body.state, a, b
		switch {
		case len(a) == 0 && len(b) == 0:
			return
		case len(a) == 0:
			h, p = &idle, b
		case len(b) == 0:
			k, q = &idle, a
		}
		n := min(len(p), len(q), maxRun)
		blocks(h, k, &p[0], &q[0], n/sha1.BlockSize)
		a, b = a[min(n, len(a)):], b[min(n, len(b)):]
	}
}

func (l *lanes) sums() (whole, body [sha1.Size]byte) {
	var a, b [sha1.BlockSize + 8]byte
	l.write(l.whole.padding(&a), l.body.padding(&b))
	return l.whole.sum(), l.body.sum()
}

// padding is what a message ends with: a bit, zeros and its length in bits (FIPS 180-4 section
// 5.1.1).
func (l *lane) padding(b *[sha1.BlockSize + 8]byte) []byte {
	at := sha1.BlockSize - (l.length+8)%sha1.BlockSize
	b[0] = 0x80
	binary.BigEndian.PutUint64(b[at:], l.length*8)
	return b[:at+8]
}

func (l *lane) sum() (sum [sha1.Size]byte) {
	for i, word := range l.state {
		binary.BigEndian.PutUint32(sum[4*i:], word)
	}
	return sum
}
