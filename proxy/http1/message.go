// Package http1 reads of an HTTP/1 message what finds its end: where the head ends, how the body is
// framed, where the body ends, whether the connection may go on behind it. Beside that it knows the
// few fields of a request that do not reach its origin as they came, and a response's codings.
// Bytes go in and a decision comes out. The package reads and writes nothing: it imports no net,
// no os and no io.
//
//	HeadEnd ──► ParseRequest  ──► Request  ──► RequestBody  ──► Body.Take ──► n bytes of these
//	            ParseResponse     Response     ResponseBody                   are the body's
//
// Everything else in a message passes unread, since no byte of it matters to where it ends.
//
// Invariant: a message that two readers could end in different places is refused with an Error,
// because behind the first end the second reader would see a message that we have not. Where a
// request leaves no doubt for us but may for its origin, or a response for its client, the message
// says so (Bound, KeepAlive), and no other message shares its connection. All work is linear in the
// bytes, in whatever pieces they come.
package http1

import (
	"bytes"
	"fmt"
)

// Framing says how a message's body ends (RFC 9112 section 6.3).
type Framing uint8

// The ways in which a body ends.
const (
	NoBody     Framing = iota
	Sized              // Content-Length
	Chunked            // the last transfer coding is chunked
	UntilClose         // responses only: the body ends with the connection
)

func (f Framing) String() string {
	switch f {
	case NoBody:
		return "none"
	case Sized:
		return "sized"
	case Chunked:
		return "chunked"
	case UntilClose:
		return "until close"
	}
	return fmt.Sprintf("framing(%d)", uint8(f))
}

// Message is what requests and responses have in common.
type Message struct {
	Framing   Framing
	Length    int64 // of the body, for Sized
	Minor     byte  // HTTP/1.0 or HTTP/1.1
	KeepAlive bool  // the connection may go on, as far as this head says
	Upgrade   bool  // Connection: upgrade

	// Bound messages need a connection to the origin that no other client uses. Either the connection
	// is authenticated as a whole (NTLM, Negotiate), or the origin may see another end of the message
	// than we do.
	Bound bool

	connection bool // there is a Connection field
}

// take copies what the field lines say of the connection.
func (m *Message) take(f *fieldLines) {
	m.connection, m.Upgrade = f.connection, f.upgrade
	m.Bound = f.bound || f.framingNamed
	m.KeepAlive = !f.close && (m.Minor > 0 || f.keep)
}

// Error says why a message is refused, and shows the framing lines that contradict each other.
// Other lines may hold secrets and are never shown.
type Error struct {
	Reason string
	Lines  [][]byte
}

func (e *Error) Error() string { return e.Reason }

// Refuse makes an Error with copies of the lines.
func Refuse(reason string, lines ...[]byte) *Error {
	kept := make([][]byte, len(lines))
	for i, line := range lines {
		kept[i] = bytes.Clone(line)
	}
	return &Error{reason, kept}
}
