package hosts

import (
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"warcorder/proxy/http1"
)

// List is a set of host names: none, some, or all. "*.example.org" holds every name below
// example.org, and not itself; ".example.org" is the same. A word, such as BrowserChatter, stands
// for a list of ours.
type List struct {
	All   bool
	Hosts []string
}

// ParseList reads "true", "false" or a comma-separated list of host names.
func ParseList(text string) (List, error) {
	switch text {
	case "true", "all", "*":
		return List{All: true}, nil
	case "false", "":
		return List{}, nil
	}
	var list List
	for one := range strings.SplitSeq(text, ",") {
		host, err := parseHost(one)
		if err != nil {
			return List{}, err
		}
		list.Hosts = append(list.Hosts, host)
	}
	return list, nil
}

// parseHost reads one member of a list.
func parseHost(text string) (string, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	name, below := strings.CutPrefix(text, "*.")
	if !below {
		name, below = strings.CutPrefix(text, ".")
	}
	if strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]") {
		name = name[1 : len(name)-1]
	}
	host, ok := OneSpelling(name)
	if !ok || host == "" || host[0] == '.' || strings.ContainsAny(host, "/ \t@*[]") {
		return "", fmt.Errorf(
			"%q is not a host name: give names or addresses without scheme and port, or * alone for all",
			text)
	}
	if below {
		host = "*." + host
	}
	return host, nil
}

// OneSpelling returns a host in lower case as all its spellings are compared: without the dot of
// the root, in letters of ASCII, an IPv6 address as RFC 5952 has it. It is false for what can be no
// host, such as one with a port.
func OneSpelling(host string) (string, bool) {
	if strings.Contains(host, ":") {
		address, err := netip.ParseAddr(host)
		if err != nil {
			return host, false
		}
		return address.String(), true
	}
	host = strings.TrimSuffix(host, ".")
	if len(host) > http1.MaxHost {
		return host, false
	}
	if strings.IndexFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return host, true
	}
	ascii, err := idna.Lookup.ToASCII(host)
	return strings.TrimSuffix(ascii, "."), err == nil // other alphabets have dots of their own
}

// Has reports whether host, in lower case, is in the list, however it is spelled.
func (l List) Has(host string) bool {
	if l.All || len(l.Hosts) == 0 {
		return l.All
	}
	host, _ = OneSpelling(host)
	return l.holds(host)
}

// holds is Has for a host in its one spelling.
func (l List) holds(host string) bool {
	for _, one := range l.Hosts {
		switch one[0] {
		case '@':
			if words[one]().has(host) {
				return true
			}
		case '*':
			if strings.HasSuffix(host, one[1:]) {
				return true
			}
		default:
			if one == host {
				return true
			}
		}
	}
	return l.All
}

// String gives back what ParseList reads, or ParseWords.
func (l List) String() string {
	if l.All {
		return "true"
	}
	return strings.Join(l.Hosts, ",")
}
