package dial

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// SourceAddress is where connections to origins begin: an address of this machine, or one of each
// family. The zero value leaves it to the system. What is of a family that has none is not dialled:
// it would leave the machine by the way that the setting is to avoid.
type SourceAddress struct{ IPv4, IPv6 netip.Addr }

// ParseSourceAddress reads an address, or two of different families with a comma between.
func ParseSourceAddress(text string) (s SourceAddress, err error) {
	if strings.TrimSpace(text) == "" {
		return s, nil
	}
	for one := range strings.SplitSeq(text, ",") {
		address, err := netip.ParseAddr(strings.Trim(strings.TrimSpace(one), "[]"))
		address = address.Unmap()
		place := &s.IPv6
		if address.Is4() {
			place = &s.IPv4
		}
		if err != nil || address.IsUnspecified() || address.IsMulticast() || place.IsValid() {
			return SourceAddress{}, fmt.Errorf("%q is no source address: give one address of this "+
				"machine, or one of IPv4 and one of IPv6", text)
		}
		*place = address
	}
	return s, nil
}

// String gives back what ParseSourceAddress reads.
func (s SourceAddress) String() string {
	var texts []string
	for _, address := range []netip.Addr{s.IPv4, s.IPv6} {
		if address.IsValid() {
			texts = append(texts, address.String())
		}
	}
	return strings.Join(texts, ",")
}

// Check refuses what is no address of this machine: every request would fail.
func (s SourceAddress) Check() error {
	for _, address := range []netip.Addr{s.IPv4, s.IPv6} {
		if !address.IsValid() {
			continue
		}
		probe, err := net.ListenPacket("udp", netip.AddrPortFrom(address, 0).String())
		if err != nil {
			return fmt.Errorf("source-address %s cannot be used: %w; give an address that this machine "+
				"has", address, err)
		}
		probe.Close()
	}
	return nil
}

// isSet reports that there is one.
func (s SourceAddress) isSet() bool { return s.IPv4.IsValid() || s.IPv6.IsValid() }

// towards returns where a connection to an address begins; no address is where the system says.
func (s SourceAddress) towards(address netip.Addr) (from netip.Addr, may bool) {
	from = s.IPv6
	if address.Unmap().Is4() {
		from = s.IPv4
	}
	return from, from.IsValid() || !s.isSet()
}
