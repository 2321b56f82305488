package record

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"strconv"
	"time"

	"warcorder/store"
	"warcorder/store/warc"
)

// Message is one side of an exchange as its record holds it.
type Message struct {
	Head           // what its head says
	Start   []byte // the head's bytes
	Body    []byte // what follows the head; nil if that is on disk
	Length  int64  // of head and body, in bytes
	Block   Digest // digest of head and body
	Payload Digest // digest of the body, in the sense of the digester
	Deflate bool   // whether the body is worth deflating

	Asked  *Asked     // of a request
	Refers *Reference // of a response that is stored as a revisit: to what has its body
}

// Parse reads a message that is in memory, but for what takes all of its body.
func Parse(b []byte) Message {
	h := ParseHead(b[:min(len(b), MaxHead)])
	return Message{Head: h, Start: b[:h.Size], Body: b[h.Size:], Length: int64(len(b))}
}

// MessageOf reads a message that is in memory.
func MessageOf(b []byte, d Digester) Message {
	m := Parse(b)
	m.Sum(b, d)
	return m
}

// Sum reads the body of a message, all of which is b.
func (m *Message) Sum(b []byte, d Digester) {
	m.Block, m.Payload = d.sumBytes(b, &m.Head)
	m.Deflate = len(m.Body) == 0 || Deflates(&m.Head, SampleOf(m.Body))
}

// Refer makes the response one that is stored as a revisit: with its head alone.
func (m *Message) Refer(to *Reference, d Digester) {
	m.Refers, m.Body, m.Length, m.Deflate = to, nil, int64(len(m.Start)), true
	m.Block = d.Of(m.Start)
}

// digest is the payload digest as it stands in the record.
func (m *Message) digest() string {
	if m.Refers != nil {
		return m.Refers.Digest
	}
	return m.Payload.String()
}

// short says whether a message is shorter than its Content-Length says, or a request than its
// chunks do.
func (m *Message) short() bool {
	return contentLength(m.Start) > m.Length-int64(len(m.Start)) ||
		m.Asked != nil && m.Asked.Entity.broken
}

// RequestOf is messageOf for a request.
func RequestOf(b []byte, d Digester) Message {
	m := MessageOf(b, d)
	m.Asked, _ = AskedOf(&m.Head, bytes.NewReader(m.Body), int64(len(m.Body))) // memory has no errors
	return m
}

// recorded is what the keys may depend on: a request that has no record cannot be read back.
func (m *Message) recorded() *Asked {
	if m.Length < MinBlock {
		return &Asked{}
	}
	return m.Asked
}

// IDs are the record IDs of one exchange.
type IDs struct{ Warcinfo, Response, Request, Metadata ID }

// MinBlock is the length of the shortest application/http block that is written: gowarc, and all
// that is built on it, stops at a shorter one. A response cut off before that is in the metadata
// record.
const MinBlock = 4

// Records is what an exchange becomes: WARC headers, each through its empty line; the blocks are
// the exchange's messages. They are written in this order, since those who read archives expect the
// request right behind its response. A header that is empty stands for no record.
type Records struct {
	URI      string // WARC-Target-URI of all of them
	Response []byte
	Request  []byte
	Metadata []byte // the metadata record, header and block; empty if there is none
	facts    []byte // its block
	Captured bool   // whether there is a capture: there is one for every response
	Beyond   bool   // whether the request's body counts as binary for the work that it asks for
	Capture  store.Capture

	Style  *Style
	Keyer  *store.Keyer
	cipher uint16 // of the last exchange with TLS
	suite  string // its name, which crypto/tls makes anew each time
}

