// Package proxy stands between clients and origins: it accepts connections, intercepts TLS, relays
// HTTP/1.1 in both directions and hands each exchange to package recorder.
//
// The front door is net/http with goproxy: CONNECT requests and what is meant for the proxy itself.
// The data path is the relay (relay.go, exchange.go, upload.go), which reads of a message only what
// finds its end (message.go, body.go: pure, no I/O), because net/http loses header order and case,
// chunk framing and 1xx responses.
//
// Invariant: what the origin sent reaches the client and the record byte for byte, and what the
// client sent reaches the origin and the record byte for byte, but for the request target's form
// and Proxy-* fields. A message that two readers could end in different places does not pass.
// Nothing passes that is not recorded, but for what follows a 101 and for the hosts that
// Config.NoRecord names; both leave a gap in the archive that is counted.
package proxy

import (
	"errors"
	"fmt"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// maxLineLogged is how much of a framing line the log shows: who sends it may send one of
// max-header-size with each message.
const maxLineLogged = 200

// logHead logs a refused message, with the framing lines that contradict each other and no other
// line.
func (p *Proxy) logHead(message, url string, err error) {
	event := p.log.Warn().Err(err)
	if url != "" {
		event = event.Str("url", recorder.Logged(url))
	}
	var head *http1.Error
	if errors.As(err, &head) {
		lines := make([]string, len(head.Lines))
		for i, line := range head.Lines {
			lines[i] = fmt.Sprintf("%+q", line[:min(len(line), maxLineLogged)])
		}
		event = event.Strs("lines", lines)
	}
	event.Msg(message)
}

func (p *Proxy) logFault(message, url string, err error) {
	p.log.Warn().Str("url", recorder.Logged(url)).Err(err).Msg(message)
}
