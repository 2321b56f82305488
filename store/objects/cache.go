package objects

import (
	"container/list"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/semaphore"

	"warcorder/store"
)

// Objects are read in blocks. The blocks of a Storage take 64 MiB at most, and those that are on
// their way 16 MiB more.
const (
	blockSize   = 512 << 10 // in bytes
	mostBlocks  = 128
	mostAhead   = 8 // blocks that are asked for at once
	mostFetches = 4 // at a time
)

// errClosed says that the Storage was closed.
var errClosed = errors.New("the storage is closed")

// blockID is a block of one version of an object.
type blockID struct {
	bucket, key, etag string
	number            int64
}

// block is one that is there, or on its way.
type block struct {
	id    blockID
	done  chan struct{} // closed when it is there
	bytes []byte
	err   error
}

// cache are the blocks that were read last.
type cache struct {
	fetches *semaphore.Weighted

	mu     sync.Mutex
	blocks map[blockID]*block
	places map[blockID]*list.Element // in order, of those that are there
	order  list.List                 // of *block; the one that was used last is in front
}

func newCache() *cache {
	return &cache{fetches: semaphore.NewWeighted(mostFetches), blocks: make(map[blockID]*block),
		places: make(map[blockID]*list.Element)}
}

// get returns a block, and those of the ones from it on that are to be fetched by the caller.
func (c *cache) get(id blockID, run, end int64) (wanted *block, fetch []*block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.blocks[id]; b != nil {
		if at := c.places[id]; at != nil {
			c.order.MoveToFront(at)
		}
		return b, nil
	}
	for ; run > 0 && id.number < end && c.blocks[id] == nil; run, id.number = run-1, id.number+1 {
		b := &block{id: id, done: make(chan struct{})}
		c.blocks[id] = b
		fetch = append(fetch, b)
	}
	return fetch[0], fetch
}

// lacks returns the first of some blocks that is neither there nor on its way; false if all are.
func (c *cache) lacks(id blockID, run, end int64) (int64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ; run > 0 && id.number < end; run, id.number = run-1, id.number+1 {
		if c.blocks[id] == nil {
			return id.number, true
		}
	}
	return 0, false
}

// came notes that a block is there, or why it will not come; the ones that were not used for
// longest go.
func (c *cache) came(b *block, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b.err = err
	close(b.done)
	if err != nil {
		delete(c.blocks, b.id)
		return
	}
	c.places[b.id] = c.order.PushFront(b)
	for c.order.Len() > mostBlocks {
		oldest := c.order.Remove(c.order.Back()).(*block)
		delete(c.blocks, oldest.id)
		delete(c.places, oldest.id)
	}
}

// fetch reads blocks that follow each other. It is not the caller's context that counts: others may
// wait for the same blocks.
func (s *Storage) fetch(r *store.Remote, blocks []*block, ahead bool) {
	if !ahead {
		if s.cache.fetches.Acquire(s.life, 1) != nil {
			s.give(blocks, errClosed)
			return
		}
	}
	defer s.cache.fetches.Release(1)
	body := s.stream(s.life, r, blocks[0].id.number*blockSize)
	body.end = min(r.Size, (blocks[len(blocks)-1].id.number+1)*blockSize)
	defer body.Close()
	for i, b := range blocks {
		b.bytes = make([]byte, min(blockSize, r.Size-b.id.number*blockSize))
		if _, err := io.ReadFull(body, b.bytes); err != nil {
			if s.life.Err() != nil {
				err = errClosed
			}
			s.give(blocks[i:], err)
			return
		}
		s.cache.came(b, nil)
	}
}

// give has blocks fail.
func (s *Storage) give(blocks []*block, err error) {
	for _, b := range blocks {
		b.bytes = nil
		s.cache.came(b, fmt.Errorf("block %d: %w", b.id.number, err))
	}
}
