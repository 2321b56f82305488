package wacz

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
)

// hashed writes on what is written to it, and computes its SHA-256 meanwhile, in a goroutine of its
// own: hashing takes as long as writing, and there is a second processor, as a rule.
type hashed struct {
	out   io.Writer
	total int64 // that was written on

	buf []byte // that is being filled
	n   int    // bytes in it
	err error  // of out: nothing is written after it

	full chan []byte // to the goroutine; nil after end
	free chan []byte // and back, for this one and those that come after it
	done chan hash.Hash
	hash hash.Hash // after end
}

const (
	// bufferSize is how much is read, or written, by one call of the system. Who comes back from a long
	// one may have to wait some milliseconds for a processor, if others inflate pages meanwhile: with 512
	// KiB packing took up to a fourth longer.
	bufferSize = 2 << 20

	buffers = 3 // one is filled, one written, one hashed
)

// newBuffers returns the buffers of one hashed after another.
func newBuffers() chan []byte {
	free := make(chan []byte, buffers)
	for range buffers {
		free <- nil // made when it is needed
	}
	return free
}

func newHashed(out io.Writer, free chan []byte) *hashed {
	h := &hashed{out: out, full: make(chan []byte, buffers), free: free, done: make(chan hash.Hash, 1)}
	go sumUp(h.full, h.free, h.done)
	return h
}

// sumUp hashes what comes, until there is no more.
func sumUp(full <-chan []byte, free chan<- []byte, done chan<- hash.Hash) {
	sum := sha256.New()
	for buf := range full {
		sum.Write(buf)
		free <- buf[:cap(buf)]
	}
	done <- sum
}

// room makes room in the buffer.
func (h *hashed) room() error {
	if h.full == nil {
		return errClosed
	}
	if h.n == len(h.buf) {
		h.flush()
	}
	if h.err == nil && h.buf == nil {
		if h.buf = <-h.free; h.buf == nil {
			h.buf = make([]byte, bufferSize)
		}
	}
	return h.err
}

// flush writes the buffer on.
func (h *hashed) flush() {
	if h.n == 0 || h.err != nil {
		return
	}
	buf := h.buf[:h.n]
	h.buf, h.n = nil, 0
	h.total += int64(len(buf))
	h.full <- buf // it is read there, and here
	_, h.err = h.out.Write(buf)
}

func (h *hashed) Write(p []byte) (n int, err error) {
	for n < len(p) {
		if err := h.room(); err != nil {
			return n, err
		}
		m := copy(h.buf[h.n:], p[n:])
		h.n += m
		n += m
	}
	return n, nil
}

// ReadFrom reads r to its end, straight into the buffers.
func (h *hashed) ReadFrom(r io.Reader) (n int64, err error) {
	for {
		if err := h.room(); err != nil {
			return n, err
		}
		m, err := r.Read(h.buf[h.n:])
		h.n += m
		n += int64(m)
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// end writes on what is left, and waits for the sum.
func (h *hashed) end() error {
	h.flush()
	h.stop()
	return h.err
}

// stop ends the goroutine.
func (h *hashed) stop() {
	if h.full == nil {
		return
	}
	close(h.full)
	h.hash, h.full = <-h.done, nil
	if h.buf != nil {
		h.free <- h.buf
		h.buf, h.n = nil, 0
	}
}

// sum returns the SHA-256, after end.
func (h *hashed) sum() []byte { return h.hash.Sum(nil) }

// counted counts what is written on, and may compute its SHA-256.
type counted struct {
	out    io.Writer
	n      int64
	hashed *hashed // nil if no hash is wanted
}

func newCounted(out io.Writer, hash bool) *counted {
	c := &counted{out: out}
	if hash {
		c.hashed = newHashed(out, newBuffers())
		c.out = c.hashed
	}
	return c
}

func (c *counted) Write(p []byte) (n int, err error) {
	n, err = c.out.Write(p)
	c.n += int64(n)
	return n, err
}

func (c *counted) end() error {
	if c.hashed == nil {
		return nil
	}
	return c.hashed.end()
}

func (c *counted) stop() {
	if c.hashed != nil {
		c.hashed.stop()
	}
}

func (c *counted) hash() string {
	if c.hashed == nil {
		return ""
	}
	return "sha256:" + hex.EncodeToString(c.hashed.sum())
}
