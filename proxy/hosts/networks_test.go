package hosts

import (
	"net/netip"
	"strings"
	"testing"
)

// TestNetworks: an address is found under each of its spellings, also where an address of IPv6 is
// only the way to one of IPv4.
func TestNetworks(t *testing.T) {
	for _, c := range []struct {
		networks, address string
		want              bool
	}{
		{"", "127.0.0.1", false},
		{"192.0.2.7", "192.0.2.7", true},
		{"192.0.2.7", "192.0.2.8", false},
		{"192.0.2.7/24", "192.0.2.255", true}, // the host's part counts for nothing
		{"192.0.2.0/24", "::ffff:192.0.2.9", true},
		{"::ffff:192.0.2.0/120", "192.0.2.9", true},
		{"::ffff:192.0.2.7", "192.0.2.7", true},
		{"2001:DB8::/32", "2001:db8:1::1", true},
		{"[2001:db8::1]", "2001:db8:0::1", true},
		{"fe80::/10", "fe80::1%eth0", true},
		{"@any", "203.0.113.1", true},
		{"@any", "2001:db8::1", true},
		{"@loopback", "127.255.0.9", true},
		{"@loopback", "::1", true},
		{"@loopback", "0.0.0.0", true},
		{"@loopback", "::", true},
		{"@loopback", "::ffff:127.0.0.1", true},
		{"@loopback", "64:ff9b::7f00:1", true},
		{"@loopback", "64:ff9b:1::127.0.0.1", true},
		{"@loopback", "2002:7f00:1::", true},
		{"@loopback", "::127.0.0.1", true},
		{"@loopback", "2001:0:cb00:7101::80ff:fffe", true}, // Teredo, of 127.0.0.1
		{"@loopback", "2001:0:7f00:1::80ff:fffd", true},
		{"@loopback", "2001:0:7f00:1::34ff:8efe", false}, // of 203.0.113.1, by a server at 127.0.0.1
		{"10.0.0.1", "2001:db8::5efe:10.0.0.1", false},   // ISATAP
		{"@loopback", "128.0.0.1", false},
		{"@loopback", "2001:db8::2", false},
		{"@private", "10.1.2.3", true},
		{"@private", "172.31.0.1", true},
		{"@private", "172.32.0.1", false},
		{"@private", "100.64.0.1", true},
		{"@private", "fd00::1", true},
		{"@private", "255.255.255.255", true},
		{"@private", "2002:a00:1::", true},
		{"@private", "127.0.0.1", false},
		{"@private", "203.0.113.1", false},
		{"@link-local", "169.254.1.1", true},
		{"@link-local", "fe80::1", true},
		{"@metadata", "169.254.169.254", true},
		{"@metadata", "168.63.129.16", true},
		{"@metadata", "169.254.0.1", false},
		{" @Private , 203.0.113.0/24 ", "203.0.113.4", true},
	} {
		networks, err := ParseNetworks(c.networks)
		if err != nil {
			t.Errorf("%q: %v", c.networks, err)
		}
		if got := networks.Has(netip.MustParseAddr(c.address)); got != c.want {
			t.Errorf("%q holds %s: %v", c.networks, c.address, got)
		}
		again, err := ParseNetworks(networks.String())
		if err != nil || again.Has(netip.MustParseAddr(c.address)) != c.want {
			t.Errorf("%q read again: %v", networks, err)
		}
	}
	for _, bad := range []string{"example.org", "192.0.2.0/33", "192.0.2", "10.0.0.0/8,", "@home",
		"192.0.2.7:80", "fe80::/10%eth0", "*", ",", "010.0.0.1"} {
		if n, err := ParseNetworks(bad); err == nil || !strings.Contains(err.Error(), "@private") {
			t.Errorf("%q: %v, %v", bad, n, err)
		}
	}
}
