package proxy

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// exchange is one request of a session on its way to the origin, and the response on its way back.
type exchange struct {
	s      *session
	req    *http1.Request
	to     origin
	url    string
	x      *recorder.Exchange // nil when it is settled
	up     *upstream
	upload *upload   // nil if the request went out in one piece
	until  time.Time // when timeout-total ends it; zero: never
	due    time.Time // when timeout-first-byte ends the wait for a head
	sent   bool      // bytes of the origin have reached the client

	unrecorded bool // by the operator's wish (no-record): x holds facts for the log, and no byte
}

var (
	errClientGone     = errors.New("the client went away")
	errEndlessInterim = errors.New("more than 1000 interim responses")
)

// maxInterim is how many 1xx responses may come before the final one. Each gives the origin more
// time.
const maxInterim = 1000

// recordError is an exchange that could not be kept: it must not pass.
type recordError struct{ err error }

func (e *recordError) Error() string { return "record: " + e.err.Error() }
func (e *recordError) Unwrap() error { return e.err }

// glance is how long the relay waits for an origin before it begins to watch whether the client is
// still there. Most answers come sooner and are spared the watching. It may be half as long again.
const glance = 250 * time.Millisecond

// run relays the exchange and records it. It reports whether the client's connection goes on.
func (e *exchange) run(url string) (goesOn bool) {
	e.url, e.x = url, e.s.p.rec.Begin()
	defer e.rescue(&goesOn)
	e.x.Started = time.Now()
	e.x.URL, e.x.Method = url, string(e.req.Method)
	if total := e.s.p.cfg.Timeout.Total; total > 0 {
		e.until = e.x.Started.Add(total)
	}
	defer e.s.current.Store(nil)
	res, head, err := e.fetch()
	if err != nil {
		return e.fail(err)
	}
	if res.Status == 101 {
		return e.switchProtocols(head)
	}
	err = e.relayResponse(&res, head)
	if err != nil && !e.unrecorded {
		if cut := e.x.WasCut(); cut != nil {
			err = &recordError{cut}
		}
	}
	return e.finish(&res, err)
}

// fetch sends the request and waits for the head of the final response, which it leaves in the
// upstream's buffer. A kept connection may have died unnoticed: what can be asked again without
// harm is asked once more on a new one.
func (e *exchange) fetch() (res http1.Response, head int, err error) {
	reused, err := e.connect(true)
	for {
		if err == nil {
			err = e.send()
		}
		if err == nil {
			res, head, err = e.answer()
		}
		if err == nil || !reused || !e.mayRetry(err) {
			return res, head, err
		}
		e.s.in.unwatch()
		e.drop()
		e.x.Request.Reset()
		reused, err = e.connect(false)
	}
}

func (e *exchange) mayRetry(err error) bool {
	var record *recordError
	return e.s.p.ctx.Err() == nil && e.req.Idempotent && e.req.Framing == http1.NoBody && !e.sent && e.up.buffered() == 0 &&
		!isTimeout(err) && !e.s.gone.Load() && !errors.As(err, &record)
}

// connect takes a kept connection if there is one and it is allowed, else dials.
func (e *exchange) connect(kept bool) (reused bool, err error) {
	if kept {
		e.up = e.s.takeBound(e.to)
		if e.up == nil {
			e.up = e.s.p.upstreams.get(e.to)
		}
	}
	reused = e.up != nil
	if !reused {
		if e.up, err = e.dial(); err != nil {
			return false, err
		}
	}
	e.s.current.Store(e.up)
	if e.s.p.ctx.Err() != nil { // stopped meanwhile: stop() may not have seen this connection
		e.up.raw.Close()
	}
	e.x.Conn = e.up.raw
	e.x.RemoteIP, e.x.TLS, e.x.Cipher, e.x.Chain, e.x.Unverified = e.up.ip, e.up.tls, e.up.cipher, e.up.chain, e.up.unverified
	return reused, nil
}

// dial opens a connection, unless the client goes away meanwhile.
func (e *exchange) dial() (*upstream, error) {
	ctx, cancel := context.WithCancel(e.s.p.ctx)
	defer cancel()
	if !e.until.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, e.until)
		defer cancel()
	}
	e.s.in.watch(func(error) {
		e.s.gone.Store(true)
		if !e.finishes() {
			cancel()
		}
	})
	defer e.s.in.unwatch()
	return e.s.p.upstreams.dial(ctx, e.to)
}

// finishes reports whether a fetch goes on for the archive when its client has gone.
func (e *exchange) finishes() bool { return e.s.p.cfg.OnClientAbort == "finish" && !e.unrecorded }

