package dns

import (
	"fmt"
	"net/netip"
	"strings"
)

// Servers are name servers, in the order in which they are asked. None are those of the system.
type Servers []netip.AddrPort

// ParseServers reads a comma-separated list of addresses, each with a port or for port 53.
func ParseServers(text string) (servers Servers, err error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	for one := range strings.SplitSeq(text, ",") {
		server, err := parseServer(strings.TrimSpace(one))
		if err != nil {
			return nil, err
		}
		servers = append(servers, server)
	}
	return servers, nil
}

// parseServer takes no name: another name server would have to be asked for it.
func parseServer(text string) (netip.AddrPort, error) {
	server, err := netip.ParseAddrPort(text)
	if err != nil {
		address, wrong := netip.ParseAddr(strings.Trim(text, "[]"))
		server, err = netip.AddrPortFrom(address, 53), wrong
	}
	if err != nil || server.Port() == 0 {
		return netip.AddrPort{}, fmt.Errorf("%q is no name server: give its address (192.0.2.53), "+
			"with a port if it is not 53 (192.0.2.53:5353, [2001:db8::53]:5353)", text)
	}
	return server, nil
}

// String gives back what ParseServers reads.
func (s Servers) String() string {
	texts := make([]string, len(s))
	for i, server := range s {
		texts[i] = server.String()
	}
	return strings.Join(texts, ",")
}
