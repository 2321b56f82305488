package proxy

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// seldom remembers of which hosts something has been told lately.
type seldom struct {
	mu   sync.Mutex
	told *lru.Cache[string, time.Time]
}

// seldomHosts is how many hosts are remembered.
const seldomHosts = 1024

func newSeldom() *seldom { return &seldom{told: newLRU[string, time.Time](seldomHosts)} }

// isDue reports whether nothing has been told of host for that time, and takes it as told now.
func (s *seldom) isDue(host string, after time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, known := s.told.Get(host); known && time.Since(last) < after {
		return false
	}
	s.told.Add(host, time.Now())
	return true
}

// newLRU makes a cache of a size above 0.
func newLRU[K comparable, V any](size int) *lru.Cache[K, V] {
	cache, err := lru.New[K, V](size)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return cache
}
