package replay

import (
	"context"
	"errors"
	"io"
	"net/http"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/replay/ranges"
)

// An answer is made of what was chosen, and as faithful as can be:
//
//	as it is stored    the head that the origin sent, and the bytes behind it, chunks and all
//	a part of it       where Range asks for less than is stored: a 206 of one stretch, or of several
//	parts of it        where less is stored than the whole: parts.go
//	its head alone     HEAD; 304, 412 and 416
//	changed            a document that is to have the clock of its capture: injected.go
//
// What is opened for an answer is closed with its body, or before answer returns.

// reply is an answer on its way out.
type reply struct {
	head    head
	body    io.ReadCloser  // nil: nothing follows the head
	capture *store.Capture // whose head it has, or had
	made    bool           // the framing is not that of the record
}

// answer answers with what was chosen.
func (a *Archive) answer(ctx context.Context, r *asked, c *choice) ([]byte, io.ReadCloser, error) {
	var m reply
	var err error
	if c.whole != nil {
		m, err = a.fromWhole(ctx, r, c.whole, c.response)
	} else {
		m, err = a.fromParts(ctx, r, c)
	}
	if err != nil {
		return nil, nil, err
	}
	if a.cfg.Explain {
		m.head = m.explained(c.rule)
	}
	if m.body == nil {
		return m.head, io.NopCloser(empty{}), nil
	}
	if r.method == http.MethodHead {
		return m.head, io.NopCloser(empty{}), m.body.Close()
	}
	return m.head, m.body, nil
}

// explained returns the head with what explain says of the reply.
func (m *reply) explained(rule string) head {
	h := append(append(make(head, 0, len(m.head)+512), opened(m.head)...), explain(rule, m.capture)...)
	if m.made {
		h = append(h, "X-Warcorder-Framing: made\r\n"...)
	}
	return append(h, "\r\n"...)
}

// maxRewound is how many bytes may be read to come to several ranges of a body that has to be read
// from its beginning for each of them. A few hundred bytes of a request could ask for 64 times as
// much as there is.
const maxRewound = 1 << 30

// fromWhole answers with a response that is there to its end, and closes it if nothing of it
// follows.
func (a *Archive) fromWhole(ctx context.Context, r *asked, c *store.Capture,
	response *readback.Response) (reply, error) {
	h := head(response.Head)
	if response.Status != http.StatusOK || c.Method != "" {
		return a.asStored(ctx, r, c, response)
	}
	if a.injects(r, h) { // what is changed has no parts, and no condition is about it
		return a.asStored(ctx, r, c, response)
	}
	if bare := conditional(r, h); bare != nil {
		return reply{head: bare, capture: c, made: true}, response.Close()
	}
	set, wanted := r.ranges()
	if !wanted || !holds(r.head, h, c.Time) {
		return a.asStored(ctx, r, c, response)
	}
	size, err := a.sizeOf(ctx, c, response)
	if err != nil {
		response.Close()
		return reply{}, err
	}
	if size <= 0 { // no range lies in nothing, and who asks for all gets all
		return a.asStored(ctx, r, c, response)
	}
	spans := set.Of(size)
	if len(spans) == 0 {
		return reply{head: unsatisfiedHead(h, size), capture: c, made: true}, response.Close()
	}
	if rewinds := int64(len(spans) - 1); rewinds > maxRewound/size && !response.InPlace() {
		return a.asStored(ctx, r, c, response) // as RFC 9110 section 14.2 allows
	}
	answer, pieces := partial(h, size, spans, func(s ranges.Span) []piece {
		return []piece{{capture: c, from: s.First, size: s.Length()}}
	})
	return a.joined(ctx, answer, pieces, c, response)
}

// conditional returns the head that answers a request in the place of what has the head h, if the
// request's conditions want that; else nil.
func conditional(r *asked, h head) head {
	switch judge(r.head, h) {
	case notModified:
		return notModifiedHead(h)
	case failed:
		return failedHead(h)
	}
	return nil
}

// ranges returns what the Range of a request asks for. RFC 9110 section 14.2 has it for GET alone.
func (r *asked) ranges() (ranges.Set, bool) {
	if !r.isGET() || !r.head.has("Range") {
		return nil, false
	}
	return ranges.Parse(r.head.get("Range"))
}

// asStored answers with a response as it is stored.
func (a *Archive) asStored(ctx context.Context, r *asked, c *store.Capture,
	response *readback.Response) (reply, error) {
	if response.Status >= 100 && response.Status < 200 { // the final one never came
		return reply{}, errors.Join(&missing{whyNoMessage, c}, response.Close())
	}
	if isEventStream(r, response) {
		return a.stream(ctx, r, c, response)
	}
	if !a.injects(r, response.Head) {
		return a.plainly(ctx, c, response), nil
	}
	if m, ok := a.injected(ctx, c, response); ok {
		return m, nil
	}
	again, err := a.files.Response(c) // some of the first may have been read
	if err != nil {
		return reply{}, errors.Join(err, response.Close())
	}
	return a.plainly(ctx, c, again), response.Close()
}

// plainly is asStored for what is no stream of events.
func (a *Archive) plainly(ctx context.Context, c *store.Capture,
	response *readback.Response) reply {
	h := head(response.Head)
	stored := content{size: response.Size, chunked: response.Chunked, cut: isCut(response)}
	m := reply{head: h, capture: c, made: response.Made,
		body: &storedBody{ctx, response, stored.cut}}
	if !fits(h, c.Method, stored) {
		stored.decoded = isPlain(response)
		m.head, m.made = reframed(h, stored), true
	}
	return m
}

// isCut reports whether a response is not there to its end.
func isCut(response *readback.Response) bool { return response.Truncated != "" || response.Unended }

// storedBody is the body of a response as it is stored. One that was cut ends as it did for the
// first client.
type storedBody struct {
	ctx      context.Context
	response *readback.Response
	cut      bool
}

func (b *storedBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := b.response.Body.Read(p)
	if err == io.EOF && b.cut {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (b *storedBody) Close() error { return b.response.Close() }

// sizeOf returns the size of the entity in a response, which is not read for that; negative if the
// entity breaks off.
func (a *Archive) sizeOf(ctx context.Context, c *store.Capture, response *readback.Response) (int64,
	error) {
	if size, known := response.EntitySize(); known {
		return size, nil
	}
	if size, known := a.sizes.get(c.Location); known {
		return size, nil
	}
	again, err := a.files.Response(c)
	if err != nil {
		return 0, err
	}
	defer again.Close()
	size, err := io.Copy(io.Discard, &entity{ctx, again.Entity()})
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	switch err {
	case nil:
	case io.ErrUnexpectedEOF: // cut in a chunk
		size = -1
	default: // which another reading may not meet
		return -1, nil
	}
	a.sizes.put(c.Location, size)
	return size, nil
}