// abandoned reports that nobody waits for the answer, not even the archive.
func (e *exchange) abandoned() bool { return e.s.gone.Load() && !e.finishes() }

// drop ends the upstream connection.
func (e *exchange) drop() {
	e.s.current.Store(nil)
	if e.up != nil {
		e.up.close()
		e.up = nil
	}
}

// overtime reports that an error is timeout-total's doing.
func (e *exchange) overtime(err error) bool {
	return isTimeout(err) && !e.until.IsZero() && !time.Now().Before(e.until)
}

// by returns the moment at which a step that began now has taken too long.
func (e *exchange) by(patience time.Duration) time.Time {
	at := time.Now().Add(patience)
	if !e.until.IsZero() && e.until.Before(at) {
		return e.until
	}
	return at
}

// boundWrite sets how long the next write may take: timeout-idle and up to an eighth more, but
// never beyond timeout-total.
func (e *exchange) boundWrite(w *wire) {
	patience := e.s.p.cfg.Timeout.Idle
	at, slack := e.by(patience), patience/8
	if !e.until.IsZero() && at.Add(slack).After(e.until) {
		slack = 0
	}
	w.writeUntil(at, slack)
}

// bounded sets the limit on a body.
func (e *exchange) bounded(b http1.Body) http1.Body {
	b.Most = e.s.p.cfg.MaxBodySize
	return b
}

// send writes the request: in one piece if all of it is here, else the head, and the body as it
// comes.
func (e *exchange) send() error {
	s, b := e.s, e.bounded(http1.RequestBody(&e.req.Message))
	out := s.fwd
	if e.req.Framing != http1.NoBody {
		whole := b
		n, err := whole.Take(s.in.bytes())
		if err == nil && whole.Done() {
			s.fwd = append(s.fwd, s.in.bytes()[:n]...)
			s.in.consume(n)
			out, b = s.fwd, whole
		}
	}
	e.boundWrite(&e.up.wire)
	if _, err := e.up.conn.Write(out); err != nil {
		return err
	}
	if err := e.keep(&e.x.Request, out); err != nil {
		return err
	}
	if !b.Done() {
		e.upload = e.startUpload(b)
	}
	return nil
}

// answer reads heads until that of the final response is buffered, and returns it and its length.
// 1xx heads go to the client at once; they are no part of the response record.
func (e *exchange) answer() (res http1.Response, length int, err error) {
	fill := func() error { return e.fill(e.due) }
	for interim := 0; ; interim++ {
		e.due = e.by(e.s.p.cfg.Timeout.FirstByte)
		head, err := e.up.head(int(e.s.p.cfg.MaxHeaderSize), fill)
		if err != nil {
			return res, 0, err
		}
		if res, err = http1.ParseResponse(head, e.req); err != nil {
			return res, 0, err
		}
		if res.Status == 101 && !e.req.Upgrade {
			return res, 0, http1.Refuse("a 101 to a request that asked for no upgrade")
		}
		if e.s.tunnel == nil {
			if err := res.ResetContent(); err != nil {
				return res, 0, err
			}
		}
		if res.Status == 101 || res.Status >= 200 {
			return res, len(head), nil
		}
		if interim == maxInterim {
			return res, 0, errEndlessInterim
		}
		if e.upload != nil && res.Status == 100 {
			e.upload.invited = true
		}
		if e.req.Minor > 0 { // to an HTTP/1.0 client it would be the answer (RFC 9110 section 15.2)
			if err := e.toClient(head); err != nil {
				return res, 0, err
			}
		}
		e.up.consume(len(head))
	}
}

// fill reads from the origin until the moment at. While the upload runs, it reads the client, and
// the origin may take its time; when the upload has ended it wakes the read. Otherwise the client
// is watched as soon as the origin is not prompt.
func (e *exchange) fill(at time.Time) error {
	s := e.s
	if e.upload != nil && !e.upload.ended() {
		err := e.up.fill(largeBuffer)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		<-e.upload.done
		if e.upload.err != nil {
			return err
		}
		e.due = e.by(s.p.cfg.Timeout.FirstByte) // only now has the origin the whole request
		at = e.due
	}
	if e.upload != nil {
		e.up.forgetDeadlines()
	}
	if s.in.watching == nil && !s.gone.Load() {
		first, slack := time.Now().Add(glance), glance/2
		if at.Before(first.Add(slack)) {
			first, slack = at, 0
		}
		e.up.readUntil(first, slack)
		err := e.up.fill(largeBuffer)
		if !errors.Is(err, os.ErrDeadlineExceeded) || first == at {
			return err
		}
		s.in.watch(e.clientGone)
	}
	e.up.readUntil(at, 0)
	return e.up.fill(largeBuffer)
}

