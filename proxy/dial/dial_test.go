package dial

import (
	"errors"
	"net/netip"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestAny: what is refused is not dialled; it is what the error says only where no address is left.
func TestAny(t *testing.T) {
	open := listenAt(t, "127.0.0.1")
	ours := netip.MustParseAddr("127.0.0.2")
	errOurs := errors.New("ours")
	closed := netip.MustParseAddr("127.0.0.3")
	six := netip.MustParseAddr("::1")
	for _, c := range []struct {
		name      string
		from      string
		addresses []netip.Addr
		want      error // nil: connected to open
	}{
		{"one", "", []netip.Addr{open.Addr()}, nil},
		{"behind one that is refused", "", []netip.Addr{ours, open.Addr()}, nil},
		{"refused alone", "", []netip.Addr{ours}, errOurs},
		{"refused last", "", []netip.Addr{closed, ours}, errOurs},
		{"not there", "", []netip.Addr{closed}, syscall.ECONNREFUSED},
		{"of no family", "127.0.0.9", []netip.Addr{six}, errNoFamily},
		{"of one family", "127.0.0.9", []netip.Addr{six, open.Addr()}, nil},
		{"none", "", nil, errNoFamily},
	} {
		from, err := ParseSourceAddress(c.from)
		if err != nil {
			t.Fatal(err)
		}
		d := Dialer{From: from, Refuse: func(place netip.AddrPort) error {
			if place.Addr() == ours {
				return errOurs
			}
			return nil
		}}
		conn, err := d.Any(t.Context(), c.addresses, strconv.Itoa(int(open.Port())))
		if !errors.Is(err, c.want) || (conn == nil) != (c.want != nil) {
			t.Errorf("%s: %v, %v", c.name, conn, err)
		}
		if conn != nil {
			conn.Close()
		}
	}
}

// TestSpare: where no descriptor is left, those that can be spared are given back, and it is tried
// once more.
func TestSpare(t *testing.T) {
	open := listenAt(t, "127.0.0.1")
	var asked atomic.Int64
	spared := 1
	d := Dialer{
		Refuse: func(netip.AddrPort) error {
			if asked.Add(1) == 1 {
				return syscall.EMFILE
			}
			return nil
		},
		Spare: func() int { return spared },
	}
	addresses, port := []netip.Addr{open.Addr()}, strconv.Itoa(int(open.Port()))
	conn, err := d.Any(t.Context(), addresses, port)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	spared = 0
	asked.Store(0)
	if conn, err := d.Any(t.Context(), addresses, port); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("%v, %v", conn, err)
	}
}
