package proxy

import (
	"fmt"
	"html"
	"net/http"
	"strconv"
	"time"

	"warcorder/proxy/http1"
)

// refusal is what a client is told when there is no answer of the origin to pass on.
type refusal struct {
	status int
	why    string
}

func (v *verdict) refusal() refusal { return refusal{v.status, v.told} }

// RefusalField is in the head of each answer that is the proxy's own, in place of one that there is
// not: by it who drives a browser tells what is missing.
const RefusalField = "X-Warcorder-Refusal"

// refusalPatience is how long writing a refusal may take.
const refusalPatience = 5 * time.Second

// tell answers a request with a refusal, and reports whether the connection goes on.
func (s *session) tell(req *http1.Request, r refusal, goesOn bool) bool {
	s.in.writeUntil(time.Now().Add(refusalPatience), 0)
	if _, err := s.conn.Write(r.page(req.AcceptsHTML, req.HeadRequested, goesOn)); err != nil {
		return false
	}
	if !goesOn {
		s.linger()
	}
	return goesOn
}

// end answers a connection that has no session, and ends it. What a client still sends, such as a
// handshake, would cost it the answer by a plain close.
func (r refusal) end(c *tapConn, req http1.Request) {
	c.SetDeadline(time.Now().Add(refusalPatience))
	c.Write(r.page(req.AcceptsHTML, req.HeadRequested, false))
	c.CloseWrite()
	c.SetDeadline(time.Now().Add(lingerPatience))
	discard(c)
	c.Close()
}

// page is the whole response.
func (r refusal) page(asHTML, headOnly, keepAlive bool) []byte {
	const own = "This answer is warcorder's own; nothing of it is archived."
	title := strconv.Itoa(r.status) + " " + http.StatusText(r.status)
	kind, text := "text/plain; charset=utf-8", title+"\n\n"+r.why+"\n\n("+own+")\n"
	if asHTML {
		kind = "text/html; charset=utf-8"
		text = "<!DOCTYPE html>\n<title>" + title + "</title>\n<h1>" + title + "</h1>\n" +
			"<p>" + html.EscapeString(r.why) + "</p>\n<p><small>" + own + "</small></p>\n"
	}
	challenge := ""
	if r.status == http.StatusProxyAuthRequired {
		challenge = "Proxy-Authenticate: Basic realm=\"warcorder\", charset=\"UTF-8\"\r\n"
	}
	connection := "close"
	if keepAlive {
		connection = "keep-alive"
	}
	head := fmt.Sprintf(
		"HTTP/1.1 %s\r\n%sContent-Type: %s\r\nContent-Length: %d\r\nCache-Control: no-store\r\n"+
			RefusalField+": %d\r\nConnection: %s\r\n\r\n",
		title, challenge, kind, len(text), r.status, connection)
	if headOnly {
		text = ""
	}
	return []byte(head + text)
}
