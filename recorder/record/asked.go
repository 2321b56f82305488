package record

import (
	"bytes"
	"crypto/sha256"
	"io"
	"math"
	"net/http"
	"slices"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/chunks"
)

// Asked is what the keys of a capture, and its page, depend on beside the URL: a request as its
// record holds it.
type Asked struct {
	Method      []byte // as sent
	ContentType string // Content-Type as sent; "" for a GET
	Entity      entity // body; empty for a GET

	visit store.Visit // what its head says of a page
}

// Visit adds what the head of the request says of a page to the capture of its response.
func (a *Asked) Visit(c *store.Capture) {
	v := &c.Visit
	v.Dest, v.Site, v.Referer = a.visit.Dest, a.visit.Site, a.visit.Referer
	v.Traits |= a.visit.Traits
	const document, told = store.Browser | store.Upgrades, store.Told
	if c.Status == http.StatusNotModified && v.Traits&(document|told) == document {
		v.Traits |= store.HTML | store.OK
	}
}

// AskedOf reads a request with that head; body gives what follows the head, size bytes as they
// crossed the wire. The error is a read error of body.
func AskedOf(h *Head, body io.Reader, size int64) (*Asked, error) {
	a := &Asked{Method: h.Method()}
	h.visit.asked(&a.visit, a.Method)
	if len(a.Method) == 0 || string(a.Method) == "GET" {
		return a, nil
	}
	a.ContentType = Text(h.ContentType)
	err := a.Entity.read(body, size, h.Chunked)
	return a, err
}

// AskedBy is AskedOf for a request whose body comes without its transfer coding, and whose length
// is not known before its end.
func AskedBy(h *Head, body io.Reader) (*Asked, error) {
	plain := *h
	plain.Chunked = false
	return AskedOf(&plain, body, unknownSize)
}

// Request returns what the keys need of the request.
func (a *Asked) Request() canon.Request {
	return canon.Request{
		ContentType: a.ContentType,
		Body:        a.Entity.Start,
		BodyLen:     a.Entity.length,
		BodySHA256:  a.Entity.sha256,
	}
}

// entity is a request's body without its transfer coding: all of it up to canon.MaxBody, of a
// longer one the beginning and the digest of all.
type entity struct {
	Start  []byte
	length int64
	sha256 []byte
	broken bool // its chunks end before the last one
}

// read reads the entity from a body as it crossed the wire. If the chunks of the body break off,
// the entity is what came before. The error is a read error, as opposed to a malformed body.
func (e *entity) read(body io.Reader, size int64, chunked bool) error {
	wire := &source{r: body}
	decoded := io.Reader(wire)
	isKnown := size != unknownSize && !chunked
	if size == unknownSize {
		size = math.MaxInt64
	}
	limit := min(size, canon.MaxBody+1)
	switch {
	case chunked:
		decoded = chunks.NewReader(wire)
	case isKnown && size > canon.MaxBody:
		limit = longStart // it is long in any case
	}
	var start bytes.Buffer
	if isKnown {
		start.Grow(int(limit) + bytes.MinRead)
	} else {
		start.Grow(int(min(limit, longStart)) + bytes.MinRead)
	}
	n, err := io.Copy(&start, io.LimitReader(decoded, limit)) // a broken chunk ends the entity
	e.Start, e.length = start.Bytes(), n
	if n == limit && size > canon.MaxBody {
		sum := sha256.New()
		sum.Write(e.Start)
		var more int64
		more, err = io.Copy(sum, decoded)
		e.Start, e.length, e.sha256 = slices.Clone(e.Start[:longStart]), n+more, sum.Sum(nil)
	}
	e.broken = err != nil && wire.err == nil
	return wire.err
}

// unknownSize is that of a body whose end alone says how long it is.
const unknownSize = -1

// longStart is how many bytes are kept of an entity that is longer than canon.MaxBody: more than
// its keys need.
const longStart = 64 << 10

// source remembers a read error, as opposed to a malformed body.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
