package proxy

import (
	"io"
	"time"

	"warcorder/proxy/http1"
	"warcorder/store/chunks"
)

// posted is the body of a request as a Source reads it: as its framing says, no less strictly than
// for an origin, and out of its chunks. A client that waits for a 100 Continue gets it with the
// first Read.
type posted struct {
	r       *replay
	framing http1.Body
	chunks  chunks.Decoder
	wire    []byte // of what the framing has taken, the part that is not read yet
	kept    kept   // what was read, for the origin
	begun   bool   // the client has sent a byte of the body, or was told to
	err     error  // what ended the reading
}

func (b *posted) init(r *replay) {
	b.r, b.framing = r, http1.RequestBody(&r.req.Message)
	b.framing.Most = r.cfg.MaxBodySize
	b.kept.wanted = r.client.rec != nil
}

// Read is that of io.Reader.
func (b *posted) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if len(b.wire) > 0 {
			if n := copy(p, b.data(p)); n > 0 {
				return n, nil
			}
			continue
		}
		if b.err != nil {
			return 0, b.err
		}
		b.err = b.next()
	}
	return 0, nil
}

// data takes off the wire what p has room for.
func (b *posted) data(p []byte) []byte {
	now := b.wire[:min(len(p), len(b.wire))]
	if b.framing.Framing != http1.Chunked {
		b.wire = b.wire[len(now):]
		return now
	}
	data, rest := b.chunks.Next(now)
	b.wire = b.wire[len(now)-len(rest):]
	return data
}

// next takes the next bytes off the session's wire. They hold until it is called again.
func (b *posted) next() error {
	s := b.r.client
	if b.framing.Done() {
		b.r.attend.begin()
		return io.EOF
	}
	if s.in.buffered() == 0 {
		if err := b.invite(); err != nil {
			return err
		}
		if err := b.fill(); err != nil {
			return err
		}
	}
	b.begun = true
	n, fault := b.framing.Take(s.in.bytes())
	b.wire = s.in.bytes()[:n]
	b.kept.add(b.wire, s.memory)
	s.in.consume(n)
	return fault
}

// fill waits for more of the body.
func (b *posted) fill() error {
	s := b.r.client
	s.in.readUntil(b.r.by(b.r.cfg.Timeout.Idle), 0)
	err := s.in.fill(largeBuffer)
	if err != nil && !isTimeout(err) {
		s.gone.Store(true)
	}
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

var carryOn = []byte("HTTP/1.1 100 Continue\r\n\r\n")

// invite tells a client that waits for it to send the body.
func (b *posted) invite() error {
	if b.begun || !b.r.req.Expect || b.r.req.Minor == 0 {
		return nil
	}
	b.begun = true
	return b.r.toClient(carryOn)
}

// fault is what broke the body off, if anything did.
func (b *posted) fault() error {
	if b.err == io.EOF {
		return nil
	}
	return b.err
}

// drain reads what the Source has left of the body, within bounds, and reports whether it has come
// to its end: only then can another request follow. A client that waits to be asked for the body is
// not asked.
func (b *posted) drain() bool {
	s, until, left := b.r.client, time.Now().Add(lingerPatience), lingerBytes
	b.wire = nil
	for b.err == nil && !b.framing.Done() {
		if s.in.buffered() == 0 {
			if b.r.req.Expect && !b.begun || left <= 0 {
				return false
			}
			s.in.readUntil(until, 0)
			if s.in.fill(largeBuffer) != nil {
				return false
			}
		}
		b.begun = true
		n, fault := b.framing.Take(s.in.bytes())
		s.in.consume(n)
		left -= n
		b.err = fault
	}
	return b.fault() == nil
}
