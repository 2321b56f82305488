package proxy

import (
	"net"
	"sync"
	"sync/atomic"
)

// clients are the connections that clients have to us, up to a limit, and the sessions on them. A
// session that waits for a request may be ended when there is no room for another client or for an
// exchange, the one that waits longest first: nothing is lost by it.
type clients struct {
	closing atomic.Bool // set under mu; read without it where a moment does not matter

	mu      sync.Mutex
	limit   int
	open    int   // connections, those without a session included
	came    int64 // of them, since the start
	ended   int64 // of those that waited, to make room for others
	spare   int   // descriptors that are left for connections and what exchanges take beside them
	seats   map[*seat]struct{}
	waiting waitingList
	running sync.WaitGroup
}

// seat is what clients know of a session: how to end it, and whether it may be ended.
type seat struct {
	client   net.Conn
	upstream atomic.Pointer[upstream] // in use, so that a stop can end it

	// openEnded is set while an answer is under way that ends with the connection: a plain end would
	// look like that of the answer.
	openEnded atomic.Bool

	waits         bool                 // for a request; this and what follows is guarded by clients.mu
	passing       bool                 // bytes only, in a tunnel
	goesOn        func(*settings) bool // by other settings, while it is passing; nil: whatever they are
	busy          bool                 // with an exchange
	before, after *seat
}

// cut ends a session on both sides.
func (s *seat) cut() {
	if c, ok := s.client.(*tapConn); ok && s.openEnded.Load() {
		c.reset()
	}
	s.client.Close()
	if up := s.upstream.Load(); up != nil {
		up.raw.Close()
	}
}

// exchangeFiles are the descriptors that an exchange takes beside its client's: the origin's
// connection, and one for each side that is too large for memory.
const exchangeFiles = 3

func newClients(limit, spare int) *clients {
	return &clients{limit: limit, spare: spare, seats: map[*seat]struct{}{}}
}

// admit counts a new connection. At the limit it ends a session that waits; it is false if none
// does.
func (c *clients) admit() bool {
	for {
		c.mu.Lock()
		admitted := c.open < c.limit && c.spare > 0
		if admitted {
			c.open++
			c.came++
			c.spare--
		}
		c.mu.Unlock()
		if admitted || !c.endOne() {
			return admitted
		}
	}
}

// endOne ends the session that has waited longest for a request, if any waits.
func (c *clients) endOne() bool {
	c.mu.Lock()
	s := c.waiting.first
	if s != nil {
		c.waiting.remove(s)
		c.ended++
	}
	c.mu.Unlock()
	if s != nil {
		s.cut()
	}
	return s != nil
}

// release takes a closed connection out of the count.
func (c *clients) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	c.spare++
}

// start runs f, which serves conn, in a goroutine that Shutdown waits for.
func (c *clients) start(conn net.Conn, f func()) {
	c.mu.Lock()
	closing := c.closing.Load()
	if !closing {
		c.running.Add(1)
	}
	c.mu.Unlock()
	if closing {
		conn.Close()
		return
	}
	go func() {
		defer c.running.Done()
		f()
	}()
}

// enter registers a session. It is false if the proxy is closing.
func (c *clients) enter(s *seat) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing.Load() {
		return false
	}
	c.seats[s] = struct{}{}
	return true
}

func (c *clients) leave(s *seat) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.seats, s)
	c.waiting.remove(s)
	c.setBusy(s, false)
}

// setBusy notes whether an exchange runs on s, or may at once.
func (c *clients) setBusy(s *seat, busy bool) {
	switch {
	case busy && !s.busy:
		c.spare -= exchangeFiles
	case !busy && s.busy:
		c.spare += exchangeFiles
	}
	s.busy = busy
}

// lend takes n descriptors for what no client does; a negative n gives them back.
func (c *clients) lend(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spare -= n
}

// wait notes that s waits for a request, so that it may be ended; one that has waited already keeps
// its turn. It is false if the proxy is closing.
func (c *clients) wait(s *seat) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing.Load() {
		return false
	}
	if !s.waits {
		c.waiting.add(s)
	}
	c.setBusy(s, false)
	return true
}

