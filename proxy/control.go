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
	return c
}

// noteCoding notes a response in a coding that the origin was not asked for, and that no reader of
// archives may know. It is recorded as it came.
func (e *exchange) noteCoding(res *http1.Response) {
	if res.Encoding == nil || res.Framing == http1.NoBody || e.unrecorded {
		return
	}
	if other := e.cfg.Codings.Other(res.Encoding); other != nil {
		e.gap(recorder.GapCoding, "coding others cannot read: "+codingText(other))
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
