package proxy

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// headStart is how long the addresses of one family are tried alone, and leastShare how long an
	// address is tried at least while others wait. Both are net.Dialer's (RFC 8305 section 5).
	headStart  = 300 * time.Millisecond
	leastShare = 2 * time.Second
)

// dialOne opens a connection to one place.
type dialOne func(ctx context.Context, place netip.AddrPort) (*net.TCPConn, error)

// dialAny opens a TCP connection to the first of the addresses that takes one, but for those that
// lead back to the proxy itself. If none does, the error is the first address's: the next ones are
// often of a family that the machine has no way to.
func (u *upstreams) dialAny(ctx context.Context, addresses []netip.Addr, port string) (
	*net.TCPConn, error) {
	places, err := u.placesAt(addresses, port)
	if err != nil {
		return nil, err
	}
	var itself atomic.Bool
	dial := func(ctx context.Context, place netip.AddrPort) (*net.TCPConn, error) {
		if u.self(place) {
			itself.Store(true)
			return nil, errSelf
		}
		return u.dialFrom(ctx, place)
	}
	conn, err := race(ctx, dial, places)
	if errors.Is(err, syscall.EMFILE) && u.forgetIdle() > 0 {
		conn, err = race(ctx, dial, places)
	}
	if err != nil && itself.Load() {
		return nil, errSelf
	}
	return conn, err
}

// placesAt returns the addresses that there is a way to, with a port.
func (u *upstreams) placesAt(addresses []netip.Addr, port string) ([]netip.AddrPort, error) {
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, err
	}
	places := make([]netip.AddrPort, 0, len(addresses))
	for _, address := range addresses {
		if _, may := u.cfg.SourceAddress.towards(address); may {
			places = append(places, netip.AddrPortFrom(address, uint16(number)))
		}
	}
	if len(places) == 0 {
		return nil, errNoFamily
	}
	return places, nil
}

// dialFrom dials one place from where connections begin.
func (u *upstreams) dialFrom(ctx context.Context, place netip.AddrPort) (*net.TCPConn, error) {
	var dialer net.Dialer
	if from, _ := u.cfg.SourceAddress.towards(place.Addr()); from.IsValid() {
		dialer.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))
		dialer.Control = lateSourcePort
	}
	conn, err := dialer.DialContext(ctx, "tcp", place.String())
	if err != nil {
		return nil, err
	}
	return conn.(*net.TCPConn), nil
}

// race dials places of both families: first those of the family that comes first, and after
// headStart, or once they have failed, the others beside them. The first connection counts.
func race(ctx context.Context, dial dialOne, places []netip.AddrPort) (*net.TCPConn, error) {
	first, second := byFamily(places)
	if len(second) == 0 {
		return inTurn(ctx, dial, first)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{})
	defer close(over)
	results := make(chan dialled)
	try := func(places []netip.AddrPort, isFirst bool) {
		conn, err := inTurn(ctx, dial, places)
		select {
		case results <- dialled{conn, err, isFirst}:
		case <-over:
			if err == nil {
				conn.Close()
			}
		}
	}
	go try(first, true)
	start := time.NewTimer(headStart)
	defer start.Stop()
	var firstErr error
	for left := 2; left > 0; {
		select {
		case <-start.C:
			go try(second, false)
		case d := <-results:
			if d.err == nil {
				return d.conn, nil
			}
			if d.isFirst {
				firstErr = d.err
				if start.Stop() {
					start.Reset(0)
				}
			}
			left--
		}
	}
	return nil, firstErr
}

// dialled is what became of the addresses of one family.
type dialled struct {
	conn    *net.TCPConn
	err     error
	isFirst bool
}

// byFamily splits places: those of the first one's family, and the others.
func byFamily(places []netip.AddrPort) (first, second []netip.AddrPort) {
	for _, place := range places {
		if place.Addr().Is4() == places[0].Addr().Is4() {
			first = append(first, place)
		} else {
			second = append(second, place)
		}
	}
	return first, second
}

// inTurn dials places one after another. Each has its share of the time that is left: one that says
// nothing must not take that of all.
func inTurn(ctx context.Context, dial dialOne, places []netip.AddrPort) (
	*net.TCPConn, error) {
	var first error
	for i, place := range places {
		conn, err := dialShare(ctx, dial, place, len(places)-i)
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

// dialShare dials one place of as many as are left.
func dialShare(ctx context.Context, dial dialOne, place netip.AddrPort, left int) (
	*net.TCPConn, error) {
	if until, bounded := ctx.Deadline(); bounded && left > 1 {
		share := max(time.Until(until)/time.Duration(left), leastShare)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, share)
		defer cancel()
	}
	return dial(ctx, place)
}
