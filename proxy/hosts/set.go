package hosts

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// Set is hosts by name and by address, mixed: patterns as in a List, addresses, prefixes and words
// as in Networks. The zero value is empty.
type Set struct{ members []member }

// member is one pattern, or one network.
type member struct {
	text      string // as it was given
	names     List
	addresses Networks
}

// ParseSet reads a comma-separated list. "*" and @any hold all hosts. An empty text is the empty
// set.
func ParseSet(text string) (s Set, err error) {
	if strings.TrimSpace(text) == "" {
		return Set{}, nil
	}
	for one := range strings.SplitSeq(text, ",") {
		m, err := parseMember(strings.ToLower(strings.TrimSpace(one)))
		if err != nil {
			return Set{}, err
		}
		s.members = append(s.members, m)
	}
	return s, nil
}

// parseMember refuses a name that ends in a number: browsers read it as an address (0x7f.1 is
// 127.0.0.1), so that no host has it.
func parseMember(text string) (m member, err error) {
	m.text = text
	switch {
	case text == "*" || text == "@any":
		m.names.All = true
		err = m.addresses.add("@any")
	case isNetwork(text):
		err = m.addresses.add(text)
	case text == "" || text == "true" || text == "false" || text == "all" || endsInNumber(text):
		err = errNoHost
	default:
		m.names, err = ParseList(text)
	}
	if err != nil {
		return member{}, fmt.Errorf("%q is neither a host nor a network: give names (example.org, "+
			"*.example.org; * is all), addresses, prefixes (192.0.2.0/24) or words (@private), without "+
			"scheme and port", text)
	}
	return m, nil
}

var errNoHost = errors.New("no host")

// isNetwork reports a text that is meant to be a network and no name.
func isNetwork(text string) bool {
	_, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return err == nil || strings.HasPrefix(text, "@") || strings.Contains(text, "/")
}

// endsInNumber is the test of that name in the URL standard, where the last label makes a host an
// address or nothing.
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits := "0123456789"
	if hex, is := strings.CutPrefix(last, "0x"); is {
		return strings.Trim(hex, digits+"abcdef") == ""
	}
	return last != "" && strings.Trim(last, digits) == ""
}

// OfName returns the first pattern that holds a host's name, in lower case. The name is spelled
// once: there may be a hundred thousand patterns, and the name be one of a client's that takes a
// while.
func (s Set) OfName(name string) (pattern string, found bool) {
	if s.IsEmpty() {
		return "", false
	}
	name, _ = OneSpelling(name)
	for i := range s.members {
		if s.members[i].names.holds(name) {
			return s.members[i].text, true
		}
	}
	return "", false
}

// OfAddress returns the first network that holds an address.
func (s Set) OfAddress(address netip.Addr) (network string, found bool) {
	for i := range s.members {
		if s.members[i].addresses.Has(address) {
			return s.members[i].text, true
		}
	}
	return "", false
}

// HasNetworks reports that a host may be in the set by an address alone.
func (s Set) HasNetworks() bool {
	for i := range s.members {
		if !s.members[i].addresses.IsEmpty() {
			return true
		}
	}
	return false
}

// IsEmpty reports a set that holds nothing.
func (s Set) IsEmpty() bool { return len(s.members) == 0 }

// String gives back what ParseSet reads.
func (s Set) String() string {
	texts := make([]string, len(s.members))
	for i := range s.members {
		texts[i] = s.members[i].text
	}
	return strings.Join(texts, ",")
}
