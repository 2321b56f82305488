package proxy

import "warcorder/recorder"

// gapUnrecorded is the reason in the gap list for exchanges of no-record hosts. They are counted and not listed: that they
// are missing is the operator's wish, what they were may be just what is to be in no list, and there may be thousands a second.
const gapUnrecorded = "unrecorded"

// keep records a piece of a message, which may be passed on if that succeeds.
func (e *exchange) keep(side *recorder.Buffer, piece []byte) error {
	if e.unrecorded {
		return nil
	}
	if _, err := side.Write(piece); err != nil {
		return &recordError{err}
	}
	return nil
}

// commit ends the record.
func (e *exchange) commit() {
	if e.unrecorded {
		e.x.Discard()
		e.s.p.rec.GapsMore(gapUnrecorded, 1)
		return
	}
	e.x.Commit()
}

// gap notes that the exchange is not in the archive, or not all of it.
func (e *exchange) gap(reason, detail string) {
	if !e.unrecorded {
		e.s.p.rec.Gap(reason, e.x.URL, detail)
	}
}
