package lately

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"warcorder/store"
	"warcorder/store/readback"
)

// sizes are those of the bodies that were told lately: the index has them not.
type sizes struct {
	mu    *sync.Mutex
	known *simplelru.LRU[At, int64]
}

const mostSizes = 1 << 15

func newSizes() sizes { return sizes{new(sync.Mutex), newLRU[At, int64](mostSizes)} }

// of returns how many bytes of a body the record of a capture has; nil if it cannot be read.
func (s *sizes) of(files *readback.Files, c *store.Capture) *int64 {
	at := At{c.File, c.Offset}
	s.mu.Lock()
	size, found := s.known.Get(at)
	s.mu.Unlock()
	if found {
		return &size
	}
	message, err := files.Message(c.Location)
	if err != nil {
		return nil
	}
	size = message.Size
	if message.Close() != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known.Add(at, size)
	return &size
}
