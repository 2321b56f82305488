package proxy

import (
	"crypto/tls"
	"maps"
	"slices"
	"sync"
	"time"
)

// pool keeps idle connections to origins for any client, last used first, and what TLS knows of those
// that have ended.
//
// An idle connection is in two lists at once. By origin it is found for the next request; the last
// used one is taken, which is the least likely to have been closed meanwhile. By age, of all
// origins, the oldest is found to make room or to end when its time has come:
//
//	idle[a]  [ a1 a2 a3 ]          get takes a3
//	idle[b]  [ b1 ]
//	oldest   a1 ─ b1 ─ a2 ─ a3     newest; a full pool closes a1
//
// The oldest of all is the oldest of its own origin, so that both lists lose it at their front.
//
// A pool is of one set of settings that decide where a connection leads, and as whom (upstreams). With
// others there is another pool, and this one is closed: what is taken back then ends.
type pool struct {
	sessions tls.ClientSessionCache

	mu sync.Mutex
	// last used last; an empty list stays until the next sweep, for the same again
	idle   map[origin][]*upstream
	oldest *upstream // of all, and from there on by upstream.newer
	newest *upstream
	count  int
	most   int // connections that are kept
	sweep  *time.Timer
	closed bool
}

const (
	maxIdlePerOrigin = 64
	idleUpstream     = 30 * time.Second // shorter than most servers' own patience
	sweepEvery       = 5 * time.Second  // idle connections are looked through
)

func newPool() *pool {
	return &pool{
		idle:     map[origin][]*upstream{},
		most:     idleLimit(descriptors()),
		sessions: tls.NewLRUClientSessionCache(4096),
	}
}

// get returns an idle connection to o that can be used, or nil. It was judged when it was dialled,
// and what was permitted then is so for as long as the pool lives.
func (u *pool) get(o origin) *upstream {
	for {
		up := u.pop(o)
		if up == nil || up.alive() {
			return up
		}
		up.close()
	}
}

// pop takes the connection to o that was used last, or nil.
func (u *pool) pop(o origin) *upstream {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := u.idle[o]
	if len(list) == 0 {
		return nil
	}
	up := list[len(list)-1]
	list[len(list)-1] = nil
	u.idle[o] = list[:len(list)-1]
	u.unlink(up)
	return up
}

// link makes a connection the newest.
func (u *pool) link(up *upstream) {
	up.older = u.newest
	if u.newest == nil {
		u.oldest = up
	} else {
		u.newest.newer = up
	}
	u.newest = up
	u.count++
}

// unlink takes a connection out of the list by age.
func (u *pool) unlink(up *upstream) {
	if up.older == nil {
		u.oldest = up.newer
	} else {
		up.older.newer = up.newer
	}
	if up.newer == nil {
		u.newest = up.older
	} else {
		up.newer.older = up.older
	}
	up.older, up.newer = nil, nil
	u.count--
}

// closeOldest closes the connection that has idled longest, which is the first of its origin's.
func (u *pool) closeOldest() {
	up := u.oldest
	u.idle[up.origin] = slices.Delete(u.idle[up.origin], 0, 1)
	u.unlink(up)
	up.close()
}

// put keeps a connection for the next request, in the place of the one that has idled longest if
// there are too many: after a crawl of a thousand hosts its last connections would else keep out
// those that are in use.
func (u *pool) put(up *upstream) {
	up.drop()
	up.used++
	up.idleSince = time.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	list := u.idle[up.origin]
	if u.closed || len(list) >= maxIdlePerOrigin || u.most == 0 {
		up.close()
		return
	}
	u.idle[up.origin] = append(list, up)
	u.link(up)
	if u.count > u.most {
		u.closeOldest()
	}
	if u.sweep == nil {
		u.sweep = time.AfterFunc(sweepEvery, u.expire)
	}
}

// expire closes what has idled too long, and comes again while anything is left.
func (u *pool) expire() {
	u.mu.Lock()
	defer u.mu.Unlock()
	limit := time.Now().Add(-idleUpstream)
	for u.oldest != nil && u.oldest.idleSince.Before(limit) {
		u.closeOldest()
	}
	maps.DeleteFunc(u.idle, func(_ origin, list []*upstream) bool { return len(list) == 0 })
	u.sweep = nil
	if u.count > 0 && !u.closed {
		u.sweep = time.AfterFunc(sweepEvery, u.expire)
	}
}

// close ends the pool: nothing is kept from then on.
func (u *pool) close() {
	u.mu.Lock()
	u.closed = true
	if u.sweep != nil {
		u.sweep.Stop()
	}
	u.mu.Unlock()
	u.forgetIdle()
}

// forgetIdle closes all idle connections and returns how many there were.
func (u *pool) forgetIdle() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := u.count
	for u.oldest != nil {
		u.closeOldest()
	}
	return n
}
