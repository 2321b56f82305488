package recovery

import (
	"errors"

	"warcorder/recorder/record"
)

// tail is what the exchanges in a part of a file refer to, and what may be referred to. A nil tail
// takes nothing down. One that is full does not know what is missing: then no revisit counts as one
// whose original is lost.
type tail struct {
	responses map[record.ID]bool     // those that are kept
	revisits  map[record.ID]referral // those that are kept
	orphans   map[record.ID]bool     // revisits that must not be kept
	size      int64                  // of what is taken down, about
	full      bool
}

// maxTail is how many bytes a tail takes down: more than a file has that is as large as ours are at
// most as a rule.
const maxTail = 96 << 20

// About what one record takes in a map.
const (
	sizeOfResponse = 48
	sizeOfRevisit  = 128
)

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

func (t *tail) isOrphan(r *foundResponse) bool {
	return t != nil && r.revisit && r.isOurs && t.orphans[r.recordID]
}

// errOriginalLost is the damage where a whole revisit refers to a response that is not whole: after
// a power failure what was written first may be what is missing.
var errOriginalLost = errors.New("a revisit of a response that is lost")
