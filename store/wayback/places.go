package wayback

import (
	"net/http"
	"net/netip"
	"sync"
)

// places are those of the requests that are being answered. Who reads a little now and then keeps a
// place for as long as an answer lasts, and may be right to: a film is played so. So that one who is
// let in does not shut out all others, no client has more than a part of them.
//
// An address of another machine may be one of many readers behind it, and one program that hangs: a
// quarter is more than browsers and players open at once, and leaves most to others. The programs of
// this machine have one address, a pywb with all its visitors among them: they have half. An IPv6
// client chooses its addresses among those of a network of 64 bits, which is therefore one.
type places struct {
	mu    sync.Mutex
	taken int
	by    map[netip.Prefix]int // those of each client that has one
}

const (
	mostAtOnce  = 128            // requests that are being answered
	mostOfOne   = mostAtOnce / 4 // of one address of another machine
	mostOfLocal = mostAtOnce / 2 // of this machine
)

// refusal says why there is no place; the zero one is none.
type refusal struct {
	status int
	why    string
}

// take takes a place for a client; address is that of a request. Who has got one leaves it.
func (p *places) take(address string) (leave func(), no refusal) {
	who, most := clientOf(address)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.by[who] >= most:
		return nil, refusal{http.StatusTooManyRequests, "Too many answers to your address have not come " +
			"to their end: read them or close them, and ask again."}
	case p.taken >= mostAtOnce:
		return nil, refusal{http.StatusServiceUnavailable, "Too many are being answered: ask again in a " +
			"moment."}
	}
	if p.by == nil {
		p.by = make(map[netip.Prefix]int)
	}
	p.taken++
	p.by[who]++
	return func() { p.leave(who) }, refusal{}
}

func (p *places) leave(who netip.Prefix) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.by[who]--; p.by[who] == 0 {
		delete(p.by, who)
	}
}

// local stands for all addresses of this machine that no other can have.
var local = netip.PrefixFrom(netip.IPv6Loopback(), 128)

// clientOf returns whose an address is, and how many places that one may have. Those that are no
// addresses are of one client.
func clientOf(address string) (who netip.Prefix, most int) {
	from, _ := netip.ParseAddrPort(address)
	ip := from.Addr().Unmap().WithZone("")
	if ip.IsLoopback() {
		return local, mostOfLocal
	}
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	who, _ = ip.Prefix(bits)
	return who, mostOfOne
}
