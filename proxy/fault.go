package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"

	"warcorder/proxy/http1"
)

// fault is what a client is told when there is no answer of the origin to pass on.
type fault struct {
	status int
	why    string
}

const tooLongRequest = "The request's body is larger than max-body-size."

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

// originFault turns what kept the origin's answer away into a status and a sentence.
func originFault(err error, to origin) fault {
	place := net.JoinHostPort(to.host, to.port)
	var head *http1.Error
	var dial *dialError
	var certificate *tls.CertificateVerificationError
	var dns *net.DNSError
	switch {
	case errors.Is(err, errSelf):
		return fault{
			508,
			"The address " + place + " is this proxy itself. Give the browser a target other than the proxy.",
		}
	case errors.As(err, &head):
		return fault{
			502,
			"The answer of " + place + " is ambiguous and was not passed on: " + head.Reason + ".",
		}
	case errors.Is(err, errHeadTooLarge):
		return fault{502, "The head of the answer of " + place + " is larger than max-header-size."}
	case errors.Is(err, errEndlessInterim):
		return fault{502, place + " sent " + err.Error() + " and no answer."}
	case errors.Is(err, errCrowdedHeads):
		return fault{
			503,
			"The head of the answer of " + place + " is large, and " + err.Error() + ". Try again.",
		}
	case errors.As(err, &certificate):
		return fault{502, "The certificate of " + place + " is not valid: " + certificate.Err.Error() +
			". To record it anyway, start with --insecure-upstream=" + to.name + "."}
	case isTimeout(err):
		return fault{504, place + " did not answer in time (" + waitingFor(err) + ")."}
	case errors.As(err, &dns):
		return fault{502, "The name " + to.host + " could not be resolved: " + dns.Err + "."}
	case errors.Is(err, syscall.ECONNREFUSED):
		return fault{502, place + " refused the connection."}
	case errors.As(err, &dial) && dial.step == "tls":
		return fault{502, "The TLS handshake with " + place + " failed: " + dial.err.Error() + "."}
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return fault{502, place + " reset the connection."}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fault{502, place + " closed the connection before its answer was complete."}
	}
	return fault{502, "No answer from " + place + ": " + err.Error() + "."}
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &n) && n.Timeout()
}

func waitingFor(err error) string {
	var dial *dialError
	if errors.As(err, &dial) {
		return "timeout-" + dial.step
	}
	return "timeout-first-byte or timeout-total"
}
