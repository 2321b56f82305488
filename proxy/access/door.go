package access

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"net/netip"
	"runtime"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/crypto/bcrypt"
)

// Door lets users in. It compares what clients show with the users' hashes, a few at a time, and
// remembers the outcome:
//
//	credential ──► the pass of its connection: the same as before? ──► known
//	                 │ no                                              one keyed hash
//	               good, bad: remembered of another connection? ─────► known, or wrong
//	                 │ no                                              one look
//	               being compared for another? ──► waits for its outcome
//	                 │ no
//	               a place to wait in? ── no ──► crowded
//	                 │
//	               bcrypt, when it is its turn
//
// What is remembered is no password but an HMAC of it, with a key that ends with the process. The
// good ones and the bad ones are remembered apart: so that no flood of wrong passwords makes a good
// one forgotten.
type Door struct {
	users  Users
	byName map[sum]int // by the keyed hash of the name, so that a look-up tells nothing of names
	macs   *sync.Pool  // of *mac

	turns chan struct{} // a place for each comparison that runs

	mu       sync.Mutex
	good     *lru.Cache[sum, outcome]
	bad      *lru.Cache[sum, outcome]
	checks   map[sum]*check // that run or wait
	waiting  int            // checks that run or wait
	waitFrom map[netip.Prefix]int
}

// sum is the keyed hash of a name or a credential.
type sum [sha256.Size]byte

// mac makes sums without allocating.
type mac struct {
	hash.Hash
	out sum
}

// outcome is what became of a credential, and until when that is remembered.
type outcome struct {
	user  int
	until time.Time
}

// check is a comparison that others may wait for. answer and user are set when done is closed.
type check struct {
	done   chan struct{}
	others int // who wait for it, too
	answer Answer
	user   int
}

const (
	maxGood  = 4096
	maxBad   = 4096
	goodFor  = time.Hour // after it was last looked for
	badFor   = time.Minute
	maxWait  = 64 // comparisons that run or wait, of all clients
	waitWith = 64 // connections that wait for the outcome of one comparison
	waitEach = 8  // of one address, or one network of IPv6
	patience = 5 * time.Second
)

// Answer is what a Door says to a credential.
type Answer int

const (
	Missing Answer = iota // there is none, or one of a scheme that is not asked for
	Known                 // it is a user's, which is in the pass
	Wrong                 // it is nobody's
	Crowded               // there was no time to look
)

// Pass is what a connection has shown to a door. The zero Pass is nobody's.
type Pass struct {
	User  string
	shown sum
	hash  string // of the user's password
}

// NewDoor makes a door for users; nil if there are none.
func NewDoor(users Users) *Door {
	if users.IsEmpty() {
		return nil
	}
	key := make([]byte, sha256.Size)
	rand.Read(key)
	macs := &sync.Pool{New: func() any { return &mac{Hash: hmac.New(sha256.New, key)} }}
	return makeDoor(users, macs, make(chan struct{}, max(1, runtime.NumCPU()/2)))
}

func makeDoor(users Users, macs *sync.Pool, turns chan struct{}) *Door {
	d := &Door{
		users:    users,
		byName:   map[sum]int{},
		macs:     macs,
		turns:    turns,
		good:     remembering(maxGood),
		bad:      remembering(maxBad),
		checks:   map[sum]*check{},
		waitFrom: map[netip.Prefix]int{},
	}
	for i, name := range users.names {
		d.byName[d.sum([]byte(name))] = i
	}
	return d
}

func remembering(most int) *lru.Cache[sum, outcome] {
	cache, err := lru.New[sum, outcome](most)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return cache
}

// Check says whose the credential in a Proxy-Authorization field is. The pass is that of the
// connection that it came on, and has the new user if the answer is Known. from is the client.
func (d *Door) Check(p *Pass, field []byte, from netip.Addr) Answer {
	encoded := encodedIn(field)
	if len(encoded) == 0 {
		return Missing
	}
	if len(encoded) > maxEncoded {
		return Wrong
	}
	shown := d.sum(encoded)
	if p.User != "" && hmac.Equal(shown[:], p.shown[:]) {
		return Known
	}
	given, ok := parse(encoded)
	if !ok {
		return Wrong
	}
	answer, user := d.look(shown, given, networkOf(from))
	if answer == Known {
		p.User, p.shown, p.hash = d.users.names[user], shown, d.users.hashes[user]
	}
	return answer
}

