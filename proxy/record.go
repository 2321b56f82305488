package proxy

import (
	"io"

	"warcorder/recorder"
)

// keep records a piece of a message, which may be passed on if that succeeds.
func (e *exchange) keep(side io.Writer, piece []byte) error {
	if e.unrecorded {
		return nil
	}
	if _, err := side.Write(piece); err != nil {
		return &unkeptError{err}
	}
	return nil
}

// flush makes sure that what the client is about to have whole outlives the process.
func (e *exchange) flush() error {
	if e.unrecorded {
		return nil
	}
	if err := e.x.Flush(); err != nil {
		return &unkeptError{err}
	}
	return nil
}

// commit ends the record. An unrecorded exchange is counted and not listed: that it is missing is
// the operator's wish, what it was may be just what is to be in no list, and there may be thousands
// a second.
func (e *exchange) commit() {
	if e.unrecorded {
		e.discard()
		e.client.passed.count(e.inPause)
		e.rec.GapsMore(recorder.GapUnrecorded, 1)
		return
	}
	x := e.x
	e.x = nil // from here on it is another's
	x.Commit()
}

// discard ends an exchange of which there is to be no record.
func (e *exchange) discard() {
	x := e.x
	e.x = nil
	x.Discard()
}

// gap notes that the exchange is not in the archive, or not all of it. Of a completion there is one
// gap in the end, for what it was to make whole.
func (e *exchange) gap(reason, detail string) {
	switch {
	case e.unrecorded:
	case e.whole.completion != nil:
		e.whole.completion.fail(detail)
	default:
		e.rec.GapOf(reason, e.url, detail, e.client.head)
	}
}
