package recovery

import (
	"strings"

	"warcorder/recorder/record"
	"warcorder/store/warc"
)

// referral is what a revisit says of its original; the zero referral if that is nothing we wrote.
type referral struct {
	id        record.ID
	uri, date string
}

// referralOf reads what a revisit says of its original. We name none with a URL that is longer than
// those that take part.
func referralOf(h warc.Header) referral {
	id, ok := record.ParseID(h.Get("WARC-Refers-To"))
	uri, date := h.Get("WARC-Refers-To-Target-URI"), h.Get("WARC-Refers-To-Date")
	if !ok || len(uri) > record.MaxOriginalURL || len(date) > len(record.DateFormat) {
		return referral{}
	}
	return referral{id, strings.Clone(uri), strings.Clone(date)}
}

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
