package replay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"warcorder/store"
	"warcorder/store/readback"
)

// A stream of events (text/event-stream, the HTML standard's server-sent events) has no end of its
// own as a rule: that of its record is where the client left. A browser whose stream ends connects
// again, and a page would show everything twice. So the recorded stream comes at once, and then the
// connection is held until the client leaves or the request's context is done. A stream that its
// origin ended ends here too, and who then comes again gets what the first client got that came
// again, or what follows the last event that it has.
//
// At once, since when each event came is not recorded: a record has the bytes of a body, and one
// date. A page that waits for the next event gets it earlier than then, and in the same order.

// lastEvent is the field by which a client that comes again says what it has.
const lastEvent = "Last-Event-ID"

// isEventStream reports whether a response is a stream of events for who asks.
func isEventStream(r *asked, response *readback.Response) bool {
	return r.isGET() && response.Status == http.StatusOK && hasEvents(response.Head)
}

// hasEvents reports whether what follows a head is a stream of events.
func hasEvents(h head) bool {
	kind, _, _ := strings.Cut(h.first("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}

// maxStreams is how many captures of a stream are looked at for one that was asked for in the same
// way.
const maxStreams = 8

// sameStream returns the nearest of captures that is a stream, and was asked for with the last
// event ID of r, or like r without any; nil if there is none.
func (a *Archive) sameStream(r *asked, captures []store.Capture) *store.Capture {
	for i, looked := 0, 0; i < len(captures) && looked < maxStreams; i++ {
		c := &captures[i]
		if !strings.EqualFold(c.MIME, "text/event-stream") {
			continue
		}
		looked++
		request, err := a.files.Request(c)
		if err != nil {
			continue
		}
		same := head(request.Head).first(lastEvent) == r.head.first(lastEvent)
		if request.Close(); same {
			return c
		}
	}
	return nil
}

// stream answers with a stream of events; to one who comes again with what follows the last event
// that it has, if that is in the stream.
func (a *Archive) stream(ctx context.Context, r *asked, c *store.Capture,
	response *readback.Response) (reply, error) {
	h := head(response.Head)
	if id := r.head.first(lastEvent); id != "" && !h.has("Content-Encoding") {
		at, err := a.behindEvent(ctx, c, id)
		if err != nil {
			response.Close()
			return reply{}, err
		}
		if at > 0 {
			return a.resumed(ctx, c, response, at)
		}
	}
	m := a.plainly(ctx, c, response)
	ends := response.Chunked || h.has("Content-Length")
	if isCut(response) || !ends {
		m.body = &held{ctx: ctx, ReadCloser: m.body}
	}
	return m, nil
}

// resumed answers with the rest of a stream, from a byte of its entity on.
func (a *Archive) resumed(ctx context.Context, c *store.Capture, response *readback.Response,
	at int64) (reply, error) {
	rest := response.Entity()
	if _, err := io.CopyN(io.Discard, &entity{ctx, rest}, at); err != nil {
		return reply{}, errors.Join(err, response.Close())
	}
	h := remade(head(response.Head), http.StatusOK, ofPart)
	body := struct {
		io.Reader
		io.Closer
	}{&entity{ctx, rest}, response}
	return reply{head: h, body: &held{ctx: ctx, ReadCloser: body}, capture: c, made: true}, nil
}

// held is a body that does not end before its context does. Where the rest is not there yet, it
// says so once: what came before it is to go out.
type held struct {
	ctx context.Context
	io.ReadCloser
	ended, told bool
}

func (h *held) Read(p []byte) (n int, err error) {
	if !h.ended {
		n, err = h.ReadCloser.Read(p)
		if h.ended = err == io.EOF || err == io.ErrUnexpectedEOF; h.ended {
			err = nil
		}
		return n, err
	}
	if !h.told {
		h.told = true
		return 0, nil
	}
	<-h.ctx.Done()
	return 0, h.ctx.Err()
}

// behindEvent returns where in the entity of a stream that event ends after which its client has
// the last event ID id; the last one, if it is there more than once, and 0 if it is not there.
func (a *Archive) behindEvent(ctx context.Context, c *store.Capture, id string) (int64, error) {
	response, err := a.files.Response(c)
	if err != nil {
		return 0, &missing{a.whyOf(c, err), c}
	}
	defer response.Close()
	in, s := &entity{ctx, response.Entity()}, events{id: []byte(id)}
	buf := make([]byte, 16<<10)
	for {
		n, err := in.Read(buf)
		s.take(buf[:n])
		switch {
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case err != nil:
			return s.behind, nil // what cannot be read is seen to be so by who reads it
		}
	}
}

// events follows a stream of events to the last one after which a client has the last event ID id.
// It keeps no more of a line than may say that.
type events struct {
	id     []byte
	behind int64 // the result

	at   int64 // bytes taken
	line []byte
	is   bool // the last event ID is id
	cr   bool // the last byte was a CR
}

// take takes the next bytes. Lines end in LF, CR or both; an empty line ends an event.
func (s *events) take(p []byte) {
	for _, c := range p {
		s.at++
		switch {
		case c == '\n' && s.cr:
			if s.behind == s.at-1 {
				s.behind = s.at
			}
		case c == '\n' || c == '\r':
			s.endLine()
		case len(s.line) < len("id: ")+len(s.id)+1:
			s.line = append(s.line, c)
		}
		s.cr = c == '\r'
	}
}

func (s *events) endLine() {
	if id, ok := bytes.CutPrefix(s.line, []byte("id:")); ok {
		s.is = bytes.Equal(bytes.TrimPrefix(id, []byte(" ")), s.id)
	} else if string(s.line) == "id" {
		s.is = false
	} else if len(s.line) == 0 && s.is {
		s.behind = s.at
	}
	s.line = s.line[:0]
}
