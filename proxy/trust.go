package proxy

import (
	"crypto/tls"
	"errors"
	"hash/maphash"
	"io"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// A client that does not trust the root certificate says so in its library's own way: by an alert
// in the handshake, by an alert when the handshake is done for us, by one that we cannot decrypt,
// or by nothing but the end of the connection. The first three are plain. A mere end is what
// browsers leave too, of connections that they opened in advance and did not need. It counts as
// distrust if our certificate had just been sent, nothing was asked, and no client of that kind,
// from that address, has asked for anything lately or does so in the seconds to come: a browser
// that trusts the certificate is busy with other connections before or after, and closes most spare
// ones later.
const (
	// doubtWithin is how soon a client that checks the certificate behind the handshake has done so.
	doubtWithin = 3 * time.Second

	// doubtFor is how long a client that has gone has time to come again and show trust.
	doubtFor = 5 * time.Second

	// maxDoubts is how many clients are waited for.
	maxDoubts = 1000

	// trustFor is how long a request speaks for the other connections of its client.
	trustFor = 10 * time.Minute

	// maxKinds is how many clients are remembered.
	maxKinds = 1024
)

// trust remembers which clients have shown that they take the certificate.
type trust struct {
	kinds *lru.Cache[clientKind, time.Time] // the last request of each
}

// clientKind is what clients of one program on one machine have in common.
type clientKind struct {
	address netip.Addr
	hello   uint64 // hash of what its hello offers
}

func newTrust() trust {
	return trust{newLRU[clientKind, time.Time](maxKinds)}
}

// shown notes that a client of that kind has asked for something.
func (t trust) shown(kind clientKind) { t.kinds.Add(kind, time.Now()) }

// has reports whether a client of that kind has lately asked for something.
func (t trust) has(kind clientKind) bool {
	last, ok := t.kinds.Get(kind)
	return ok && time.Since(last) < trustFor
}

// forget forgets all.
func (t trust) forget() { t.kinds.Purge() }

// doubt is a client that went away, and may have been kept from what it wanted.
type doubt struct {
	cleared func() bool // reports whether it has shown since that it was not
	tell    func()
}

// doubts are the clients that may still come again.
type doubts struct {
	mu      sync.Mutex
	waiting map[*doubt]*time.Timer
	closed  bool
}

func (d *doubts) add(one *doubt) {
	d.mu.Lock()
	waits := !d.closed && len(d.waiting) < maxDoubts
	if waits {
		d.waiting[one] = time.AfterFunc(doubtFor, func() { d.settle(one) })
	}
	d.mu.Unlock()
	if !waits {
		d.decide(one)
	}
}

// settle ends the waiting for one, once.
func (d *doubts) settle(one *doubt) {
	d.mu.Lock()
	timer, waits := d.waiting[one]
	delete(d.waiting, one)
	d.mu.Unlock()
	if waits {
		timer.Stop()
		d.decide(one)
	}
}

func (d *doubts) decide(one *doubt) {
	if !one.cleared() {
		one.tell()
	}
}

// close settles all doubts that wait, and those that come later at once.
func (d *doubts) close() {
	d.mu.Lock()
	d.closed = true
	all := slices.Collect(maps.Keys(d.waiting))
	d.mu.Unlock()
	for _, one := range all {
		d.settle(one)
	}
}

var helloSeed = maphash.MakeSeed()

// kindOf hashes what a program offers in every hello, without what browsers make up anew each time
// (RFC 8701) and without the order, which they shuffle.
func kindOf(hello *tls.ClientHelloInfo) clientKind {
	var h maphash.Hash
	h.SetSeed(helloSeed)
	addSet(&h, hello.CipherSuites)
	addSet(&h, hello.SupportedVersions)
	addSet(&h, hello.SupportedCurves)
	addSet(&h, hello.SignatureSchemes)
	for _, protocol := range hello.SupportedProtos {
		h.WriteString(protocol)
		h.WriteByte(0)
	}
	kind := clientKind{hello: h.Sum64()}
	if address, ok := hello.Conn.RemoteAddr().(*net.TCPAddr); ok {
		kind.address = address.AddrPort().Addr().Unmap()
	}
	return kind
}

// addSet adds the numbers of a list whose order does not matter.
func addSet[N ~uint16](h *maphash.Hash, list []N) {
	var room [64]N // for those of most clients
	sorted := append(room[:0], list...)
	slices.Sort(sorted)
	for _, n := range sorted {
		if n&0x0f0f != 0x0a0a {
			h.WriteByte(byte(n >> 8))
			h.WriteByte(byte(n))
		}
	}
	h.WriteByte(0)
}

// farewell is what the end of a connection on which nothing was asked says of the client.
type farewell uint8

const (
	nothingSaid farewell = iota // it went away
	saidNo                      // it does not take the certificate
	seemsToSayNo
)

// understand reads the error that ended a connection, age after the certificate was sent. busy is a
// client that has lately shown trust.
func understand(err error, age time.Duration, busy bool) farewell {
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "remote error" && op.Err.Error() != userCanceled:
		return saidNo
	case errors.As(err, &op) && op.Op == "local error" && op.Err.Error() == badRecordMAC:
		return saidNo // an alert that is not encrypted, or with keys that are not in force yet
	case busy || age >= doubtWithin:
		return nothingSaid
	case hungUp(err):
		return seemsToSayNo
	}
	return nothingSaid
}

// hungUp reports an end that the client made without a word.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// As crypto/tls words the alerts of RFC 8446 section 6.
var (
	badRecordMAC = tls.AlertError(20).Error()
	userCanceled = tls.AlertError(90).Error()
)