// sum hashes with the key of the process.
func (d *Door) sum(b []byte) sum {
	m := d.macs.Get().(*mac)
	defer d.macs.Put(m)
	m.Reset()
	m.Write(b)
	m.Sum(m.out[:0])
	return m.out
}

// look finds what is known of a credential, or has it compared.
func (d *Door) look(shown sum, given credential, from netip.Prefix) (Answer, int) {
	d.mu.Lock()
	if is, known := fresh(d.good, shown); known {
		// who goes on coming is not compared anew in the middle of a flood
		d.good.Add(shown, outcome{is.user, time.Now().Add(goodFor)})
		d.mu.Unlock()
		return Known, is.user
	}
	if _, known := fresh(d.bad, shown); known {
		d.mu.Unlock()
		return Wrong, 0
	}
	c, running := d.checks[shown]
	if running && c.others >= waitWith || !running && !d.enter(from) {
		d.mu.Unlock()
		return Crowded, 0
	}
	if !running {
		c = &check{done: make(chan struct{})}
		d.checks[shown] = c
	}
	c.others++
	d.mu.Unlock()
	if !running {
		d.run(c, shown, given, from)
	}
	<-c.done
	return c.answer, c.user
}

// fresh returns what is remembered, unless it is too old.
func fresh(cache *lru.Cache[sum, outcome], shown sum) (outcome, bool) {
	is, known := cache.Get(shown)
	if known && time.Now().After(is.until) {
		cache.Remove(shown)
		return outcome{}, false
	}
	return is, known
}

// networkOf is what counts as one client: an address of IPv4, or the network of IPv6 that is one
// customer's.
func networkOf(from netip.Addr) netip.Prefix {
	from = from.Unmap().WithZone("")
	network, _ := from.Prefix(min(from.BitLen(), 64))
	return network
}

// enter takes a place to wait in, if there is one. d.mu is held.
func (d *Door) enter(from netip.Prefix) bool {
	if d.waiting >= maxWait || d.waitFrom[from] >= waitEach {
		return false
	}
	d.waiting++
	d.waitFrom[from]++
	return true
}

// leave gives the place back. d.mu is held.
func (d *Door) leave(from netip.Prefix) {
	d.waiting--
	if d.waitFrom[from]--; d.waitFrom[from] == 0 {
		delete(d.waitFrom, from)
	}
}

// run compares when it is the turn of c, and remembers the outcome.
func (d *Door) run(c *check, shown sum, given credential, from netip.Prefix) {
	c.answer = Crowded
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		switch c.answer {
		case Known:
			d.good.Add(shown, outcome{c.user, time.Now().Add(goodFor)})
		case Wrong:
			d.bad.Add(shown, outcome{until: time.Now().Add(badFor)})
		}
		delete(d.checks, shown)
		d.leave(from)
		close(c.done)
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case d.turns <- struct{}{}:
		defer func() { <-d.turns }()
	case <-timer.C:
		return
	}
	c.answer, c.user = d.compare(given)
}

// compare compares a credential with the hash that its name leads to.
func (d *Door) compare(given credential) (Answer, int) {
	user, known := d.userOf(given.name)
	password := given.password[:min(len(given.password), MaxPassword)]
	err := bcrypt.CompareHashAndPassword([]byte(d.users.hashes[user]), []byte(password))
	if err != nil || !known {
		return Wrong, 0
	}
	return Known, user
}

// userOf returns the user of a name. A name that nobody has leads to some user, who is not let in
// by it: the comparison takes then as long as for a name that somebody has, whatever the costs are.
func (d *Door) userOf(name string) (user int, known bool) {
	named := d.sum([]byte(name))
	if user, known = d.byName[named]; known {
		return user, true
	}
	return int(binary.LittleEndian.Uint32(named[:]) % uint32(len(d.users.names))), false
}
