package replay

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/replay/ranges"
)

// piece is a stretch of the entity in a response, or a text of ours between two such.
type piece struct {
	capture    *store.Capture // nil: text
	from, size int64          // in bytes of the entity
	text       string
}

// partial returns the head of a 206 with some spans of an entity, of which h is the head and of the
// length, and the pieces of its body. take says which pieces make up a span.
func partial(h head, of int64, spans []ranges.Span,
	take func(ranges.Span) []piece) (head, []piece) {
	if len(spans) == 1 {
		return partHead(h, ranges.Content{Span: spans[0], Of: of}), take(spans[0])
	}
	boundary := rand.Text() // which no page can foresee, and have in its bytes
	heads, end, length := ranges.Multipart(boundary, h.first("Content-Type"), spans, of)
	var all []piece
	for i, s := range spans {
		all = append(append(all, piece{text: heads[i]}), take(s)...)
	}
	return partsHead(h, boundary, length), append(all, piece{text: end})
}

// pieces is a body of several pieces. One response is open at a time.
type pieces struct {
	ctx      context.Context
	files    *readback.Files
	rest     []piece
	now      io.Reader // of the piece that is being read
	left     int64     // bytes of it
	capture  *store.Capture
	response *readback.Response // of capture; nil: none is open
}

// join returns the body that pieces make. The response of a capture is open already.
func (a *Archive) join(ctx context.Context, all []piece, c *store.Capture,
	response *readback.Response) (*pieces, error) {
	p := &pieces{ctx: ctx, files: a.files, rest: all, capture: c, response: response}
	if err := p.next(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// next begins the next piece.
func (p *pieces) next() (err error) {
	one := p.rest[0]
	p.rest = p.rest[1:]
	if p.left = one.size; one.capture == nil {
		p.now, p.left = strings.NewReader(one.text), int64(len(one.text))
		return nil
	}
	if one.capture != p.capture {
		if err := p.Close(); err != nil {
			return err
		}
		if p.response, err = p.files.Response(one.capture); err != nil {
			return err
		}
		p.capture = one.capture
	}
	p.now, err = p.response.Section(p.ctx, one.from, one.size)
	return err
}

func (p *pieces) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	for p.left == 0 {
		if len(p.rest) == 0 {
			return 0, io.EOF
		}
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	n, err := p.now.Read(b[:min(int64(len(b)), p.left)])
	p.left -= int64(n)
	if err == io.EOF {
		if err = nil; p.left > 0 { // the record has less than it says
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

// Close closes what is open.
func (p *pieces) Close() error {
	response := p.response
	if p.response, p.capture = nil, nil; response == nil {
		return nil
	}
	return response.Close()
}

// entity is the entity of a response as it is read.
type entity struct {
	ctx context.Context
	io.Reader
}

func (e *entity) Read(b []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.Reader.Read(b)
}
