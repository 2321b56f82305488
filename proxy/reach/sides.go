package reach

import (
	"encoding/binary"
	"hash/maphash"
	"sync"

	"github.com/bits-and-blooms/bloom/v3"

	"warcorder/proxy/hosts"
)

// side is where a name leads.
type side int

const (
	unknown side = iota
	outside
	inside
	crowded // inside, and too many others do
)

// sides remembers of each name where it has led first, and forgets none. A page asks for as many
// names as a memory holds that forgets, which takes it minutes, and its own is unknown again.
//
// The many that lead outside are in a Bloom filter, of 4 MiB whatever is added. Of a name that was
// never added it may say that it has it: with a million names in it of one in 100,000, with five
// million of one in 20. Then a name that leads inside only is denied, which the setting allow ends.
// The few that lead inside are kept as they are, as far as there is room: a name that leads outside
// is never taken for one of them. Once they are maxInside, no other name leads inside.
//
// Names are hashed with a seed of this run: which other names a name is taken for cannot be known.
type sides struct {
	seed maphash.Seed

	mu      sync.Mutex
	outside *bloom.BloomFilter // nil until a name leads there
	inside  map[uint64]struct{}
}

const (
	outsideBits   = 4 << 20 * 8
	outsideHashes = 7
	maxInside     = 1 << 16
)

func newSides() *sides {
	return &sides{
		seed:   maphash.MakeSeed(),
		inside: map[uint64]struct{}{},
	}
}

// of returns the side of a name, which is now, a side, if it has had none. What is unknown now
// stays so.
func (s *sides) of(name string, now side) side {
	name, _ = hosts.OneSpelling(name)
	sum := maphash.String(s.seed, name)
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], sum)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, is := s.inside[sum]; is {
		return inside
	}
	if s.outside != nil && s.outside.Test(b[:]) {
		return outside
	}
	switch {
	case now == outside:
		if s.outside == nil {
			s.outside = bloom.New(outsideBits, outsideHashes)
		}
		s.outside.Add(b[:])
	case now == inside && len(s.inside) >= maxInside:
		return crowded
	case now == inside:
		s.inside[sum] = struct{}{}
	}
	return now
}
