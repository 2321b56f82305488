package record

import (
	"crypto/tls"
	"net/netip"
	"strconv"
)

// header makes the WARC headers of an exchange.
type header struct {
	facts    *Facts
	uri      string
	protocol string // "http/1.1"
	suite    string // the TLS cipher suite
	id       *IDs
	style    *Style
}

// append appends the header of a request or response record, with its empty line (WARC 1.1 section
// 5); of a revisit, if the response is stored as one.
func (h *header) append(dst []byte, kind string, id, concurrentTo *ID, m *Message,
	truncated string) []byte {
	dst = append(append(dst, h.style.version()...), "\r\nWARC-Type: "...)
	if m.Refers != nil {
		dst = append(dst, "revisit"...)
		if !m.Refers.NotModified {
			truncated = "length" // WARC 1.1 section 6.7.2
		}
	} else {
		dst = append(dst, kind...)
	}
	dst = id.Append(append(dst, "\r\nWARC-Record-ID: "...))
	if concurrentTo != nil {
		dst = concurrentTo.Append(append(dst, "\r\nWARC-Concurrent-To: "...))
	}
	dst = h.style.appendDate(append(dst, "\r\nWARC-Date: "...), h.facts.Started)
	dst = append(append(dst, "\r\nWARC-Target-URI: "...), h.uri...)
	dst = h.appendConnection(dst)
	dst = h.id.Warcinfo.Append(append(dst, "\r\nWARC-Warcinfo-ID: "...))
	if truncated != "" {
		dst = append(append(dst, "\r\nWARC-Truncated: "...), truncated...)
	}
	if m.Refers != nil {
		dst = m.Refers.append(dst, h.style)
	} else {
		dst = m.Payload.Append(append(dst, "\r\nWARC-Payload-Digest: "...))
	}
	dst = m.Block.Append(append(dst, "\r\nWARC-Block-Digest: "...))
	dst = append(append(dst, "\r\nContent-Type: application/http; msgtype="...), kind...)
	dst = strconv.AppendInt(append(dst, "\r\nContent-Length: "...), m.Length, 10)
	return append(dst, "\r\n\r\n"...)
}

// appendMetadata appends the record of what went wrong with an exchange, whose block holds the
// facts. An origin with a bad certificate makes one for each exchange, so it is made like the
// others: gowarc's builder took 20 us, and two thirds of all memory that was allocated.
func (h *header) appendMetadata(dst []byte, concurrentTo *ID, block []byte) []byte {
	dst = append(append(dst, h.style.version()...), "\r\nWARC-Type: metadata\r\nWARC-Record-ID: "...)
	dst = h.id.Metadata.Append(dst)
	if concurrentTo != nil {
		dst = concurrentTo.Append(append(dst, "\r\nWARC-Concurrent-To: "...))
	}
	dst = h.style.appendDate(append(dst, "\r\nWARC-Date: "...), h.facts.Started)
	dst = append(append(dst, "\r\nWARC-Target-URI: "...), h.uri...)
	dst = h.id.Warcinfo.Append(append(dst, "\r\nWARC-Warcinfo-ID: "...))
	digest := h.style.SumBytes(block)
	dst = digest.Append(append(dst, "\r\nWARC-Block-Digest: "...))
	dst = append(append(dst, "\r\nContent-Type: "...), FieldsType...)
	dst = strconv.AppendInt(append(dst, "\r\nContent-Length: "...), int64(len(block)), 10)
	return append(append(dst, "\r\n\r\n"...), block...)
}

// appendConnection appends the origin's address, the protocols, one field each
// (iipc/warc-specifications #42), and the cipher suite (#86).
func (h *header) appendConnection(dst []byte) []byte {
	if h.facts.RemoteIP.IsValid() {
		dst = appendIP(append(dst, "\r\nWARC-IP-Address: "...), h.facts.RemoteIP)
	}
	if h.protocol != "" {
		dst = append(append(dst, "\r\nWARC-Protocol: "...), h.protocol...)
	}
	if name := tlsName(h.facts.TLS); name != "" {
		dst = append(append(dst, "\r\nWARC-Protocol: "...), name...)
		dst = append(append(dst, "\r\nWARC-Cipher-Suite: "...), h.suite...)
	}
	return dst
}

func tlsName(version uint16) string {
	switch version {
	case tls.VersionTLS13:
		return "tls/1.3"
	case tls.VersionTLS12:
		return "tls/1.2"
	case tls.VersionTLS11:
		return "tls/1.1"
	case tls.VersionTLS10:
		return "tls/1.0"
	}
	return ""
}

// appendIP appends an address: IPv6 as RFC 5952 has it, without a zone.
func appendIP(dst []byte, ip netip.Addr) []byte {
	return ip.Unmap().WithZone("").AppendTo(dst)
}