// resume notes that s waits no longer. It is false if s has been ended: what it has just read must
// not be acted on.
func (c *clients) resume(s *seat) bool {
	c.mu.Lock()
	if !c.waiting.remove(s) {
		c.mu.Unlock()
		return false
	}
	ended := c.makeBusy(s)
	c.mu.Unlock()
	cutAll(ended)
	return true
}

// occupy notes that s, which has not waited, needs descriptors.
func (c *clients) occupy(s *seat) {
	c.mu.Lock()
	ended := c.makeBusy(s)
	c.mu.Unlock()
	cutAll(ended)
}

// makeBusy returns the waiting sessions that are to be cut for the descriptors that s needs.
func (c *clients) makeBusy(s *seat) (ended []*seat) {
	c.setBusy(s, true)
	for c.spare+len(ended) < 0 && c.waiting.first != nil {
		ended = append(ended, c.waiting.first)
		c.waiting.remove(c.waiting.first)
		c.ended++
	}
	return ended
}

// pass notes that s only passes bytes from now on: a tunnel does not hold up a shutdown. It is
// false if the proxy is closing.
func (c *clients) pass(s *seat, goesOn func(*settings) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.passing, s.goesOn = true, goesOn
	return !c.closing.Load()
}

// passes is clients.pass, for a client that may use the proxy still: whoever has changed the settings
// since the request began may not have seen the tunnel.
func (s *session) passes() bool {
	return s.clients.pass(&s.seat, s.mayGoOn) && s.mayGoOn(s.current())
}

// endBarred ends the tunnels of those who may not use the proxy any more.
func (c *clients) endBarred(now *settings) {
	c.mu.Lock()
	var ended []*seat
	for s := range c.seats {
		if s.passing && s.goesOn != nil && !s.goesOn(now) {
			ended = append(ended, s)
		}
	}
	c.mu.Unlock()
	cutAll(ended)
}

// setLimit changes how many clients there may be. Those who wait make room at once, if there are too
// many; others keep their places.
func (c *clients) setLimit(limit int) {
	c.mu.Lock()
	c.limit = limit
	c.mu.Unlock()
	for c.isCrowded() && c.endOne() {
	}
}

func (c *clients) isCrowded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open > c.limit
}

// most is how many clients there may be.
func (c *clients) most() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit
}

// engage ends what pass has begun: a shutdown waits for s again.
func (c *clients) engage(s *seat) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.passing = false
}

// close lets nobody in any more and ends the sessions that no exchange runs on.
func (c *clients) close() {
	c.mu.Lock()
	c.closing.Store(true)
	var ended []*seat
	for s := range c.seats {
		if c.waiting.remove(s) || s.passing {
			ended = append(ended, s)
		}
	}
	c.mu.Unlock()
	cutAll(ended) // which takes the lock again
}

// cut ends all sessions.
func (c *clients) cut() {
	c.mu.Lock()
	var all []*seat
	for s := range c.seats {
		all = append(all, s)
	}
	c.mu.Unlock()
	cutAll(all)
}

func cutAll(seats []*seat) {
	for _, s := range seats {
		s.cut()
	}
}

// waitingList is a list that its members are linked through, so that joining it costs no
// allocation.
type waitingList struct{ first, last *seat }

func (l *waitingList) add(s *seat) {
	s.waits, s.before = true, l.last
	if l.last == nil {
		l.first = s
	} else {
		l.last.after = s
	}
	l.last = s
}

// remove reports whether s was in the list.
func (l *waitingList) remove(s *seat) bool {
	if !s.waits {
		return false
	}
	if s.before == nil {
		l.first = s.after
	} else {
		s.before.after = s.after
	}
	if s.after == nil {
		l.last = s.before
	} else {
		s.after.before = s.before
	}
	s.waits, s.before, s.after = false, nil, nil
	return true
}
