package dial

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"testing"
	"time"
)

// TestRace: of several places the first that takes a connection gets it, whatever becomes of those
// before it, and without waiting for one that is silent for longer than it must.
func TestRace(t *testing.T) {
	open := listenAt(t, "127.0.0.1")
	other := listenAt(t, "127.0.0.2")
	six := mapped(listenAt(t, "127.0.0.6")) // of the other family, on machines without IPv6 too
	closed := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.3"), open.Port())
	closedSix := mapped(closed)
	silent := netip.MustParseAddrPort("127.0.0.4:9")
	silentSix := mapped(silent)
	for _, c := range []struct {
		name   string
		places []netip.AddrPort
		want   netip.AddrPort // none: the error is the first one's
		least  time.Duration
		most   time.Duration
	}{
		{"one", places{open}, open, 0, headStart},
		{"the first of two", places{open, other}, open, 0, headStart},
		{"the second", places{closed, open}, open, 0, headStart},
		{"none", places{closed, closedSix}, netip.AddrPort{}, 0, headStart},
		{"the other family at once", places{closed, six}, six, 0, headStart},
		{"the other family, IPv4", places{closedSix, open}, open, 0, headStart},
		{"after a head start", places{silent, six}, six, headStart, leastShare},
		{"after a head start, IPv4", places{silentSix, open}, open, headStart, leastShare},
		{"the first family wins", places{open, silentSix}, open, 0, headStart},
		{"a share of the time", places{silent, open}, open, leastShare, 2 * leastShare},
		{"each family on its own", places{silent, silentSix, open, six}, open, leastShare,
			leastShare + headStart},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 2*leastShare)
			defer cancel()
			began := time.Now()
			conn, err := race(ctx, silentAtPort9, c.places)
			took := time.Since(began)
			switch {
			case !c.want.IsValid():
				var at *net.OpError
				if !errors.Is(err, syscall.ECONNREFUSED) || !errors.As(err, &at) ||
					unmapped(at.Addr.(*net.TCPAddr).AddrPort()) != c.places[0] {
					t.Errorf("%v", err)
				}
			case err != nil:
				t.Fatal(err)
			case conn.RemoteAddr().(*net.TCPAddr).AddrPort() != unmapped(c.want):
				t.Errorf("connected to %v", conn.RemoteAddr())
			}
			if took < c.least || took > c.most+leastShare*3/4 {
				t.Errorf("after %v", took)
			}
		})
	}
}

// TestRaceEnds: a race whose context ends gives its time back, and leaves no connection behind.
func TestRaceEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dial := func(ctx context.Context, place netip.AddrPort) (*net.TCPConn, error) {
		cancel()
		return silentAtPort9(ctx, place)
	}
	conn, err := race(ctx, dial, places{netip.MustParseAddrPort("127.0.0.4:9"),
		mapped(netip.MustParseAddrPort("127.0.0.4:9")), netip.MustParseAddrPort("127.0.0.5:9")})
	if conn != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", conn, err)
	}
}

type places = []netip.AddrPort

// mapped writes a place of IPv4 in IPv6.
func mapped(place netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom16(place.Addr().As16()), place.Port())
}

func unmapped(place netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(place.Addr().Unmap(), place.Port())
}

// listenAt takes connections at an address of this machine.
func listenAt(t *testing.T, host string) netip.AddrPort {
	t.Helper()
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln.Addr().(*net.TCPAddr).AddrPort()
}

// silentAtPort9 dials for real, but that port 9 of any address never answers.
func silentAtPort9(ctx context.Context, place netip.AddrPort) (*net.TCPConn, error) {
	if place.Port() == 9 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	var d Dialer
	return d.one(ctx, place)
}
