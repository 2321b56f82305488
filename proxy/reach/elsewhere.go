package reach

import (
	"encoding/binary"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"warcorder/proxy/hosts"
)

// Elsewhere judges a host that another machine looks up: all that can be judged is its name, or the
// address that it is written as. That machine may be this one, and may read what is no address to
// us as one, as most programs in C do.
func (j *Judge) Elsewhere(host, site string) *Denial {
	host, site = decoded(host), decoded(site)
	spelled, _ := hosts.OneSpelling(host)
	address, literal := addressOf(host)
	if !literal {
		address, literal = numbered(spelled)
	}
	if strings.HasSuffix("."+spelled, ".localhost") {
		address, literal = netip.AddrFrom4([4]byte{127, 0, 0, 1}), true // RFC 6761 section 6.3
	}
	if literal {
		_, denied := j.Addresses(host, site, []netip.Addr{address})
		return denied
	}
	return j.byName(host, site)
}

// decoded undoes percent-encoding, which a host in a URL may have (RFC 3986 section 3.2.2) and
// another machine may undo as well; behind a NUL it may see nothing. The % in an address of IPv6
// begins its zone.
func decoded(host string) string {
	if !strings.Contains(host, "%") || strings.Contains(host, ":") {
		return host
	}
	plain, err := url.PathUnescape(host)
	if err != nil {
		return host
	}
	plain, _, _ = strings.Cut(plain, "\x00")
	return strings.ToLower(plain)
}

// numbered reads an address of IPv4 in any of the forms of inet_aton(3): one to four numbers,
// decimal, octal or hexadecimal, the last of which has all bytes that are left.
func numbered(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	sum := uint64(0)
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		n, ok := number(part, bits)
		if !ok {
			return netip.Addr{}, false
		}
		sum = sum<<bits | n
	}
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(sum))
	return netip.AddrFrom4(b), true
}

func number(text string, bits int) (uint64, bool) {
	base := 10
	if rest, is := strings.CutPrefix(text, "0x"); is {
		text, base = rest, 16
	} else if len(text) > 1 && text[0] == '0' {
		base = 8
	}
	n, err := strconv.ParseUint(text, base, bits)
	return n, err == nil
}