// clientGone is called when the client has ended its connection.
func (e *exchange) clientGone(error) {
	e.s.gone.Store(true)
	if !e.finishes() {
		e.up.raw.Close() // wakes the read
	}
}

// toClient passes bytes on, unless nobody is there and the fetch is to be finished for the archive.
func (e *exchange) toClient(b []byte) error {
	if !e.s.gone.Load() {
		e.sent = true
		e.boundWrite(&e.s.in)
		_, err := e.s.conn.Write(b)
		if err == nil || e.overtime(err) {
			return err
		}
		e.s.gone.Store(true)
	}
	if e.finishes() {
		return nil
	}
	return errClientGone
}

// relayResponse passes the response on, whose head is buffered, and keeps it.
func (e *exchange) relayResponse(res *http1.Response, head int) error {
	b := e.bounded(http1.ResponseBody(&res.Message))
	n, framingErr := b.Take(e.up.bytes()[head:])
	for piece := e.up.bytes()[:head+n]; ; piece = e.up.bytes()[:n] {
		if err := e.keep(&e.x.Response, piece); err != nil {
			return err
		}
		if b.Done() {
			if err := e.flush(); err != nil {
				return err
			}
		}
		err := e.toClient(piece)
		e.up.consume(len(piece))
		switch {
		case err != nil:
			e.keepBuffered(&b)
			return err
		case framingErr != nil || b.Done():
			res.KeepAlive = res.KeepAlive && !b.Lax
			return framingErr
		}
		if err := e.fill(e.by(e.s.p.cfg.Timeout.Idle)); err != nil {
			return e.ended(&b, err)
		}
		n, framingErr = b.Take(e.up.bytes())
	}
}

// keepBuffered records what is already here of a response whose client has gone.
func (e *exchange) keepBuffered(b *http1.Body) {
	n, _ := b.Take(e.up.bytes())
	e.keep(&e.x.Response, e.up.bytes()[:n])
	e.up.consume(n)
}

// ended judges the error that ended the reading of a body: for one that ends with the connection it
// is the end. Many TLS servers close without close_notify, so its absence does not count as a fault
// there.
func (e *exchange) ended(b *http1.Body, err error) error {
	if b.Framing == http1.UntilClose && (err == io.EOF || err == io.ErrUnexpectedEOF) {
		return e.flush()
	}
	return err
}

// finish settles an exchange whose response has begun: the record, the two connections.
func (e *exchange) finish(res *http1.Response, err error) bool {
	s := e.s
	uploaded := e.settleUpload(err == nil && res.KeepAlive)
	s.in.unwatch()
	if err != nil {
		return e.breakOff(res, err)
	}
	goesOn := uploaded && res.KeepAlive && e.req.KeepAlive && !s.gone.Load() &&
		!(res.Framing == http1.Chunked && e.req.Minor == 0)
	if goesOn && e.up.buffered() == 0 {
		s.current.Store(nil)
		s.keep(e.up, e.req.Bound || res.Bound || e.req.BodyUnexpected())
		e.up = nil
	}
	e.drop()
	if !uploaded {
		e.noteUpload()
	}
	e.commit()
	if !goesOn && !s.gone.Load() {
		s.linger()
	}
	return goesOn
}

// noteUpload says why a request is incomplete whose response is not.
func (e *exchange) noteUpload() {
	e.x.Fault = "the request's body is incomplete: the origin answered before it had come"
	var head *http1.Error
	switch {
	case errors.As(e.upload.err, &head):
		e.x.Fault = "the request's body is ambiguous and was not passed on further: " + head.Reason
		e.s.p.logHead("request body refused", e.url, head)
	case e.upload.err == http1.ErrBodyTooLong:
		e.x.Fault = tooLongRequest
	}
	e.gap(recorder.GapCut, e.x.Fault)
}

// breakOff settles an exchange that broke off in the middle of the response. The client must see a
// broken response too: its connection is cut without ceremony, or reset where its plain end would
// look like that of the body.
func (e *exchange) breakOff(res *http1.Response, err error) bool {
	if record := (*recordError)(nil); errors.As(err, &record) && !e.sent && !e.s.gone.Load() {
		return e.fail(err)
	}
	e.drop()
	if res.Framing == http1.UntilClose && !e.s.secure() {
		e.s.raw.reset()
	}
	e.s.raw.Close()
	e.x.Truncated, e.x.Fault = e.truncation(err)
	e.s.p.logFault("response cut short", e.url, err)
	e.gap(e.reason(err, fault{}), e.x.Fault)
	e.commit()
	return false
}

