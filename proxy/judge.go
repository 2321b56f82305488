package proxy

import (
	"cmp"

	"warcorder/recorder"
)

// judge returns the verdict on the error that ended the exchange. The upload is settled.
//
// Two sides may have failed. What the relay has found wrong with the answer itself stands. In all
// else an upload that failed is the cause: it ends the connection that the answer was to come on
// (upload.settle), so that what the reading side saw only follows from it.
func (e *exchange) judge(err error) verdict {
	sent := e.uploadError()
	switch {
	case isUnkept(err):
		return ours.on(err, e.to)
	case isUnkept(sent):
		return ours.on(sent, e.to)
	case e.stop.Err() != nil:
		return ours.on(errStopping, e.to)
	case e.abandoned():
		return ours.on(errClientGone, e.to)
	}
	v := answers.on(e.timed(e.up.explained(err)), e.to)
	switch {
	case sent == nil || v.inAnswer:
		return v
	case e.upload.side == clientSide:
		return uploads.on(e.timed(sent), e.to)
	}
	return answers.on(e.timed(e.up.explained(sent)), e.to)
}

// judgeUnanswered is judge for an exchange whose client gets a refusal. Where the relay has refused
// the request's body and the answer, the client is told of its body, which it can mend, and the log
// has the lines of both.
func (e *exchange) judgeUnanswered(err error) verdict {
	v := e.judge(err)
	if sent := e.uploadError(); sent != nil && v.inAnswer {
		if body := uploads.on(sent, e.to); body.gap == recorder.GapRefused {
			return body
		}
	}
	return v
}

// judgeRequest returns the verdict on a request that is not passed on.
func (e *exchange) judgeRequest(err error) verdict {
	if v := ours.on(err, e.to); v.status > 0 {
		return v
	}
	return uploads.on(err, e.to)
}

// uploadError returns what ended the upload, unless we did or it went out whole.
func (e *exchange) uploadError() error {
	if e.upload == nil || e.upload.err == errStopped {
		return nil
	}
	return e.upload.err
}

// timed marks an error that is the doing of timeout-total, or of complete-timeout.
func (e *exchange) timed(err error) error {
	if e.overtime(err) {
		return &overtimeError{err, cmp.Or(e.whole.until, "timeout-total")}
	}
	return err
}
