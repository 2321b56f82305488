package proxy

import (
	"strconv"
	"strings"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// change is what of the client's request the origin does not get, for the sake of the archive. What
// a client says to a recorder goes in any case (http1.Request.Forward); what is not recorded passes
// as it is beyond that.
func (e *exchange) change() (c http1.Change) {
	if e.unrecorded {
		return c
	}
	if !e.cfg.Codings.Any {
		c.Codings = &e.cfg.Codings
	}
	c.Condition = e.req.Conditional() && e.forgetsCondition()
	return c
}

// forgetsCondition reports whether If-None-Match and If-Modified-Since are left out: a 304 would
// confirm to the client what is in no archive. They are left out together, since an origin may heed
// either. Of several tags each must be there: the 304 need not say which one it means. With methods
// other than GET and HEAD the fields ask for something else: "If-None-Match: *" keeps a PUT from
// replacing what is there.
func (e *exchange) forgetsCondition() bool {
	method := string(e.req.Method)
	switch {
	case method != "GET" && method != "HEAD", e.cfg.Anticache == "never":
		return false
	case e.cfg.Anticache == "always":
		return true
	}
	return !e.rec.HasConfirmed(e.url, e.client.head)
}

// noteCoding notes a response in a coding that the origin was not asked for, and that no reader of
// archives may know. It is recorded as it came, so that of a completion it is no failure.
func (e *exchange) noteCoding(res *http1.Response) {
	if res.Encoding == nil || res.Framing == http1.NoBody || e.unrecorded {
		return
	}
	if other := e.cfg.Codings.Other(res.Encoding); other != nil {
		e.rec.GapOf(recorder.GapCoding, e.url, "coding others cannot read: "+codingText(other),
			e.client.head)
		e.client.codings.add(e.url)
	}
}

// maxCodingText is how much of a coding's name is told.
const maxCodingText = 40

// codingText is a coding as people are told of it: an origin may write anything.
func codingText(name []byte) string {
	text := strings.ToLower(string(name[:min(len(name), maxCodingText)]))
	if quoted := strconv.QuoteToASCII(text); quoted != `"`+text+`"` {
		return quoted
	}
	return text
}

// tellCodings reports n responses in codings that others cannot read; url is that of one of them.
func (r *relay) tellCodings(url string, n int64) {
	r.log.Warn().Str("url", recorder.Logged(url)).Int64("responses", n).
		Msg("answered in a coding that others cannot read, though not asked to: the gap list has which")
}
