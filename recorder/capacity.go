package recorder

import (
	"slices"
	"sync"
)

// capacity is how many bytes may wait, which can be changed while they do. Whoever wants more than
// there is waits for its turn, in the order in which they came; what is wanted counts as the whole
// capacity at most, so that nothing waits for ever.
type capacity struct {
	mu      sync.Mutex
	size    int64
	used    int64 // more than size for a while, if that has shrunk
	waiting []*claim
}

// claim is one who waits for room.
type claim struct {
	wanted int64
	got    chan int64
}

func newCapacity(size int64) *capacity { return &capacity{size: size} }

// acquire waits for room, and returns how much is taken, which release must be given.
func (c *capacity) acquire(wanted int64) (taken int64) {
	c.mu.Lock()
	if taken = min(wanted, c.size); len(c.waiting) == 0 && c.used+taken <= c.size {
		c.used += taken
		c.mu.Unlock()
		return taken
	}
	one := &claim{wanted, make(chan int64, 1)}
	c.waiting = append(c.waiting, one)
	c.mu.Unlock()
	return <-one.got
}

// release gives back what was taken.
func (c *capacity) release(taken int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used -= taken
	c.admit()
}

// resize changes how much there is. What is taken stays so.
func (c *capacity) resize(size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size = size
	c.admit()
}

// now is how much there is.
func (c *capacity) now() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}

// admit lets those in whose turn it is. The lock is held.
func (c *capacity) admit() {
	n := 0
	for ; n < len(c.waiting); n++ {
		taken := min(c.waiting[n].wanted, c.size)
		if c.used+taken > c.size {
			break
		}
		c.used += taken
		c.waiting[n].got <- taken
	}
	c.waiting = slices.Delete(c.waiting, 0, n)
}
