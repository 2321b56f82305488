package recorder

import (
	"crypto/tls"
	"net/netip"
	"strconv"
	"time"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/warc"
)

// message is one side of an exchange as its record holds it.
type message struct {
	head           // what its head says
	start   []byte // the head's bytes
	body    []byte // what follows the head; nil if that is on disk
	length  int64  // of head and body, in bytes
	block   sum    // digest of head and body
	payload sum    // digest of the body: of what follows the head as stored, chunk framing included
	deflate bool   // whether the body is worth deflating
}

// messageOf reads a message that is in memory.
func messageOf(b []byte) message {
	h := parseHead(b[:min(len(b), maxHead)])
	m := message{head: h, start: b[:h.size], body: b[h.size:], length: int64(len(b))}
	m.block, m.payload = sumBytes(b, h.size)
	m.deflate = len(m.body) == 0 || deflates(&m.head, sampleOf(m.body))
	return m
}

// ids are the record IDs of one exchange.
type ids struct{ warcinfo, response, request, metadata recordID }

// minBlock is the length of the shortest application/http block that is written: gowarc, and all that is built on it, stops at a shorter one.
// A response cut off before that is in the metadata record.
const minBlock = 4

// records is what an exchange becomes: WARC headers, each through its empty line; the blocks are the exchange's messages. They are written in
// this order, since those who read archives expect the request right behind its response. A header that is empty stands for no record.
type records struct {
	uri      string // WARC-Target-URI of all of them
	response []byte
	request  []byte
	block    []byte // of the metadata record, which gowarc makes; empty if there is none
	captured bool   // whether there is a capture: there is one for every response
	capture  store.Capture

	cipher uint16 // of the last exchange with TLS
	suite  string // its name, which crypto/tls makes anew each time
}

// make sets r to the records of an exchange. It is pure: it reads the exchange's facts, not its buffers.
func (r *records) make(x *Exchange, request, response *message, id *ids) {
	r.uri = targetURI(x.URL)
	r.response, r.request, r.block = r.response[:0], r.request[:0], r.block[:0]
	r.captured = response.length >= minBlock
	protocol := response.protocol()
	if protocol == "" {
		protocol = request.protocol()
	}
	if x.Cipher != r.cipher {
		r.cipher, r.suite = x.Cipher, tls.CipherSuiteName(x.Cipher)
	}
	h := header{x, r.uri, protocol, r.suite, id}
	if r.captured {
		r.response = h.append(r.response, "response", &id.response, nil, response, x.Truncated)
		r.capture = captureOf(r.uri, x.Started, request.method(), &response.head, response.payload.String())
	}
	if request.length >= minBlock {
		r.request = r.appendRequest(&h, request)
	}
	if !r.captured || x.Unverified != "" || x.Fault != "" || x.Truncated != "" {
		r.block = appendFacts(r.block, x, response)
	}
}

// appendRequest makes the request's header. It is the one marked as truncated if there is no response that could be.
func (r *records) appendRequest(h *header, request *message) []byte {
	if r.captured {
		return h.append(r.request, "request", &h.id.request, &h.id.response, request, "")
	}
	return h.append(r.request, "request", &h.id.request, nil, request, h.x.Truncated)
}

// concurrentTo is the record that the metadata record belongs to; nil if there is none.
func (r *records) concurrentTo(id *ids) *recordID {
	switch {
	case len(r.response) > 0:
		return &id.response
	case len(r.request) > 0:
		return &id.request
	}
	return nil
}

// header makes the WARC headers of an exchange.
type header struct {
	x        *Exchange
	uri      string
	protocol string // "http/1.1"
	suite    string // the TLS cipher suite
	id       *ids
}

// append appends the header of a request or response record, with the fields that formats.md asks for (WARC 1.1 section 5).
func (h *header) append(dst []byte, kind string, id, concurrentTo *recordID, m *message, truncated string) []byte {
	dst = append(dst, warc.Version+"\r\nWARC-Type: "...)
	dst = append(dst, kind...)
	dst = id.append(append(dst, "\r\nWARC-Record-ID: "...))
	if concurrentTo != nil {
		dst = concurrentTo.append(append(dst, "\r\nWARC-Concurrent-To: "...))
	}
	dst = appendDate(append(dst, "\r\nWARC-Date: "...), h.x.Started)
	dst = append(append(dst, "\r\nWARC-Target-URI: "...), h.uri...)
	dst = h.appendConnection(dst)
	dst = h.id.warcinfo.append(append(dst, "\r\nWARC-Warcinfo-ID: "...))
	if truncated != "" {
		dst = append(append(dst, "\r\nWARC-Truncated: "...), truncated...)
	}
	dst = m.payload.append(append(dst, "\r\nWARC-Payload-Digest: "...))
	dst = m.block.append(append(dst, "\r\nWARC-Block-Digest: "...))
	dst = append(append(dst, "\r\nContent-Type: application/http; msgtype="...), kind...)
	dst = strconv.AppendInt(append(dst, "\r\nContent-Length: "...), m.length, 10)
	return append(dst, "\r\n\r\n"...)
}

// appendConnection appends the origin's address, the protocols, one field each (iipc/warc-specifications #42), and the cipher suite (#86).
func (h *header) appendConnection(dst []byte) []byte {
	if h.x.RemoteIP.IsValid() {
		dst = appendIP(append(dst, "\r\nWARC-IP-Address: "...), h.x.RemoteIP)
	}
	if h.protocol != "" {
		dst = append(append(dst, "\r\nWARC-Protocol: "...), h.protocol...)
	}
	if name := tlsName(h.x.TLS); name != "" {
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

// dateFormat is the WARC-Date of WARC 1.1, with microseconds.
const dateFormat = "2006-01-02T15:04:05.000000Z"

func appendDate(dst []byte, t time.Time) []byte {
	return t.UTC().AppendFormat(dst, dateFormat)
}

// appendFacts appends the block of the metadata record, as application/warc-fields.
func appendFacts(dst []byte, x *Exchange, response *message) []byte {
	dst = appendFact(dst, "fault", x.Fault)
	dst = appendFact(dst, "truncated", x.Truncated)
	dst = appendFact(dst, "unverifiedCertificate", x.Unverified)
	if response.length > 0 && response.length < minBlock {
		dst = appendFact(dst, "received", strconv.Quote(string(response.start)+string(response.body)))
	}
	if response.length == 0 && x.Fault == "" {
		dst = appendFact(dst, "fault", "no response")
	}
	return warc.AppendInt(dst, "fetchTimeMs", x.took().Milliseconds())
}

func appendFact(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return warc.AppendField(dst, name, value)
}

// captureOf makes the capture of a response from what its records say, and from nothing else, so that recovery makes the same. Where it lies is
// still missing.
func captureOf(uri string, date time.Time, method []byte, response *head, digest string) store.Capture {
	c := store.Capture{
		Time:   date.UTC().Truncate(time.Microsecond),
		URL:    uri,
		MIME:   text(response.mime()),
		Status: response.status(),
		Digest: digest,
	}
	if string(method) != "GET" {
		c.Method = text(method)
	}
	if c.Method == "" {
		c.URLKey, _ = canon.SURT(uri)
	} else {
		c.URLKey, _ = canon.SURT(canon.WithMethod(uri, c.Method))
	}
	return c
}
