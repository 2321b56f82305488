package replay

import (
	"context"
	"io"
	"strconv"
	"strings"

	"warcorder/store"
	"warcorder/store/readback"
)

// injects reports whether what was asked for is a document, and is to have the clock of its
// capture: one of a window or a frame, not what a script fetches. Browsers say so (Fetch Metadata);
// of others those who take HTML above all.
func (a *Archive) injects(r *asked, h head) bool {
	if a.cfg.Inject == nil || !a.cfg.Inject.IsDocument(h) {
		return false
	}
	if !r.head.has("Sec-Fetch-Dest") {
		return strings.HasPrefix(strings.TrimSpace(r.head.get("Accept")), "text/html")
	}
	switch strings.ToLower(r.head.first("Sec-Fetch-Dest")) {
	case "document", "iframe", "frame", "fencedframe", "embed", "object":
		return true
	}
	return false
}

// injected answers with a document that has the clock of its capture. Its length is not known
// before it has gone out, so it goes in chunks. ok is false if it is to go out as it is stored;
// some of the response may have been read then.
func (a *Archive) injected(ctx context.Context, c *store.Capture, response *readback.Response) (
	m reply, ok bool,
) {
	h := head(response.Head)
	if h.has("Content-Encoding") && !a.isCoded(c, h) {
		return m, false
	}
	decoded, err := response.Decoded()
	if err != nil {
		return m, false
	}
	whole := &ending{entity{ctx, decoded}, isCut(response)}
	newHead, body, changed := a.cfg.Inject.Document(h, whole, c.Time, c.URL)
	if !changed {
		return m, false
	}
	start, status := sound(newHead, false)
	if hasNoBody(status) {
		return m, false
	}
	return reply{head: append(start, "Transfer-Encoding: chunked\r\n\r\n"...), capture: c, made: true,
		body: &chunking{source: body, Closer: response}}, true
}

// ending is an entity that, if it was cut, ends as it did for the first client.
type ending struct {
	entity
	cut bool
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.entity.Read(p)
	if err == io.EOF && e.cut {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// chunking is a body with the framing of chunks (RFC 9112 section 7.1). What breaks off has no last
// chunk.
type chunking struct {
	source io.Reader
	io.Closer
	data, out []byte
	err       error
}

const chunkSize = 32 << 10

func (c *chunking) Read(p []byte) (int, error) {
	if len(c.out) == 0 && c.err == nil {
		c.fill()
	}
	if len(c.out) == 0 {
		return 0, c.err
	}
	n := copy(p, c.out)
	c.out = c.out[n:]
	return n, nil
}

// fill makes the next chunk.
func (c *chunking) fill() {
	if c.data == nil {
		c.data = make([]byte, chunkSize)
	}
	var n int
	for n == 0 && c.err == nil {
		n, c.err = c.source.Read(c.data)
	}
	if c.out = c.out[:0]; n > 0 {
		c.out = append(strconv.AppendInt(c.out, int64(n), 16), "\r\n"...)
		c.out = append(append(c.out, c.data[:n]...), "\r\n"...)
	}
	if c.err == io.EOF {
		c.out = append(c.out, "0\r\n\r\n"...)
	}
}
