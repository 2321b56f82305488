// Package hosts has the sets of hosts that settings name: by name (List), by address (Networks), or
// by both (Set).
//
// The words for networks, such as @private, have one meaning in all settings: classes.
//
// Invariant: a host is in a set under each of its spellings or under none, and a text that could
// match no host is refused: else a host would be thought to be in a set that it is not in.
package hosts

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// Networks is a set of addresses. The zero value is empty.
type Networks struct {
	texts    []string // as they were given
	prefixes []netip.Prefix
}

// classes are the words for networks. Each prefix is one of the IANA registries of special-purpose
// addresses (RFC 6890), where nothing else stands.
var classes = map[string][]string{
	"@any":        {"0.0.0.0/0", "::/0"},
	"@loopback":   {"127.0.0.0/8", "::1/128", "0.0.0.0/8", "::/128"}, // 0.0.0.0 leads to this host
	"@link-local": {"169.254.0.0/16", "fe80::/10"},
	"@private": {
		"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", // RFC 1918
		"100.64.0.0/10",           // of providers, RFC 6598
		"192.0.0.0/24",            // protocol assignments
		"198.18.0.0/15",           // benchmarks, RFC 2544
		"fc00::/7",                // RFC 4193
		"fec0::/10",               // site-local, RFC 3879
		"224.0.0.0/4", "ff00::/8", // to many
		"240.0.0.0/4", // reserved, and the broadcast
	},
	// where a cloud tells a machine its secrets
	"@metadata": {
		"169.254.169.254/32", "169.254.170.2/32", "169.254.170.23/32", // most clouds, and containers
		"fd00:ec2::254/128", "fd00:ec2::23/128", "fd20:ce::254/128",
		"100.100.100.200/32", // Alibaba
		"168.63.129.16/32",   // Azure, in a public network
		"192.0.0.192/32",     // Oracle
	},
}

// ParseNetworks reads a comma-separated list of addresses, prefixes (192.0.2.0/24) and words for
// networks (@private). An empty text is the empty set.
func ParseNetworks(text string) (n Networks, err error) {
	for one := range strings.SplitSeq(text, ",") {
		one = strings.ToLower(strings.TrimSpace(one))
		if one == "" && strings.TrimSpace(text) == "" {
			return n, nil
		}
		if err := n.add(one); err != nil {
			return Networks{}, err
		}
	}
	return n, nil
}

// Words returns the networks of words for networks. They are the program's own: what is none
// panics.
func Words(words ...string) (n Networks) {
	for _, word := range words {
		if err := n.add(word); err != nil || classes[word] == nil {
			panic(word)
		}
	}
	return n
}

// NetworksOf returns the set of some addresses.
func NetworksOf(addresses []netip.Addr) (n Networks) {
	for _, address := range addresses {
		n.texts = append(n.texts, address.String())
		n.prefixes = append(n.prefixes, alone(address))
	}
	return n
}

func (n *Networks) add(one string) error {
	n.texts = append(n.texts, one)
	if prefixes, known := classes[one]; known {
		for _, prefix := range prefixes {
			n.prefixes = append(n.prefixes, netip.MustParsePrefix(prefix))
		}
		return nil
	}
	prefix, err := parsePrefix(one)
	if err != nil {
		return fmt.Errorf(
			"%q is no network: give addresses (192.0.2.7), prefixes (192.0.2.0/24, 2001:db8::/32) or %s",
			one, strings.Join(slices.Sorted(maps.Keys(classes)), ", "))
	}
	n.prefixes = append(n.prefixes, prefix)
	return nil
}

// parsePrefix reads a prefix, or an address as the prefix that holds it alone. One of IPv4 that is
// written in IPv6 is one of IPv4: addresses are compared so.
func parsePrefix(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		address, err := netip.ParseAddr(strings.Trim(text, "[]"))
		if err != nil {
			return netip.Prefix{}, err
		}
		return alone(address), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	if prefix.Addr().Is4In6() && prefix.Bits() >= 96 {
		prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96)
	}
	return prefix.Masked(), nil
}

// alone is the prefix that holds one address.
func alone(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	return netip.PrefixFrom(address, address.BitLen())
}

// Has reports whether an address is in the set, or an address of IPv4 that it leads to: mapped
// (RFC 4291), behind a translator (RFC 6052, RFC 8215) or a tunnel (RFC 3056, RFC 4380). That in
// ISATAP is not looked at: whoever has a network of IPv6 has such addresses for all of IPv4, and a
// set of what is allowed would have them.
func (n Networks) Has(address netip.Addr) bool {
	address = address.WithZone("").Unmap()
	if n.holds(address) {
		return true
	}
	embedded, is := embeddedIPv4(address)
	return is && n.holds(embedded)
}

// HasPeer reports whether an address that comes to us is in the set. Of those of IPv6 only a mapped
// one is one of IPv4 then: whoever comes from 2002:7f00:1:: does not come from 127.0.0.1.
func (n Networks) HasPeer(address netip.Addr) bool {
	return n.holds(address.WithZone("").Unmap())
}

func (n Networks) holds(address netip.Addr) bool {
	for _, prefix := range n.prefixes {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

// translated are the prefixes whose addresses end in one of IPv4.
var translated = []netip.Prefix{
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"), // where /96 is what is in use
	netip.MustParsePrefix("::/96"),          // IPv4-compatible, RFC 4291 section 2.5.5.1
}

var (
	sixToFour = netip.MustParsePrefix("2002::/16")
	teredo    = netip.MustParsePrefix("2001::/32")
)

// embeddedIPv4 returns the address of IPv4 that one of IPv6 is made of.
func embeddedIPv4(address netip.Addr) (netip.Addr, bool) {
	if !address.Is6() {
		return netip.Addr{}, false
	}
	b := address.As16()
	switch {
	case sixToFour.Contains(address):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	case teredo.Contains(address): // which has it with each bit turned over
		return netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}), true
	}
	for _, prefix := range translated {
		if prefix.Contains(address) {
			return netip.AddrFrom4([4]byte(b[12:])), true
		}
	}
	return netip.Addr{}, false
}

// IsEmpty reports a set that holds nothing.
func (n Networks) IsEmpty() bool { return len(n.prefixes) == 0 }

// String gives back what ParseNetworks reads.
func (n Networks) String() string { return strings.Join(n.texts, ",") }
