package proxy

import (
	"bytes"
	"errors"
	"net"
	"slices"
)

// What a Source has read of a body, only to have no answer, goes to the origin all the same, as the
// client sent it: it is kept meanwhile, and then read again.

// mostKept is how many bytes of a body are kept for the origin. Those beyond a buffer's share what
// there is for large heads.
const mostKept = 16 << 20

var errBodyNotKept = errors.New(
	"the archive has none, and the request's body is too large to be kept for the origin meanwhile")

// kept is what the Source has read of a body.
type kept struct {
	wanted bool // there may be an origin to ask
	bytes  []byte
	share  int64 // of the budget
	missed bool  // not all is here
}

// add keeps a piece, if there is room for it.
func (k *kept) add(piece []byte, memory *budget) {
	if !k.wanted || k.missed {
		return
	}
	if !k.makeRoom(len(k.bytes)+len(piece), memory) {
		k.drop(memory)
		k.missed = true
		return
	}
	k.bytes = append(k.bytes, piece...)
}

// makeRoom makes room for size bytes.
func (k *kept) makeRoom(size int, memory *budget) bool {
	switch {
	case size > mostKept:
		return false
	case size <= cap(k.bytes), size <= largeBuffer:
		return true
	}
	room := min(2*size, mostKept)
	if !memory.take(int64(room) - k.share) {
		return false
	}
	k.share = int64(room)
	k.bytes = slices.Grow(k.bytes, room-len(k.bytes))
	return true
}

// drop gives back what was kept.
func (k *kept) drop(memory *budget) {
	memory.give(k.share)
	k.bytes, k.share = nil, 0
}

// again is a client's connection whose next bytes have been read before.
type again struct {
	net.Conn
	kept   kept   // what is still to be read of it
	behind []byte // what had been buffered behind that
	err    error  // what follows, if the connection has ended
}

func (c *again) Read(p []byte) (n int, err error) {
	switch {
	case len(c.kept.bytes) > 0:
		n = copy(p, c.kept.bytes)
		c.kept.bytes = c.kept.bytes[n:]
	case len(c.behind) > 0:
		n = copy(p, c.behind)
		c.behind = c.behind[n:]
	case c.err != nil:
		return 0, c.err
	default:
		return c.Conn.Read(p)
	}
	return n, nil
}

// giveBack lets what the Source has read of the body be read again, until readOn.
func (r *replay) giveBack() error {
	s, k := r.client, &r.posted.kept
	switch err := r.posted.fault(); {
	case err != nil:
		return err
	case k.missed:
		return errBodyNotKept
	case len(k.bytes) == 0:
		return nil
	}
	s.in.conn = &again{s.conn, *k, bytes.Clone(s.in.bytes()), s.in.err}
	s.in.consume(s.in.buffered())
	s.in.err, *k = nil, kept{}
	return nil
}

// readOn ends what giveBack has begun.
func (s *session) readOn() {
	c, is := s.in.conn.(*again)
	if !is {
		return
	}
	s.in.unread(c.behind)
	c.kept.drop(s.memory)
	s.in.conn = s.conn
	if c.err != nil {
		s.in.err = c.err
	}
}
