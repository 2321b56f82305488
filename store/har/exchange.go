package har

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/selection"
)

// exchange is a capture whose records have been read to their ends.
type exchange struct {
	entry    entry
	request  request
	posted   *postData // nil if nothing was sent
	sent     body
	response response
	content  content
	got      body
}

// What is said of an exchange in words.
const (
	noRequest = "no request was recorded with it"
	noHead    = "no head was recorded with it"
	noTime    = "how long it took was not recorded"
	asStored  = "the content coding cannot be taken off: the body is as it is stored"
	tooLong   = "without its content coding the body would be far too long: it is as it is stored"
	brokenOff = "the chunks of the body break off"
	unchunked = "the chunks of the body break off: it is as it is stored"

	noType = "x-unknown" // the media type of what has none, as Chromium and Playwright say
)

// isHTTP reports whether a capture is of HTTP, and not of a name server or a picture of a page.
func isHTTP(c *store.Capture) bool {
	scheme, _, _ := strings.Cut(c.URL, "://")
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// read reads the records of a capture. What it returns is good until the next call.
func (w *Writer) read(ctx context.Context, c *selection.Chosen) (*exchange, error) {
	own, err := w.files.Record(c.Location)
	if err != nil {
		return nil, err
	}
	header := own.Header
	if err := own.Close(); err != nil {
		return nil, err
	}
	x := &exchange{entry: entry{Started: date(c.Time)}}
	if at, err := netip.ParseAddr(header.Get("WARC-IP-Address")); err == nil {
		x.entry.Address = at.WithZone("").String()
	}
	if err := w.readResponse(ctx, c, x); err != nil {
		return nil, err
	}
	if err := w.readRequest(ctx, c, x); err != nil {
		return nil, err
	}
	told := w.told(c)
	x.setTime(millisOf(told.took))
	x.entry.Completion = text(told.completion)
	return x, ctx.Err()
}

// setTime notes how many milliseconds an exchange took, if that is known. HAR allows -1 only for
// what is before the request.
func (x *exchange) setTime(took int64, known bool) {
	x.entry.Time = took
	x.entry.Timings = timings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1, Wait: took}
	if !known {
		x.entry.Timings.Comment = noTime
	}
}

// mostTime is more milliseconds than any exchange takes: ten years.
const mostTime = 10 * 365 * 24 * 3600 * 1000

// told is what the metadata record of an exchange tells.
type told struct{ took, completion string }

// told reads what the metadata record of a capture tells. One that cannot be read is as none: the
// exchange is whole without it.
func (w *Writer) told(c *selection.Chosen) (t told) {
	record, err := w.files.Metadata(&c.Capture)
	if err != nil {
		return t
	}
	defer record.Close()
	fields, err := record.Fields("fetchTimeMs", "completion")
	if err != nil {
		return t
	}
	return told{fields[0], fields[1]}
}

// millisOf reads how many milliseconds something took; false for what cannot be.
func millisOf(value string) (ms int64, known bool) {
	ms, err := strconv.ParseInt(value, 10, 64)
	if err != nil || ms < 0 || ms > mostTime {
		return 0, false
	}
	return ms, true
}

// responseOf is what the head of a response tells, which came at a moment.
func responseOf(h head, status int, at time.Time) (r response, mediaType string) {
	return response{
		Status:   status,
		Reason:   text(h.start[2]),
		Version:  text(h.start[0]),
		Cookies:  setCookies(&h, at),
		Fields:   h.pairs(),
		Redirect: text(h.get("Location")),
	}, cmp.Or(text(h.get("Content-Type")), noType)
}

