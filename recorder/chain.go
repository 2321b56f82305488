package recorder

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"strings"
	"sync"
	"sync/atomic"

	"warcorder/recorder/record"
	"warcorder/store"
)

// Chain is the certificates that an origin has sent. One Chain serves all exchanges of a
// connection.
type Chain struct {
	der  [][]byte
	hash [sha256.Size]byte
	kept atomic.Uint64 // chains.age when it was in the collection, or on its way there
}

// NewChain returns the chain of certificates in DER, that of the origin first. It keeps them.
func NewChain(der [][]byte) *Chain {
	c := &Chain{der: der}
	hash := sha256.New()
	for _, certificate := range der {
		hash.Write(certificate)
	}
	hash.Sum(c.hash[:0])
	return c
}

// chainType is the media type of a chain in PEM (RFC 8555 section 9.1).
const chainType = "application/pem-certificate-chain"

// uri is what the record of the chain is found by: the SHA-256 of the certificates in DER, one
// behind the other. It is a URN since pywb takes no other URI that has no host, and names its
// inventor since no namespace is registered for such a thing.
func (c *Chain) uri() string {
	return record.ChainURN + "sha256:" + hex.EncodeToString(c.hash[:])
}

// pem is the block of the record.
func (c *Chain) pem() []byte {
	var b strings.Builder
	for _, certificate := range c.der {
		pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: certificate}) // a Builder takes all
	}
	return []byte(b.String())
}

// chains knows which chains the collection has: those that are in the index, and those of this run.
type chains struct {
	index *store.Bolt
	age   atomic.Uint64 // how often what is known began anew, from 1 on
	mu    sync.Mutex
	seen  map[[sha256.Size]byte]bool
}

func newChains(index *store.Bolt) *chains {
	c := &chains{index: index}
	c.age.Store(1)
	return c
}

// forgetAll forgets which chains the collection has: the index is asked again.
func (c *chains) forgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.age.Add(1)
	c.seen = nil
}

// isKnown reports whether the chain is known to be in the collection, without a look at the index.
func (c *chains) isKnown(chain *Chain) bool { return chain.kept.Load() == c.age.Load() }

// maxChains is how many chains are remembered. When there are more, the index is asked again.
const maxChains = 50_000

// isNew reports, once for each chain, that the collection does not have it: nothing with its URI
// and the digest of its block. What else has the URI is another's, who may have made it up.
func (c *chains) isNew(chain *Chain, digest string) bool {
	if age := c.age.Load(); chain.kept.Swap(age) == age {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[chain.hash] {
		return false
	}
	if c.seen == nil || len(c.seen) >= maxChains {
		c.seen = make(map[[sha256.Size]byte]bool)
	}
	c.seen[chain.hash] = true
	has, err := c.index.Newest(chain.uri(), 1,
		func(c *store.Capture) bool { return c.Digest == digest })
	return err != nil || len(has) == 0 // one too many does no harm
}
