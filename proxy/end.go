package proxy

import (
	"errors"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// rescue is deferred by run: a panic in the work on one exchange ends that exchange and its
// connections. What has come of it is recorded as cut; it may be all that there will ever be.
func (e *exchange) rescue(goesOn *bool) {
	value := recover()
	if value == nil {
		return
	}
	*goesOn = false
	err := e.s.p.rec.Panicked(value, e.url)
	e.s.raw.Close()
	e.endHelpers()
	if !e.unrecorded {
		e.s.p.rec.Gap(recorder.GapWrite, e.url, err.Error())
	}
	switch {
	case e.x == nil: // settled before
	case e.x.Request.Len() == 0 || e.unrecorded:
		e.discard()
	default:
		e.x.Truncated, e.x.Fault = "unspecified", err.Error()
		e.commit()
	}
	e.drop()
}

// endHelpers waits for the goroutines that work for the exchange, whose client's connection is
// closed: none may touch the exchange behind its end.
func (e *exchange) endHelpers() {
	if e.up != nil {
		e.up.raw.Close()
	}
	if e.upload != nil {
		e.upload.stopped.Store(true)
		<-e.upload.done
	}
	if watching := e.s.in.watching; watching != nil {
		<-watching
	}
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
