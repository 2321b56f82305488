package record

import (
	"bytes"

	"warcorder/store/refusal"
)

// Message is one side of an exchange as its record holds it.
type Message struct {
	Head           // what its head says
	Start   []byte // the head's bytes
	Body    []byte // what follows the head; nil if that is on disk
	Length  int64  // of head and body, in bytes
	Block   Digest // digest of head and body
	Payload Digest // digest of the body, as it crossed the wire or as the Digester says
	Deflate bool   // whether the body is worth deflating

	Asked  *Asked     // what a request asks for; nil in a response
	Refers *Reference // the original of a response that is stored as a revisit; else nil
}

// Parse reads a message that is in memory, as far as its head tells. Sum makes the digests.
func Parse(b []byte) Message {
	h := ParseHead(b[:min(len(b), MaxHead)])
	return Message{Head: h, Start: b[:h.Size], Body: b[h.Size:], Length: int64(len(b))}
}

// MessageOf reads a message that is in memory, and makes its digests.
func MessageOf(b []byte, d Digester) Message {
	m := Parse(b)
	m.Sum(b, d)
	return m
}

// RequestOf is MessageOf for a request.
func RequestOf(b []byte, d Digester) Message {
	m := MessageOf(b, d)
	m.Asked, _ = AskedOf(&m.Head, bytes.NewReader(m.Body), int64(len(m.Body))) // memory has no errors
	return m
}

// Sum makes the digests of a message that is b, and decides whether its body is worth deflating.
func (m *Message) Sum(b []byte, d Digester) {
	m.Block, m.Payload = d.sumMessage(b, &m.Head)
	m.Deflate = len(m.Body) == 0 || Deflates(&m.Head, sampleOf(m.Body))
}

// Refer makes a response a revisit, which is stored with its head alone.
func (m *Message) Refer(to *Reference, d Digester) {
	m.Refers, m.Body, m.Length, m.Deflate = to, nil, int64(len(m.Start)), true
	m.Block = d.SumBytes(m.Start)
}

// digest is the payload digest as it stands in the record.
func (m *Message) digest() string {
	if m.Refers != nil {
		return m.Refers.Digest
	}
	return m.Payload.String()
}

// Refusal is how the other side refused by this response; zero if it did not.
func (m *Message) Refusal() refusal.Refusal {
	status := m.Status()
	if !m.signed && refusal.OfStatus(status) == refusal.None {
		return refusal.Refusal{}
	}
	return refusal.Of(status, m.Start)
}

// short says whether a message is shorter than its Content-Length says, or a request than its
// chunks do.
func (m *Message) short() bool {
	return contentLength(m.Start) > m.Length-int64(len(m.Start)) ||
		m.Asked != nil && m.Asked.Entity.broken
}

// recorded is what the keys may depend on: of a request that gets no record nothing, since recovery
// could not read it back.
func (m *Message) recorded() *Asked {
	if m.Length < MinBlock {
		return &Asked{}
	}
	return m.Asked
}

// MinBlock is the length of the shortest application/http block that is written: gowarc, and all
// that is built on it, stops at a shorter one. A response cut off before that is in the metadata
// record.
const MinBlock = 4
