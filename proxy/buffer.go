package proxy

import (
	"sync"
	"sync/atomic"
)

// Most connections wait most of the time, and there may be thousands. So buffers are pooled, and a
// connection that waits gives its own back (wire.rest).
const (
	smallBuffer = 4 << 10  // waits for a client's next request
	largeBuffer = 32 << 10 // bodies, and all that comes from origins
)

var (
	smallBuffers = sync.Pool{New: func() any { b := make([]byte, smallBuffer); return &b }}
	largeBuffers = sync.Pool{New: func() any { b := make([]byte, largeBuffer); return &b }}
)

// buffer returns a buffer of at least size bytes.
func buffer(size int) *[]byte {
	switch {
	case size <= smallBuffer:
		return smallBuffers.Get().(*[]byte)
	case size <= largeBuffer:
		return largeBuffers.Get().(*[]byte)
	}
	b := make([]byte, size)
	return &b
}

// budget is the memory that large heads may take together: alone each is bounded, but there may be
// many.
type budget struct {
	left atomic.Int64 // below 0 for a while, if the budget has become less
	size int64        // of whoever changes it
}

func newBudget(size int64) *budget {
	b := new(budget)
	b.resize(size)
	return b
}

// resize changes how much there is. What is taken stays so.
func (b *budget) resize(size int64) {
	b.left.Add(size - b.size)
	b.size = size
}

// take takes n bytes, or none if so many are not left.
func (b *budget) take(n int64) bool {
	if b.left.Add(-n) >= 0 {
		return true
	}
	b.left.Add(n)
	return false
}

func (b *budget) give(n int64) { b.left.Add(n) }