// readResponse reads the response of a capture.
func (w *Writer) readResponse(ctx context.Context, c *selection.Chosen, x *exchange) error {
	r, err := w.files.ResponseBy(&c.Capture, c.Original)
	if err != nil {
		return err
	}
	x.response, x.content.Type = responseOf(parseHead(r.Head), r.Status, c.Time)
	x.response.HeadSize, x.response.Truncated = len(r.Head), text(r.Truncated)
	if r.Made {
		x.response.HeadSize, x.response.Comment = -1, noHead
	}
	size, known := r.EntitySize()
	if err := r.Close(); err != nil {
		return err
	}
	if err := w.readContent(ctx, c, x); err != nil {
		return err
	}
	switch {
	case !x.got.isCoded:
		size = x.got.size
	case !known:
		stored, err := look(ctx, w.entity(c), false, nil)
		if err != nil && !isBroken(err) {
			return err
		}
		size = stored.size
	}
	x.response.BodySize, x.content.Size = size, x.got.size
	x.content.Compression = x.content.Size - size
	return nil
}

// readContent reads the body of a response: without its codings, if they can be taken off.
func (w *Writer) readContent(ctx context.Context, c *selection.Chosen, x *exchange) (err error) {
	x.got, err = look(ctx, w.decoded(c), readback.IsTextType(x.content.Type), w.got)
	switch {
	case errors.Is(err, readback.ErrLong):
		x.content.Comment = tooLong
	case errors.Is(err, readback.ErrCoding), x.got.isCoded && isBroken(err):
		x.content.Comment = asStored
	}
	if x.content.Coded = x.content.Comment != ""; x.content.Coded {
		x.got, err = look(ctx, w.entity(c), false, w.got)
	}
	if isBroken(err) {
		x.response.Comment, err = brokenOff, nil
	}
	w.got = x.got.kept
	if !x.got.isText {
		x.content.Encoding = base64Name
	}
	return err
}

// requestOf is a request of which nothing is known but its method, "" for GET, and its URL.
func requestOf(method, address string) request {
	return request{
		Method:   text(cmp.Or(method, "GET")),
		URL:      text(address),
		Cookies:  []cookie{},
		Fields:   []pair{},
		Query:    arguments(address),
		HeadSize: -1,
		BodySize: -1,
	}
}

// takeHead sets what the head of the request tells.
func (r *request) takeHead(h head) {
	r.Method = cmp.Or(text(h.start[0]), r.Method)
	r.Version = text(h.start[2])
	r.Cookies, r.Fields = sentCookies(&h), h.pairs()
}

// readRequest reads the request of a capture.
func (w *Writer) readRequest(ctx context.Context, c *selection.Chosen, x *exchange) error {
	x.request = requestOf(c.Method, c.URL)
	r, err := w.files.Request(&c.Capture)
	if errors.Is(err, readback.ErrNoRequest) {
		x.request.Comment = noRequest
		return nil
	}
	if err != nil {
		return err
	}
	h := parseHead(r.Head)
	x.request.takeHead(h)
	x.request.HeadSize, x.request.BodySize = len(r.Head), 0
	x.request.Truncated = text(r.Truncated)
	if r.Size > 0 {
		if err := r.Close(); err != nil {
			return err
		}
		return w.readPosted(ctx, c, &h, x)
	}
	_, err = io.Copy(io.Discard, r.Body) // to its checksum
	return errors.Join(err, r.Close())
}

// readPosted reads the body of a request.
func (w *Writer) readPosted(ctx context.Context, c *selection.Chosen, h *head, x *exchange) (
	err error) {
	x.posted = &postData{Type: text(h.get("Content-Type"))}
	isPlain := readback.IsTextType(x.posted.Type)
	x.sent, err = look(ctx, w.posted(c, h.isChunked()), isPlain, w.sent)
	if isBroken(err) {
		x.posted.Comment = unchunked
		x.sent, err = look(ctx, w.posted(c, false), isPlain, w.sent)
	}
	w.sent, x.request.BodySize = x.sent.kept, x.sent.size
	if x.sent.isKept() {
		x.posted.Params = paramsOf(h.get("Content-Type"), x.sent.kept)
	}
	if !x.sent.isText {
		x.posted.Encoding = base64Name
	}
	return err
}