// Make sets r to the records of an exchange. It is pure: it reads what it is given and nothing
// else.
func (r *Records) Make(f *Facts, request, response *Message, id *IDs) {
	r.URI = TargetURI(f.URL)
	r.Response, r.Request, r.Metadata = r.Response[:0], r.Request[:0], r.Metadata[:0]
	r.Captured, r.Beyond = response.Length >= MinBlock, false
	protocol := response.protocol()
	if protocol == "" {
		protocol = request.protocol()
	}
	if f.Cipher != r.cipher {
		r.cipher, r.suite = f.Cipher, tls.CipherSuiteName(f.Cipher)
	}
	h := header{f, r.URI, protocol, r.suite, id, r.Style}
	if r.Captured {
		r.Response = h.append(r.Response, "response", &id.Response, nil, response, f.Truncated)
		var within bool
		r.Capture, within = CaptureOf(r.Keyer, r.URI, r.Style.Date(f.Started), request.recorded(),
			&response.Head, response.digest())
		r.Beyond = !within
		if response.Refers != nil {
			r.Capture.MIME = RevisitMIME
		}
	}
	if request.Length >= MinBlock {
		r.Request = r.appendRequest(&h, request)
	}
	if !r.Captured || len(r.Request) == 0 || f.Unverified != "" || f.Fault != "" ||
		f.Truncated != "" || r.Beyond {
		r.facts = AppendFacts(r.facts[:0], f, response, r.Beyond)
		r.Metadata = h.appendMetadata(r.Metadata, r.ConcurrentTo(id), r.facts)
	}
}

// appendRequest makes the request's header. The request is marked as truncated only if it says
// itself that it is: what is missing as a rule is of the response.
func (r *Records) appendRequest(h *header, request *Message) []byte {
	var concurrentTo *ID
	if r.Captured {
		concurrentTo = &h.id.Response
	}
	truncated := ""
	if (h.facts.Truncated != "" || h.facts.Fault != "") && request.short() {
		truncated = cmp.Or(h.facts.Truncated, "unspecified")
	}
	return h.append(r.Request, "request", &h.id.Request, concurrentTo, request, truncated)
}

// ConcurrentTo is the record that the metadata record belongs to; nil if there is none.
func (r *Records) ConcurrentTo(id *IDs) *ID {
	switch {
	case len(r.Response) > 0:
		return &id.Response
	case len(r.Request) > 0:
		return &id.Request
	}
	return nil
}

// AppendFacts appends the block of the metadata record, as application/warc-fields.
func AppendFacts(dst []byte, f *Facts, response *Message, beyond bool) []byte {
	dst = appendFact(dst, "fault", f.Fault)
	dst = appendFact(dst, "truncated", f.Truncated)
	dst = appendFact(dst, "unverifiedCertificate", f.Unverified)
	if beyond {
		dst = appendFact(dst, "requestBodyKey", "binary, for "+BeyondReason)
	}
	if response.Length > 0 && response.Length < MinBlock {
		dst = appendFact(dst, "received", strconv.Quote(string(response.Start)+string(response.Body)))
	}
	if response.Length == 0 && f.Fault == "" {
		dst = appendFact(dst, "fault", "no response")
	}
	return warc.AppendInt(dst, "fetchTimeMs", f.Took().Milliseconds())
}

// RevisitMIME is the media type of a revisit in the index, as cdxj-indexer has it.
const RevisitMIME = "warc/revisit"

func appendFact(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return warc.AppendField(dst, name, value)
}

// BeyondReason is why a body that is of a type to be looked into counts as binary.
const BeyondReason = "the request's body asks for more work than its length warrants"

// CaptureOf makes the capture of a response from what its records say, and from nothing else, so
// that recovery makes the same. Where it lies is still missing. It is false as fill is.
func CaptureOf(keyer *store.Keyer, uri string, date time.Time, request *Asked, response *Head,
	digest string,
) (c store.Capture, within bool) {
	c = store.Capture{
		Time:   date.UTC().Truncate(time.Microsecond),
		URL:    uri,
		MIME:   Text(response.MIME()),
		Status: response.Status(),
		Digest: digest,
	}
	if string(request.Method) != "GET" {
		c.Method = Text(request.Method)
	}
	within = keyer.Fill(&c, request.Request())
	return c, within
}

// TextSize is what the texts of a capture take in memory, keys and all.
func TextSize(c *store.Capture) int64 {
	return c.KeySize() + int64(len(c.URL)+len(c.URLKey)+len(c.Method)+len(c.MIME)+len(c.Digest))
}
