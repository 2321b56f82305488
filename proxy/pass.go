package proxy

import (
	"io"
	"syscall"
	"time"

	"warcorder/proxy/http1"
	"warcorder/store/chunks"
)

// mostIdleReads is how often in a row a Source may have nothing.
const mostIdleReads = 100

// pass sends the client an answer of the Source, as far as its framing goes. Most answers are small
// and go out in one write; what is larger goes in pieces of a buffer.
func (r *replay) pass(res *http1.Response, head []byte, rest io.Reader) error {
	r.passed = 0
	b := http1.ResponseBody(&res.Message)
	bare, head := r.bare(res, head)
	r.client.beginsAnswer(res)
	pooled := largeBuffers.Get().(*[]byte)
	defer largeBuffers.Put(pooled)
	buf, n := *pooled, 0
	if len(head) > len(buf)/2 {
		if err := r.toClient(head); err != nil {
			return err
		}
	} else {
		n = copy(buf, head)
	}
	for !b.Done() {
		m, err := r.read(rest, buf[n:])
		took, fault := b.Take(buf[n : n+m])
		n += bare.take(buf[n : n+took])
		if m > 0 && n < len(buf) && err == nil && fault == nil {
			continue
		}
		if err := r.toClient(buf[:n]); err != nil {
			return err
		}
		n = 0
		switch {
		case fault != nil:
			return fault
		case b.Done():
		case err == io.EOF && b.Framing == http1.UntilClose:
			return nil
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case m == 0 && !r.rest():
			return errStopping
		}
	}
	res.KeepAlive = res.KeepAlive && !b.Lax
	return r.toClient(buf[:n])
}

// bare is for a client of HTTP/1.0, which knows no chunks: no server sends it any (RFC 9112 section
// 6.1). It gets what is in them, and the connection's end for that of the body. For all others body is
// nil, and the head as it is.
func (r *replay) bare(res *http1.Response, head []byte) (body *bared, without []byte) {
	if res.Framing != http1.Chunked || r.req.Minor > 0 {
		return nil, head
	}
	res.Framing, res.KeepAlive = http1.UntilClose, false
	return &bared{}, http1.Without(nil, head, "transfer-encoding", "trailer", "connection", "keep-alive")
}

// bared is a body whose chunks are taken off it.
type bared struct{ chunks.Decoder }

// take leaves of a piece what is in the chunks, and returns its size; of a body that goes out as it is
// that is all.
func (b *bared) take(piece []byte) (n int) {
	if b == nil {
		return len(piece)
	}
	for rest := piece; len(rest) > 0; {
		var data []byte
		data, rest = b.Next(rest)
		n += copy(piece[n:], data)
	}
	return n
}

// rest notes that a Source has nothing at the moment, and perhaps never will: a shutdown does not
// wait for it. It is false if there is one.
func (r *replay) rest() bool {
	r.rests = true
	return r.client.clients.pass(&r.client.seat, nil)
}

// read reads what the Source has left; nil is nothing.
func (r *replay) read(rest io.Reader, p []byte) (int, error) {
	if rest == nil {
		return 0, io.EOF
	}
	n, err := rest.Read(p)
	switch {
	case r.rests && (n > 0 || err != nil):
		r.rests, r.idle = false, 0
		r.client.clients.engage(&r.client.seat)
	case n == 0 && err == nil:
		if r.idle++; r.idle == mostIdleReads {
			err = io.ErrNoProgress
		}
	}
	return n, err
}

// deliver waits until the client's system has what was sent of an answer that is to end in a reset,
// which takes with it what has not gone out. An origin that broke off did so later than that.
func (r *replay) deliver(res *http1.Response) {
	s := r.client
	conn, is := s.raw.Conn.(syscall.Conn)
	if res.Framing != http1.UntilClose || s.gone.Load() || !is {
		return
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	until, left := r.by(r.cfg.Timeout.Idle), unsent(raw)
	for left > 0 && s.stop.Err() == nil && time.Now().Before(until) {
		time.Sleep(deliverPause)
		if now := unsent(raw); now < left {
			until, left = r.by(r.cfg.Timeout.Idle), now
		}
	}
}

// deliverPause is the time between two looks at what has not gone out.
const deliverPause = 5 * time.Millisecond

// toClient sends a piece of the answer.
func (r *replay) toClient(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	s := r.client
	if s.gone.Load() {
		return errClientGone
	}
	r.boundWrite(&s.in)
	n, err := s.conn.Write(b)
	r.passed += int64(n)
	if err != nil {
		s.gone.Store(true)
		return errClientGone
	}
	return nil
}
