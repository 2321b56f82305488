package reach

import (
	"encoding/binary"
	"hash/maphash"
	"sync"

	"github.com/bits-and-blooms/bloom/v3"

	"warcorder/proxy/hosts"
)

// names is a set of names that forgets none: a Bloom filter, of 4 MiB whatever is added. Of a name
// that was never added it may say that it has it: with a million names in it of one in 100,000,
// with five million of one in 20. Then a name that leads inside only is denied, which the setting
// allow ends.
//
// It is no LRU, since that forgets: a page asks for as many names as it holds, which are some
// 40,000 in as much memory and take it minutes, and its own name is unknown again. A set that
// forgets nothing and makes no mistake grows with every name that a page makes up.
//
// Names are hashed with a seed of this run: which other names a name is taken for cannot be known.
type names struct {
	seed maphash.Seed

	mu   sync.Mutex
	bits *bloom.BloomFilter
}

const (
	namesBits   = 4 << 20 * 8
	namesHashes = 7
)

func newNames() *names {
	return &names{seed: maphash.MakeSeed(), bits: bloom.New(namesBits, namesHashes)}
}

func (n *names) add(name string) {
	sum := n.sum(name)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.bits.Add(sum[:])
}

func (n *names) has(name string) bool {
	sum := n.sum(name)
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.bits.Test(sum[:])
}

// sum stands for a name, under whatever spelling.
func (n *names) sum(name string) (sum [8]byte) {
	name, _ = hosts.OneSpelling(name)
	binary.LittleEndian.PutUint64(sum[:], maphash.String(n.seed, name))
	return sum
}
