package canon

import (
	"encoding/binary"
	"math"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// browserHost parses a host as the URL Standard does (section 3.5): an IPv6 address in
// brackets, an IPv4 address in any of its spellings, or a domain in ASCII.
func browserHost(host string) (string, bool) {
	if inside, ok := strings.CutPrefix(host, "["); ok {
		inside, ok = strings.CutSuffix(inside, "]")
		addr, err := netip.ParseAddr(inside)
		if !ok || err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", false
		}
		return "[" + browserIPv6(addr.As16()) + "]", true
	}
	domain, err := browserDomain(string(appendText(nil, appendDecoded(nil, host))))
	if err != nil || domain == "" || strings.ContainsFunc(domain, isForbiddenInDomain) {
		return "", false
	}
	if !endsInNumber(domain) {
		return domain, true
	}
	addr, ok := browserIPv4(domain)
	return string(appendQuad(nil, addr)), ok
}

// browserDomain is a domain in ASCII (UTS 46, not transitional, in its lenient form). None
// that is not ASCII yet is longer than maxIDNA; browsers have such a limit as well.
// Names of both directions, and xn-- labels that are malformed, may pass in one browser
// and not in another; here golang.org/x/net/idna decides.
func browserDomain(domain string) (string, error) {
	domain = strings.ToLower(domain)
	if isASCII([]byte(domain)) && !strings.Contains(domain, "xn--") {
		return domain, nil
	}
	if len(domain) > maxIDNA {
		return "", errLabel
	}
	return lenientIDNA.ToASCII(domain)
}

var lenientIDNA = idna.New(idna.MapForLookup(), idna.Transitional(false),
	idna.StrictDomainName(false), idna.CheckHyphens(false), idna.CheckJoiners(true), idna.BidiRule(),
	idna.VerifyDNSLength(false))

func isForbiddenInDomain(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune(`#/:<>?@[\]^|%`, r)
}

// endsInNumber reports whether a domain's last label makes an IPv4 address of it.
func endsInNumber(domain string) bool {
	domain = strings.TrimSuffix(domain, ".")
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	if last != "" && strings.Trim(last, "0123456789") == "" {
		return true
	}
	digits, ok := strings.CutPrefix(last, "0x")
	return ok && strings.Trim(digits, hexDigits) == ""
}

// browserIPv4 reads one to four numbers, decimal, octal or hexadecimal, of which the
// last fills the bytes that are left.
func browserIPv4(host string) (addr uint32, ok bool) {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(labels) > 4 {
		return 0, false
	}
	for i, label := range labels {
		value, ok := browserNumber(label)
		last := i == len(labels)-1
		switch {
		case !ok:
			return 0, false
		case last && value>>(8*(4-i)) == 0:
			return addr | uint32(value), true
		case last || value > math.MaxUint8:
			return 0, false
		}
		addr |= uint32(value) << (8 * (3 - i))
	}
	return 0, false
}

func browserNumber(label string) (value uint64, ok bool) {
	base := 10
	switch {
	case label == "":
		return 0, false
	case strings.HasPrefix(label, "0x"):
		label, base = label[2:], 16
	case label[0] == '0':
		label, base = label[1:], 8
	}
	if label == "" {
		return 0, true
	}
	value, err := strconv.ParseUint(label, base, 32)
	return value, err == nil
}

// browserIPv6 writes an address as the URL Standard does: hexadecimal throughout, the
// first of the longest runs of zeros, if it is longer than one, as "::".
func browserIPv6(addr [16]byte) string {
	var groups [8]uint16
	for i := range groups {
		groups[i] = binary.BigEndian.Uint16(addr[2*i:])
	}
	start, length := longestZeros(groups)
	out := []byte{}
	for i := 0; i < len(groups); i++ {
		if i == start && length > 1 {
			out = append(out, ':', ':')
			i += length - 1
			continue
		}
		if len(out) > 0 && out[len(out)-1] != ':' {
			out = append(out, ':')
		}
		out = strconv.AppendUint(out, uint64(groups[i]), 16)
	}
	return string(out)
}

// longestZeros returns where the first of the longest runs of zeros begins.
func longestZeros(groups [8]uint16) (start, length int) {
	run := 0
	for i, g := range groups {
		run++
		if g != 0 {
			run = 0
		}
		if run > length {
			start, length = i+1-run, run
		}
	}
	return start, length
}
