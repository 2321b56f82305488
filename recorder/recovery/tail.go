package recovery

import (
	"errors"

	"warcorder/recorder/record"
)

// tail is what the revisits in a part of a file refer to, and which responses that part has. It
// finds the revisits that a cut would leave without their original. A nil tail takes nothing down.
// A full tail does not know all responses: then no revisit counts as one whose original is lost.
type tail struct {
	responses map[record.ID]bool     // responses of whole exchanges
	revisits  map[record.ID]referral // revisits of whole exchanges
	orphans   map[record.ID]bool     // revisits that must not be kept
	size      int64                  // about how many bytes the maps take
	full      bool
}

// maxTail is how many bytes a tail takes in memory: more than a file of the usual size needs.
const maxTail = 96 << 20

// About what one record takes in a map.
const (
	sizeOfResponse = 48
	sizeOfRevisit  = 128
)

// note takes a response or revisit of a whole exchange down.
func (t *tail) note(r *foundResponse) {
	if t == nil || !r.isOurs {
		return
	}
	if t.full = t.full || t.size > maxTail; t.full {
		return
	}
	switch {
	case !r.revisit:
		t.responses[r.recordID] = true
		t.size += sizeOfResponse
	case r.refers != referral{}:
		t.revisits[r.recordID] = r.refers
		t.size += sizeOfRevisit + int64(len(r.refers.uri)+len(r.refers.date))
	}
}

// isOrphan reports whether a response is a revisit that must not be kept.
func (t *tail) isOrphan(r *foundResponse) bool {
	return t != nil && r.revisit && r.isOurs && t.orphans[r.recordID]
}

// errOriginalLost is the damage where a whole revisit refers to a response that is not whole: after
// a power failure what was written first may be what is missing.
var errOriginalLost = errors.New("a revisit of a response that is lost")
