package dial

import (
	"context"
	"net"
	"net/netip"
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
		dialled{conn, err, isFirst}.give(results, over)
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

// give hands over what became of it, unless the race is over: nobody has that connection then.
func (d dialled) give(to chan<- dialled, over <-chan struct{}) {
	select {
	case to <- d:
	case <-over:
		if d.err == nil {
			d.conn.Close()
		}
	}
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
