package proxy

import (
	"net/netip"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Some programs take the origin's own certificate only, and can be recorded by nobody. The log says
// once of their hosts that Config.Tunnel lets them pass; nothing is let pass by itself. What is
// taken for such a program is a client that breaks off its handshakes with one host, while other
// hosts work for it: with a client that trusts us nowhere it is the trust store. A host that has
// worked for a client, however often that breaks off later, is none of those: browsers close
// connections that they opened in advance.
const (
	// pinnedAfter is how many handshakes with one host a client has broken off.
	pinnedAfter = 3

	// promptly is how soon a client goes that has compared certificates by itself. Browsers keep what
	// they opened in advance for longer.
	promptly = 500 * time.Millisecond

	// maxBroken and maxWorking are how many pairs of client and host are remembered.
	maxBroken, maxWorking = 1024, 4096
)

// pinned remembers the hosts that clients break off with, and those that work for them.
type pinned struct {
	mu      sync.Mutex
	broken  *lru.Cache[clientAt, int] // handshakes in a row
	working *lru.Cache[clientAt, struct{}]
	told    *seldom
}

// clientAt is a kind of client at a host.
type clientAt struct {
	kind clientKind
	host string
}

func newPinned() *pinned {
	return &pinned{
		broken:  newLRU[clientAt, int](maxBroken),
		working: newLRU[clientAt, struct{}](maxWorking),
		told:    newSeldom(),
	}
}

// forget forgets which hosts have worked for whom, and which have not.
func (p *pinned) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken.Purge()
	p.working.Purge()
}

// worked notes that a client has asked a host for something.
func (p *pinned) worked(at clientAt) { p.working.Add(at, struct{}{}) }

// works reports whether a client has asked a host for something.
func (p *pinned) works(at clientAt) bool { return p.working.Contains(at) }

// broke notes that a client has broken off a handshake. trusts is one for whom other hosts work. It
// reports whether that is to be told.
func (p *pinned) broke(at clientAt, trusts bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !trusts || p.working.Contains(at) {
		return false
	}
	n, _ := p.broken.Get(at)
	p.broken.Add(at, n+1)
	return n+1 >= pinnedAfter && p.told.isDue(at.host, forGood)
}

// forGood is as long as the process lives.
const forGood = 100 * 365 * 24 * time.Hour

// isBreak reports an end, age after a handshake began, by which a client may say that it wants
// another certificate.
func isBreak(err error, age time.Duration) bool {
	said := understand(err, age, false)
	return said == saidNo || said == seemsToSayNo && age < promptly
}

// suggestTunnel says once of a host that its tunnels could pass untouched, if that is what helps.
func (s *session) suggestTunnel(trusts bool) {
	at := s.raw.at()
	if !s.pinned.broke(at, trusts) {
		return
	}
	s.log.Warn().Str("host", at.host).Str("client", s.raw.RemoteAddr().String()).
		Str("do", "tunnel: ["+at.host+"]").
		Msg("a client for which other hosts work breaks off every handshake with this one: if it takes " +
			"the origin's own certificate only, tunnel lets it pass, untouched and unrecorded")
}

// at is whose connection this is, and where to: the host that Config.Tunnel would have to name.
func (c *tapConn) at() clientAt {
	host := c.host
	if _, err := netip.ParseAddr(host); err == nil && c.named != "" {
		host = strings.ToLower(c.named)
	}
	return clientAt{c.kind, host}
}
