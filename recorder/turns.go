package recorder

import (
	"slices"
	"sync"
)

// turns let a 304 wait for what came before it of the same URL, which it may confirm: while a worker
// asks a server about a page, another one may be at the 304 that came behind that page. Without servers
// the page is through before, as a rule, and turns are nil.
//
// An exchange waits for older ones alone, and these are in workers' hands: so some worker always goes
// on, and no exchange waits for one that comes later.
type turns struct {
	receiving sync.Mutex // held by the one worker that waits for the next exchange

	mu      sync.Mutex
	last    uint64
	running map[string][]uint64 // the turns of what workers are at, by URL
	ended   sync.Cond           // on mu
}

func newTurns() *turns {
	t := &turns{running: make(map[string][]uint64)}
	t.ended.L = &t.mu
	return t
}

// next returns what is next, with its turn.
func (t *turns) next(waiting <-chan []recordable) (some []recordable, ok bool) {
	if t == nil {
		some, ok = <-waiting
		return some, ok
	}
	t.receiving.Lock()
	defer t.receiving.Unlock()
	some, ok = <-waiting
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range some {
		t.last++
		r.way().turn = t.last
		t.running[r.target()] = append(t.running[r.target()], t.last)
	}
	return some, ok
}

// end says that a worker is through with what next has returned.
func (t *turns) end(r recordable) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	url, turn := r.target(), r.way().turn
	left := slices.DeleteFunc(t.running[url], func(of uint64) bool { return of == turn })
	if t.running[url] = left; len(left) == 0 {
		delete(t.running, url)
	}
	r.way().turn = 0
	t.ended.Broadcast()
}

// await waits until workers are through with what came before of the same URL.
func (t *turns) await(x *Exchange) {
	if t == nil || x.turn == 0 { // a large one, which has no turn
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for slices.ContainsFunc(t.running[x.URL], func(of uint64) bool { return of < x.turn }) {
		t.ended.Wait()
	}
}
