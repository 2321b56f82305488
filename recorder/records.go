package recorder

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"strconv"
	"time"

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
	payload sum    // digest of the body, in the sense of the digester
	deflate bool   // whether the body is worth deflating

	asked  *asked     // of a request
	refers *reference // of a response that is stored as a revisit: to what has its body
}

// parse reads a message that is in memory, but for what takes all of its body.
func parse(b []byte) message {
	h := parseHead(b[:min(len(b), MaxHead)])
	return message{head: h, start: b[:h.size], body: b[h.size:], length: int64(len(b))}
}

// messageOf reads a message that is in memory.
func messageOf(b []byte, d digester) message {
	m := parse(b)
	m.sum(b, d)
	return m
}

// sum reads the body of a message, all of which is b.
func (m *message) sum(b []byte, d digester) {
	m.block, m.payload = d.sumBytes(b, &m.head)
	m.deflate = len(m.body) == 0 || deflates(&m.head, sampleOf(m.body))
}

// refer makes the response one that is stored as a revisit: with its head alone.
func (m *message) refer(to *reference, d digester) {
	m.refers, m.body, m.length, m.deflate = to, nil, int64(len(m.start)), true
	m.block = d.of(m.start)
}

// digest is the payload digest as it stands in the record.
func (m *message) digest() string {
	if m.refers != nil {
		return m.refers.Digest
	}
	return m.payload.String()
}

// short says whether a message is shorter than its Content-Length says, or a request than its
// chunks do.
func (m *message) short() bool {
	return contentLength(m.start) > m.length-int64(len(m.start)) ||
		m.asked != nil && m.asked.entity.broken
}

// requestOf is messageOf for a request.
func requestOf(b []byte, d digester) message {
	m := messageOf(b, d)
	m.asked, _ = askedOf(&m.head, bytes.NewReader(m.body), int64(len(m.body))) // memory has no errors
	return m
}

// recorded is what the keys may depend on: a request that has no record cannot be read back.
func (m *message) recorded() *asked {
	if m.length < minBlock {
		return &asked{}
	}
	return m.asked
}

// ids are the record IDs of one exchange.
type ids struct{ warcinfo, response, request, metadata recordID }

// minBlock is the length of the shortest application/http block that is written: gowarc, and all
// that is built on it, stops at a shorter one. A response cut off before that is in the metadata
// record.
const minBlock = 4

// records is what an exchange becomes: WARC headers, each through its empty line; the blocks are
// the exchange's messages. They are written in this order, since those who read archives expect the
// request right behind its response. A header that is empty stands for no record.
type records struct {
	uri      string // WARC-Target-URI of all of them
	response []byte
	request  []byte
	metadata []byte // the metadata record, header and block; empty if there is none
	facts    []byte // its block
	captured bool   // whether there is a capture: there is one for every response
	beyond   bool   // whether the request's body counts as binary for the work that it asks for
	capture  store.Capture

	style  *style
	keyer  *Keyer
	cipher uint16 // of the last exchange with TLS
	suite  string // its name, which crypto/tls makes anew each time
}

// make sets r to the records of an exchange. It is pure: it reads the exchange's facts, not its
// buffers.
func (r *records) make(x *Exchange, request, response *message, id *ids) {
	r.uri = targetURI(x.URL)
	r.response, r.request, r.metadata = r.response[:0], r.request[:0], r.metadata[:0]
	r.captured, r.beyond = response.length >= minBlock, false
	protocol := response.protocol()
	if protocol == "" {
		protocol = request.protocol()
	}
	if x.Cipher != r.cipher {
		r.cipher, r.suite = x.Cipher, tls.CipherSuiteName(x.Cipher)
	}
	h := header{x, r.uri, protocol, r.suite, id, r.style}
	if r.captured {
		r.response = h.append(r.response, "response", &id.response, nil, response, x.Truncated)
		var within bool
		r.capture, within = captureOf(r.keyer, r.uri, r.style.date(x.Started), request.recorded(),
			&response.head, response.digest())
		r.beyond = !within
		if response.refers != nil {
			r.capture.MIME = revisitMIME
		}
	}
	if request.length >= minBlock {
		r.request = r.appendRequest(&h, request)
	}
	if !r.captured || len(r.request) == 0 || x.Unverified != "" || x.Fault != "" ||
		x.Truncated != "" || r.beyond {
		r.facts = appendFacts(r.facts[:0], x, response, r.beyond)
		r.metadata = h.appendMetadata(r.metadata, r.concurrentTo(id), r.facts)
	}
}

// appendRequest makes the request's header. The request is marked as truncated only if it says
// itself that it is: what is missing as a rule is of the response.
func (r *records) appendRequest(h *header, request *message) []byte {
	var concurrentTo *recordID
	if r.captured {
		concurrentTo = &h.id.response
	}
	truncated := ""
	if (h.x.Truncated != "" || h.x.Fault != "") && request.short() {
		truncated = cmp.Or(h.x.Truncated, "unspecified")
	}
	return h.append(r.request, "request", &h.id.request, concurrentTo, request, truncated)
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

// appendFacts appends the block of the metadata record, as application/warc-fields.
func appendFacts(dst []byte, x *Exchange, response *message, beyond bool) []byte {
	dst = appendFact(dst, "fault", x.Fault)
	dst = appendFact(dst, "truncated", x.Truncated)
	dst = appendFact(dst, "unverifiedCertificate", x.Unverified)
	if beyond {
		dst = appendFact(dst, "requestBodyKey", "binary, for "+beyondReason)
	}
	if response.length > 0 && response.length < minBlock {
		dst = appendFact(dst, "received", strconv.Quote(string(response.start)+string(response.body)))
	}
	if response.length == 0 && x.Fault == "" {
		dst = appendFact(dst, "fault", "no response")
	}
	return warc.AppendInt(dst, "fetchTimeMs", x.took().Milliseconds())
}

// revisitMIME is the media type of a revisit in the index, as cdxj-indexer has it.
const revisitMIME = "warc/revisit"

func appendFact(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return warc.AppendField(dst, name, value)
}

// beyondReason is why a body that is of a type to be looked into counts as binary.
const beyondReason = "the request's body asks for more work than its length warrants"

// captureOf makes the capture of a response from what its records say, and from nothing else, so
// that recovery makes the same. Where it lies is still missing. It is false as fill is.
func captureOf(keyer *Keyer, uri string, date time.Time, request *asked, response *head,
	digest string,
) (c store.Capture, within bool) {
	c = store.Capture{
		Time:   date.UTC().Truncate(time.Microsecond),
		URL:    uri,
		MIME:   text(response.mime()),
		Status: response.status(),
		Digest: digest,
	}
	if string(request.method) != "GET" {
		c.Method = text(request.method)
	}
	within = keyer.fill(&c, request)
	return c, within
}
