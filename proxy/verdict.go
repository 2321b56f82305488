package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

const tooLongRequest = "The request's body is larger than max-body-size."

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

// recordError is an exchange that could not be kept: it must not pass.
type recordError struct{ err error }

func (e *recordError) Error() string { return "record: " + e.err.Error() }

func (e *recordError) Unwrap() error { return e.err }

var (
	errClientGone     = errors.New("the client went away")
	errEndlessInterim = errors.New("more than 1000 interim responses")
)

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
