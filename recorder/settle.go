package recorder

import "time"

// readers are those who wait until what is on disk is in the index.
type readers struct {
	asks   chan chan<- struct{}
	asking []chan<- struct{} // whose ask the committer has heard
	ended  chan struct{}     // closed when the committer has ended
}

func newReaders() readers {
	return readers{asks: make(chan chan<- struct{}), ended: make(chan struct{})}
}

// settle waits until what is on disk is in the index. It does not while the committer cannot write;
// that recording is off for another reason, a disk that is nearly full, say, does not keep it from
// that.
func (c *committer) settle() {
	done := make(chan struct{}, 1)
	for asks := c.asks; c.health.fault(committing) == nil; {
		select {
		case asks <- done:
			asks = nil
		case <-done:
			return
		case <-c.ended:
			return
		case <-time.After(settlePatience): // to look again whether anything can be written
		}
	}
}

const settlePatience = 100 * time.Millisecond

// answer tells those who asked.
func (c *committer) answer() {
	for _, done := range c.asking {
		done <- struct{}{}
	}
	c.asking = nil
}

// hear takes down who asks by now: with a slow disk and many exchanges there is always something to
// commit, and next never waits.
func (c *committer) hear() {
	for {
		select {
		case done := <-c.asks:
			c.asking = append(c.asking, done)
			continue
		default:
		}
		if len(c.unindexed) == 0 {
			c.answer()
		}
		return
	}
}
