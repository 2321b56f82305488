// Package dial opens TCP connections to what has several addresses: which of them is tried, when,
// and where the connection begins.
//
//	dial.go     the addresses of a host to one connection
//	race.go     both families, one after the other and then beside each other
//	source.go   where connections begin (source-address)
//
// Invariant: only what is given is dialled: no name is looked up here, no address is dialled that
// Refuse refuses, and none of a family that connections are not to begin in.
package dial

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
)

// Dialer opens connections. It is for several goroutines.
type Dialer struct {
	From SourceAddress

	// Refuse says why a place is not dialled; nil if it is.
	Refuse func(place netip.AddrPort) error

	// Spare gives descriptors back when the process has none left, and returns how many.
	Spare func() int
}

var errNoFamily = errors.New("no source-address is of the family of its addresses")

// Any opens a TCP connection to the first of the addresses that takes one. If none does, the error
// is that of Refuse, if it has refused one, or else the first address's: the next ones are often of
// a family that the machine has no way to.
func (d *Dialer) Any(ctx context.Context, addresses []netip.Addr, port string) (
	*net.TCPConn, error) {
	places, err := d.placesAt(addresses, port)
	if err != nil {
		return nil, err
	}
	var refused struct {
		sync.Mutex
		err error
	}
	try := func(ctx context.Context, place netip.AddrPort) (*net.TCPConn, error) {
		if err := d.Refuse(place); err != nil {
			refused.Lock()
			defer refused.Unlock()
			refused.err = err
			return nil, err
		}
		return d.one(ctx, place)
	}
	conn, err := race(ctx, try, places)
	if errors.Is(err, syscall.EMFILE) && d.Spare() > 0 {
		conn, err = race(ctx, try, places)
	}
	refused.Lock()
	defer refused.Unlock()
	if err != nil && refused.err != nil {
		return nil, refused.err
	}
	return conn, err
}

// placesAt returns the addresses that there is a way to, with a port.
func (d *Dialer) placesAt(addresses []netip.Addr, port string) ([]netip.AddrPort, error) {
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, err
	}
	places := make([]netip.AddrPort, 0, len(addresses))
	for _, address := range addresses {
		if _, may := d.From.towards(address); may {
			places = append(places, netip.AddrPortFrom(address, uint16(number)))
		}
	}
	if len(places) == 0 {
		return nil, errNoFamily
	}
	return places, nil
}

// one dials one place from where connections begin.
func (d *Dialer) one(ctx context.Context, place netip.AddrPort) (*net.TCPConn, error) {
	var dialer net.Dialer
	if from, _ := d.From.towards(place.Addr()); from.IsValid() {
		dialer.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))
		dialer.Control = lateSourcePort
	}
	conn, err := dialer.DialContext(ctx, "tcp", place.String())
	if err != nil {
		return nil, err
	}
	return conn.(*net.TCPConn), nil
}
