package recorder

import (
	"context"
	"slices"
	"sync"

	"warcorder/store"
)

// unindexedKeys are the URL keys of captures that are on disk, and not in the index yet: at most
// manyUnindexed or some more. Who asks for others need not wait for the index.
type unindexedKeys struct {
	mu   sync.Mutex
	keys []string
}

// add is called before anybody is told that the capture is on disk.
func (u *unindexedKeys) add(key string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.keys = append(u.keys, key)
}

// clear is called when all of them are in the index, or will not be before the next start.
func (u *unindexedKeys) clear() {
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.keys)
	u.keys = u.keys[:0]
}

// has reports whether one of them fits.
func (u *unindexedKeys) has(fits func(urlKey string) bool) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.ContainsFunc(u.keys, fits)
}

// IndexFor is Index for who asks nothing but that query: the index has all that it selects of what was
// on disk when IndexFor was called. It does not wait for what the query leaves out, and so takes next
// to nothing from the recording, however often it is called. When ctx is done, nothing is waited for.
func (r *Recorder) IndexFor(ctx context.Context, q store.Query) *store.Bolt {
	if r.committer.keys.has(q.MaySelect()) {
		r.settle(ctx)
	}
	return r.index
}