// truncation names the reason for WARC-Truncated, and says it in words.
func (e *exchange) truncation(err error) (reason, words string) {
	var record *recordError
	switch {
	case errors.As(err, &record):
		return "unspecified", "the rest could not be kept: " + record.err.Error()
	case e.s.p.ctx.Err() != nil:
		return "disconnect", "the recorder was stopped"
	case e.overtime(err):
		return "time", "timeout-total had passed"
	case e.abandoned():
		return "disconnect", errClientGone.Error()
	case err == http1.ErrBodyTooLong, errors.Is(err, errHeadTooLarge):
		return "length", err.Error()
	case e.upload != nil && e.upload.ended() && e.upload.err != nil && e.upload.err != errStopped && e.upload.err != err:
		return e.truncation(e.upload.err)
	case isTimeout(err):
		return "time", "the origin sent nothing more within timeout-idle"
	}
	return "disconnect", originFault(err, e.to).why
}

// fail settles an exchange without a final response: the client is told why, and what was sent is
// kept.
func (e *exchange) fail(err error) bool {
	s := e.s
	uploaded := e.settleUpload(false)
	s.in.unwatch()
	why := e.blame(err)
	e.gap(e.reason(err, why), why.why)
	if e.up == nil || e.x.Request.Len() == 0 && !e.unrecorded { // nothing was sent
		e.drop()
		s.p.logFault("no answer", e.url, err)
		e.discard()
	} else {
		e.keepFailed(err, why)
	}
	if s.gone.Load() {
		return false
	}
	goesOn := uploaded && e.req.KeepAlive && e.req.Framing == http1.NoBody && s.p.ctx.Err() == nil
	return s.answerFault(e.req, why, goesOn)
}

// keepFailed records a request that was sent and what came back, which is not a whole head.
func (e *exchange) keepFailed(err error, why fault) {
	e.x.Fault = why.why
	var head *http1.Error
	if errors.As(err, &head) {
		e.s.p.logHead("answer refused", e.url, err)
	} else {
		e.s.p.logFault("no answer", e.url, err)
		e.x.Truncated, _ = e.truncation(err)
		if !refusedAnswer(err) {
			e.keep(&e.x.Response, e.up.bytes())
		}
	}
	e.drop()
	e.commit()
}

// reason names the gap that an error leaves. why is what the client is told, if it has had no
// answer.
func (e *exchange) reason(err error, why fault) string {
	var record *recordError
	var head *http1.Error
	switch {
	case errors.As(err, &record) || why.status == 503 && e.upload != nil && errors.As(e.upload.err, &record):
		return recorder.GapWrite
	case e.abandoned() || e.s.p.ctx.Err() != nil || why.status == 0 || why.status == 408:
		return recorder.GapCut
	case why.status < 500 || why.status == 508 || errors.As(err, &head) || refusedAnswer(err):
		return recorder.GapRefused
	}
	return recorder.GapUpstream
}

// refusedAnswer reports an answer that came and is over a limit.
func refusedAnswer(err error) bool {
	return errors.Is(err, errHeadTooLarge) || errors.Is(err, errCrowdedHeads) ||
		errors.Is(err, errEndlessInterim)
}

// blame says whose fault it was.
func (e *exchange) blame(err error) fault {
	if e.upload != nil && e.upload.err != nil && e.upload.err != errStopped {
		err = e.upload.err // what the reading side saw is only what follows from it
	}
	var record *recordError
	var head *http1.Error
	switch {
	case e.s.p.ctx.Err() != nil:
		return fault{503, "warcorder is being stopped."}
	case errors.As(err, &record):
		return fault{
			503,
			"warcorder cannot record this exchange: " + record.err.Error() + ". Nothing passes unrecorded.",
		}
	case e.abandoned():
		return fault{408, "The client went away."}
	case e.upload == nil || e.upload.err != err:
		return originFault(err, e.to)
	case errors.As(err, &head):
		e.s.p.logHead("request body refused", e.url, err)
		return fault{
			400,
			"The request's body is ambiguous and was not passed on further: " + head.Reason + ".",
		}
	case err == http1.ErrBodyTooLong:
		return fault{413, tooLongRequest}
	case e.upload.side == clientSide && isTimeout(err):
		limit := "timeout-idle"
		if e.overtime(err) {
			limit = "timeout-total"
		}
		return fault{408, "The request's body did not come within " + limit + "."}
	case e.upload.side == clientSide:
		return fault{408, "The client went away in the middle of its request's body."}
	}
	return originFault(err, e.to)
}
