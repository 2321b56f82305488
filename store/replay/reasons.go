package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"warcorder/store"
	"warcorder/store/objects"
	"warcorder/store/readback"
	"warcorder/store/warc"
)

// Why there is no answer, or why a capture is none.
const (
	whyNotCaptured = "not captured"
	whyOtherBody   = "other body"               // the same URL and method were captured, with another body
	whyBeyond      = "too many to look through" // that a rule, or parts of a body, may mean
	whyPart        = "only a part"
	whyCut         = "cut short"
	whyNotModified = "only 304s"
	whyItself      = "redirect to itself"
	whyRound       = "redirects in a circle"
	whyFrames      = "frames of a WebSocket are not recorded"
	whyMissing     = "file is missing"
	whyNoOriginal  = "original is missing"
	whyOutside     = "original is in another archive"
	whyNoMessage   = "no HTTP message"
	whyDamaged     = "damaged"
	whyUnread      = "cannot be read"
	whyStorage     = "storage cannot be reached" // where the file is; it may be there the next moment
)

// IsFault reports whether something was captured and cannot be read: the archive is not as it should
// be.
func (m *Miss) IsFault() bool {
	switch m.Why {
	case whyMissing, whyNoOriginal, whyOutside, whyDamaged, whyUnread, whyStorage:
		return true
	}
	return false
}

// IsRecordable reports whether the archive could answer, had it been recorded, or recorded otherwise.
func (m *Miss) IsRecordable() bool {
	switch m.Why {
	case whyNotCaptured, whyOtherBody, whyPart, whyCut, whyNotModified:
		return true
	}
	return false
}

// missing is the error that says why there is no answer.
type missing struct {
	why     string
	nearest *store.Capture // that was not taken; nil if there is none
}

func (m *missing) Error() string { return fmt.Sprintf("not in the archive: %s", m.why) }

// Is lets errors.Is take it for fs.ErrNotExist.
func (m *missing) Is(target error) bool { return target == fs.ErrNotExist }

// whyOf returns why a capture cannot be read.
func (a *Archive) whyOf(c *store.Capture, err error) string {
	var damage *warc.Damage
	var outside *readback.Outside
	switch {
	case errors.As(err, &outside):
		return whyOutside
	case errors.Is(err, readback.ErrMissing):
		if own, err := a.files.Record(c.Location); err == nil { // it is a revisit
			own.Close()
			return whyNoOriginal
		}
		return whyMissing
	case errors.Is(err, readback.ErrNoOriginal):
		return whyNoOriginal
	case errors.Is(err, readback.ErrNoMessage):
		return whyNoMessage
	case errors.As(err, &damage):
		return whyDamaged
	case errors.Is(err, objects.ErrUnreachable), errors.Is(err, objects.ErrRefused):
		return whyStorage
	}
	return whyUnread
}

// whyNotAll returns why a capture that isPart answers nothing.
func whyNotAll(c *store.Capture) string {
	if c != nil && c.Status != http.StatusPartialContent {
		return whyCut
	}
	return whyPart
}

// whyNone returns why a capture that isNone answers nothing.
func whyNone(c *store.Capture) string {
	if c.Status == http.StatusSwitchingProtocols {
		return whyFrames
	}
	return whyNotModified
}
