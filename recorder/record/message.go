package record

import "bytes"

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

// RequestOf is messageOf for a request.
func RequestOf(b []byte, d Digester) Message {
	m := MessageOf(b, d)
	m.Asked, _ = AskedOf(&m.Head, bytes.NewReader(m.Body), int64(len(m.Body))) // memory has no errors
	return m
}

// Sum reads the body of a message, all of which is b.
func (m *Message) Sum(b []byte, d Digester) {
	m.Block, m.Payload = d.sumMessage(b, &m.Head)
	m.Deflate = len(m.Body) == 0 || Deflates(&m.Head, sampleOf(m.Body))
}

// Refer makes the response one that is stored as a revisit: with its head alone.
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

// short says whether a message is shorter than its Content-Length says, or a request than its
// chunks do.
func (m *Message) short() bool {
	return contentLength(m.Start) > m.Length-int64(len(m.Start)) ||
		m.Asked != nil && m.Asked.Entity.broken
}

// recorded is what the keys may depend on: a request that has no record cannot be read back.
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
