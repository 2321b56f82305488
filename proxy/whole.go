package proxy

import (
	"sync"
	"sync/atomic"
	"time"

	"warcorder/proxy/http1"
)

// whole is what an exchange knows of the whole that its answer is, or is a part of.
//
//	the head of the answer    weigh: does complete want all of this?
//	the client goes away      goesOn: a 200 that it wants is fetched to its end, without the client
//	it ends, or is cut        askWhole: what is not there whole then is noted in completions
//
// An exchange that completions begin has no client from its start.
type whole struct {
	completion *completion            // whose answer this is; nil: a client's
	entity     atomic.Pointer[entity] // what is wanted whole; nil if the answer has nothing of it

	parting sync.Once // the client's
	alone   bool      // since then: the fetch goes on
	place   bool      // since then: it has a place in completions
	until   string    // the setting that exchange.until comes of, if that is not timeout-total
}

// weigh looks at the head of a 206, or of a 200 that is not here whole, and notes what complete
// wants of it. Of the answer to a completion it bounds the body, and an error ends one that says
// itself that it is too large.
func (e *exchange) weigh(res *http1.Response, head []byte, b *http1.Body) error {
	if c := e.whole.completion; c != nil {
		e.bound(b)
		if res.Framing == http1.Sized && res.Length > e.cfg.Complete.Max {
			return errNeverWhole
		}
		return nil
	}
	if e.cfg.Complete.What == completeNever || e.unrecorded || !isPlainGet(e.req) {
		return nil
	}
	ent := entityOf(res, head)
	if !e.cfg.Complete.wants(&ent) || ent.noStore && e.cfg.Complete.What != completeAlways &&
		isAuthenticated(e.client.fwd) {
		return nil
	}
	ent.bound = e.req.Bound || res.Bound || e.up.bound
	e.whole.entity.Store(ent.clone())
	if !ent.isBrief() {
		e.client.completions.begin(e.url, ent.part)
	}
	return nil
}

// isPlainGet reports a request that may be made again, and whose answer is what its URL has.
func isPlainGet(req *http1.Request) bool {
	return string(req.Method) == "GET" && req.Framing == http1.NoBody && !req.Upgrade
}

// goesOn reports whether the fetch goes on for the archive although its client has gone. That is
// decided once, when the client is first seen to have gone: before the head of the answer has come,
// nobody knows what it would be. on-client-abort rules what complete leaves out. What the
// collection has whole already need not come again.
func (e *exchange) goesOn() bool {
	w := &e.whole
	w.parting.Do(func() {
		ent := w.entity.Load()
		switch {
		case w.completion != nil:
			w.alone = true
		case ent == nil || ent.part:
			w.alone = e.cfg.OnClientAbort == "finish" && !e.unrecorded
		case isHeld(e.rec, e.url, string(ent.etag), string(ent.lastModified)):
		default:
			w.place = e.client.completions.takePlace()
			if w.alone = w.place; w.alone { // the connection makes room for another client
				e.client.end(ent.untilClose)
			}
		}
	})
	return w.alone
}

// boundAlone bounds a fetch that goes on without its client, because complete wants the whole.
func (e *exchange) boundAlone(b *http1.Body) {
	if e.goesOn() && e.whole.place {
		e.bound(b)
		e.endBy(time.Now().Add(e.cfg.Complete.Timeout))
	}
}

// bound limits a body to what the archive may ask for by itself.
func (e *exchange) bound(b *http1.Body) {
	if b.Most == 0 || b.Most > e.cfg.Complete.Max {
		b.Most = e.cfg.Complete.Max
	}
}

// tooLong names the setting that ended a body for its length.
func (e *exchange) tooLong(b *http1.Body, err error) error {
	if err == http1.ErrBodyTooLong && b.Most != e.cfg.MaxBodySize {
		return errNeverWhole
	}
	return err
}

// endBy ends the exchange at a moment that complete-timeout sets, unless it ends before.
func (e *exchange) endBy(at time.Time) {
	if e.until.IsZero() || at.Before(e.until) {
		e.until, e.whole.until = at, "complete-timeout"
	}
}

// came notes that the answer has come to its end.
func (e *exchange) came(res *http1.Response) {
	if c := e.whole.completion; c != nil {
		c.came(res.Status)
	}
	if ent := e.whole.entity.Load(); ent != nil {
		ent.came = true
		if ent.part && !ent.all {
			e.askWhole(afterPart, "")
		}
	}
}

// mayEndBetter reports that an answer which broke off for err may be had whole: neither a limit of
// ours ended it, nor what the answer is.
func (e *exchange) mayEndBetter(err error, v verdict) bool {
	return !v.inAnswer && !isUnkept(err) && !e.overtime(err) && e.stop.Err() == nil
}

// askWhole notes that the whole is to be asked for, and reports whether it will be: what becomes of
// it then says whether there is a gap.
func (e *exchange) askWhole(after, fault string) bool {
	ent := e.whole.entity.Load()
	return ent != nil && !ent.bound && e.client.completions.note(e, ent, after, fault)
}

// depart is the last step of an exchange: nothing can come of it any more, and no goroutine works
// for it.
func (e *exchange) depart() {
	e.client.upstream.Store(nil)
	if e.whole.place {
		e.client.completions.givePlace()
	}
	if ent := e.whole.entity.Load(); ent != nil && !ent.isBrief() {
		e.client.completions.end(e.url, ent)
	}
}
