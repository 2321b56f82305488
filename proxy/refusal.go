package proxy

import (
	"fmt"
	"html"
	"net/http"
	"strconv"
	"time"

	"warcorder/proxy/http1"
)

// refusal says why a request that is understood is not passed on. The zero fault: it is.
func (e *exchange) refusal() fault {
	if err := e.s.p.rec.Ready(); err != nil && !e.unrecorded {
		return fault{
			503,
			"warcorder is not recording at the moment: " + err.Error() + ". Nothing passes unrecorded; " +
				"try again when the operator has seen to it.",
		}
	}
	if most := e.s.p.cfg.MaxBodySize; most > 0 && e.req.Framing == http1.Sized && e.req.Length > most {
		return fault{413, tooLongRequest}
	}
	return fault{}
}

// answerFault tells the client why there is no answer, and reports whether the connection goes on.
func (s *session) answerFault(req *http1.Request, f fault, goesOn bool) bool {
	s.in.writeUntil(time.Now().Add(faultPatience), 0)
	if _, err := s.conn.Write(f.page(req.AcceptsHTML, req.HeadRequested, goesOn)); err != nil {
		return false
	}
	if !goesOn {
		s.linger()
	}
	return goesOn
}

// fault is what a client is told when there is no answer of the origin to pass on.
type fault struct {
	status int
	why    string
}

// page is the whole response.
func (f fault) page(asHTML, headOnly, keepAlive bool) []byte {
	title := strconv.Itoa(f.status) + " " + http.StatusText(f.status)
	kind, text := "text/plain; charset=utf-8", title+"\n\n"+f.why+"\n\n(This answer is warcorder's "+
		"own; nothing of it is archived.)\n"
	if asHTML {
		kind = "text/html; charset=utf-8"
		text = "<!DOCTYPE html>\n<title>" + title + "</title>\n<h1>" + title + "</h1>\n<p>" + html.EscapeString(
			f.why) +
			"</p>\n<p><small>This answer is warcorder's own; nothing of it is archived.</small></p>\n"
	}
	connection := "close"
	if keepAlive {
		connection = "keep-alive"
	}
	head := fmt.Sprintf(
		"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nCache-Control: no-store\r\n"+
			"Connection: %s\r\n\r\n",
		title, kind, len(text), connection)
	if headOnly {
		text = ""
	}
	return []byte(head + text)
}
