package v09

import "strings"

// past is what later records may need to know of a record.
type past struct{ date, payload string }

// window remembers the latest records.
type window struct {
	of    map[string]past // by WARC-Record-ID
	order []string        // the IDs, a ring
	at    int             // of the oldest ID in order
}

const (
	windowSize = 1 << 16
	windowID   = 1 << 10 // the most bytes of an ID or a digest that is remembered
)

// add remembers a record with its creation-date. Of two records with the same ID the first one
// counts.
func (w *window) add(id, date string) {
	if len(id) > windowID {
		return
	}
	if w.of == nil {
		w.of, w.order = make(map[string]past), make([]string, windowSize)
	}
	if _, ok := w.of[id]; ok {
		return
	}
	delete(w.of, w.order[w.at])
	id = strings.Clone(id) // the ID would keep its whole header in memory, and so would the date
	w.order[w.at], w.of[id] = id, past{date: strings.Clone(date)}
	w.at = (w.at + 1) % windowSize
}

// addPayload remembers the payload digest of a record, which is known later than its ID.
func (w *window) addPayload(id, digest string) {
	if p, ok := w.of[id]; ok && p.payload == "" && len(digest) <= windowID {
		p.payload = strings.Clone(digest)
		w.of[id] = p
	}
}

func (w *window) get(id string) (past, bool) {
	p, ok := w.of[id]
	return p, ok
}
