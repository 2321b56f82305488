package proxy

import (
	"errors"
	"strings"

	"warcorder/proxy/http1"
	"warcorder/proxy/reach"
	"warcorder/recorder"
)

// An exchange ends in one of four ways, and each settles the upload, the record and the two
// connections:
//
//	finish     the response is complete
//	breakOff   the response had begun, and broke off
//	fail       there is no response to pass on: the client gets a refusal
//	rescue     we have broken (a panic)

// finish settles an exchange whose response has begun: the record, the two connections.
//
// The client's connection goes on if both messages on it have ended where every reader sees the
// end: the request went out whole, and mayGoOn. The origin's connection is kept if, beyond that,
// nothing of it is left unread.
func (e *exchange) finish(res *http1.Response, err error) bool {
	s := e.client
	uploaded := e.settleUpload(err == nil && res.KeepAlive)
	s.in.unwatch()
	if err != nil {
		return e.breakOff(res, err)
	}
	clean := uploaded && mayGoOn(e.req, res)
	goesOn := clean && !s.gone.Load()
	if clean && e.up.buffered() == 0 {
		s.upstream.Store(nil)
		e.origins.keep(e.up, e.req.Bound || res.Bound || e.req.BodyUnexpected())
		e.up = nil
	}
	e.drop()
	if !uploaded {
		e.noteUpload()
	}
	e.came(res)
	e.commit()
	if !goesOn && !s.gone.Load() {
		s.linger()
	}
	return goesOn
}

// mayGoOn reports that neither head asks for the connection's end, and that the body's end is none.
// A chunked body says nothing to a client of HTTP/1.0, which reads until the end.
func mayGoOn(req *http1.Request, res *http1.Response) bool {
	return res.KeepAlive && req.KeepAlive && !(res.Framing == http1.Chunked && req.Minor == 0)
}

// noteUpload says why a request is incomplete whose response is not.
func (e *exchange) noteUpload() {
	e.x.Fault = "the request's body is incomplete: the origin answered before it had come"
	if err := e.uploadError(); err != nil {
		if v := uploads.on(err, e.to); v.gap == recorder.GapRefused { // of the body itself
			e.x.Fault = v.broke
		}
		if isAmbiguous(err) {
			warnHead(e.log, "request body refused", e.url, err)
		}
	}
	e.gap(recorder.GapCut, e.x.Fault)
}

// breakOff settles an exchange that broke off in the middle of the response. The client must see a
// broken response too: its connection is cut without ceremony, or reset where its plain end would
// look like that of the body.
func (e *exchange) breakOff(res *http1.Response, err error) bool {
	if isUnkept(err) && !e.sent && !e.client.gone.Load() {
		return e.fail(err)
	}
	e.drop()
	e.x.Ending()
	e.client.cutShort(res)
	v, reason := e.judge(err), recorder.GapCut
	if isUnkept(err) {
		reason = v.gap
	}
	e.x.Truncated, e.x.Fault = v.truncated, v.broke
	if e.mayEndBetter(err, v) && e.askWhole(afterCut, e.x.Fault) {
		e.log.Info().Str("url", recorder.Logged(e.url)).Err(err).
			Msg("response cut short: complete sees to its whole")
	} else {
		warn(e.log, "response cut short", e.url, err)
		e.gap(reason, e.x.Fault)
	}
	e.commit()
	return false
}

// fail settles an exchange without a final response: the client is told why, and what was sent is
// kept.
func (e *exchange) fail(err error) bool {
	s := e.client
	uploaded := e.settleUpload(false)
	s.in.unwatch()
	e.hideToken(err)
	v := e.judgeUnanswered(err)
	if v.status == 400 { // of the upload: the head of the request has passed
		warnHead(e.log, "request body refused", e.url, e.uploadError())
	}
	e.gap(v.gap, v.told)
	if e.up == nil || e.x.Request.Len() == 0 && !e.unrecorded { // nothing was sent
		e.drop()
		warn(e.log, "no answer", e.url, err)
		e.client.passed.unsent.Add(1)
		e.discard()
	} else {
		e.keepFailed(err, v)
	}
	if s.gone.Load() {
		return false
	}
	goesOn := uploaded && e.req.KeepAlive && e.req.Framing == http1.NoBody && e.stop.Err() == nil
	return s.tell(e.req, v.refusal(), goesOn)
}

// hideToken takes the query out of a URL that leads to our own pages, if it may have our token in
// it: log and gap list are not to tell that. What leads there is refused as ourselves, or denied
// before that shows.
func (e *exchange) hideToken(err error) {
	denied := errors.As(err, new(*reach.Denial)) && strings.Contains(e.url, "token=")
	if denied || errors.Is(err, errSelf) {
		e.url, _, _ = strings.Cut(e.url, "?")
	}
}

// keepFailed records a request that was sent, and what came back, which is not a whole head. Of an
// answer that is refused for what it is, nothing is kept: as a record it would be as ambiguous.
func (e *exchange) keepFailed(err error, v verdict) {
	e.x.Fault = v.told
	if isAmbiguous(err) {
		warnHead(e.log, "answer refused", e.url, err)
	} else {
		warn(e.log, "no answer", e.url, err)
		e.x.Truncated = v.truncated
		if !answers.on(err, e.to).inAnswer {
			e.keep(&e.x.Response, e.up.bytes())
		}
	}
	e.drop()
	e.commit()
}

// rescue is deferred by run: a panic in the work on one exchange ends that exchange and its
// connections. What has come of it is recorded as cut; it may be all that there will ever be.
func (e *exchange) rescue(goesOn *bool) {
	value := recover()
	if value == nil {
		return
	}
	*goesOn = false
	err := e.client.panics.Caught(value, e.url)
	e.client.end(false)
	e.endHelpers()
	e.gap(recorder.GapWrite, err.Error())
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
	if watching := e.client.in.watching; watching != nil {
		<-watching
	}
}
