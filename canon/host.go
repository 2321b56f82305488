package canon

import (
	"bytes"
	"math"
	"strconv"
)

// canonicalHost replaces buf's content by host in its canonical form: unescaped, in ASCII, in lower
// case, an IPv4 address as a dotted quad, without "www." or "www2.". The form of a host of dots
// alone is empty. appendReversed escapes what must be escaped.
func canonicalHost(buf []byte, host, scheme string) []byte {
	h := unescape(buf, host)
	if !isASCII(h) {
		h = toASCII(h)
	}
	h = bytes.Trim(singleDots(h), ".")
	if addr, ok := parseIPv4(h); ok {
		return appendQuad(h[:0], addr)
	}
	for i, c := range h {
		h[i] = lower(c)
	}
	if scheme == "dns" { // the name looked up, not a web site's
		return h
	}
	return withoutWWW(h)
}

// appendReversed appends the host's labels, the last one first, with commas.
func appendReversed(dst, host []byte) []byte {
	for {
		dot := bytes.LastIndexByte(host, '.')
		dst = appendEscaped(dst, host[dot+1:])
		if dot < 0 {
			return dst
		}
		dst, host = append(dst, ','), host[:dot]
	}
}

// singleDots writes each pair of dots as one, in place. Three dots become two: as in the surt
// library there is no second pass.
func singleDots(h []byte) []byte {
	out := h[:0]
	for i := 0; i < len(h); i++ {
		out = append(out, h[i])
		if h[i] == '.' && i+1 < len(h) && h[i+1] == '.' {
			i++
		}
	}
	return out
}

// withoutWWW drops one leading "www.", "www2." and the like.
func withoutWWW(h []byte) []byte {
	rest, ok := bytes.CutPrefix(h, []byte("www"))
	if !ok {
		return h
	}
	rest = rest[leading(rest, isDigit):]
	if len(rest) == 0 || rest[0] != '.' {
		return h
	}
	return rest[1:]
}

// parseIPv4 reads an IPv4 address as browsers and inet_aton do: one to four numbers, octal after a
// 0, the last of which fills the bytes that are left. A single number is decimal even after a 0; it
// may be of any size and counts modulo 2^32.
func parseIPv4(h []byte) (addr uint32, ok bool) {
	if len(h) == 0 || !isDigit(h[0]) {
		return 0, false
	}
	if leading(h, isDigit) == len(h) {
		for _, c := range h {
			addr = addr*10 + uint32(c-'0')
		}
		return addr, true
	}
	return parseDotted(h)
}

// parseDotted reads an IPv4 address of two to four numbers. An address that begins with a 0 must be
// made of octal digits alone.
func parseDotted(h []byte) (addr uint32, ok bool) {
	digits := isDigit
	if h[0] == '0' {
		digits = isOctal
	}
	for left := 3; left >= 0; left-- {
		n := leading(h, digits)
		value, ok := parseNumber(h[:n])
		if !ok {
			return 0, false
		}
		if n == len(h) {
			return addr | uint32(value), value>>(8*(left+1)) == 0
		}
		if h[n] != '.' || value > math.MaxUint8 {
			return 0, false
		}
		addr |= uint32(value) << (8 * left)
		h = h[n+1:]
	}
	return 0, false
}

func isOctal(c byte) bool { return '0' <= c && c <= '7' }

// parseNumber reads up to 32 bits, in octal if the first of several digits is 0.
func parseNumber(digits []byte) (value uint64, ok bool) {
	base := uint64(10)
	if len(digits) > 1 && digits[0] == '0' {
		base = 8
	}
	for _, c := range digits {
		d := uint64(c - '0')
		value = value*base + d
		if d >= base || value > math.MaxUint32 {
			return 0, false
		}
	}
	return value, len(digits) > 0
}

func appendQuad(dst []byte, addr uint32) []byte {
	for shift := 24; shift >= 0; shift -= 8 {
		if shift < 24 {
			dst = append(dst, '.')
		}
		dst = strconv.AppendUint(dst, uint64(addr>>shift&0xff), 10)
	}
	return dst
}
