package replay

import (
	"sync"

	"warcorder/store"
)

// memo remembers what was found out of records by reading them, which never changes. The zero memo
// is ready.
type memo[V any] struct {
	mu    sync.Mutex
	known map[store.Location]V
}

// maxKnown is of how many records something is remembered; beyond that all is forgotten. It is some
// MB.
const maxKnown = 1 << 14

func (m *memo[V]) get(at store.Location) (v V, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, known = m.known[at]
	return v, known
}

func (m *memo[V]) put(at store.Location, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= maxKnown {
		m.known = make(map[store.Location]V)
	}
	m.known[at] = v
}
