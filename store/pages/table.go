package pages

import "slices"

// table is a map of the newest maxURLs keys. The zero value is ready.
type table[K comparable] struct {
	known map[K]remembered
	ring  []K
	next  int // in ring

	undo *[]undone[K] // what was put since a mark (mark.go); nil: nobody goes back
}

// undone is what a put has replaced.
type undone[K comparable] struct {
	key, evicted K
	old, gone    remembered
	had, evicts  bool
}

// remembered is what a key leads to, with its place in the ring.
type remembered struct {
	known
	at int
}

// get returns what a key leads to; nil if that is not known, or its page is not open any more.
func (t *table[K]) get(key K) *known {
	r, found := t.known[key]
	if !found || r.page.closed {
		return nil
	}
	return &r.known
}

// put lets a key lead to k.
func (t *table[K]) put(key K, k known) {
	if t.known == nil {
		t.known = make(map[K]remembered)
	}
	if r, found := t.known[key]; found {
		t.note(undone[K]{key: key, old: r, had: true})
		t.known[key] = remembered{k, r.at}
		return
	}
	if len(t.ring) < maxURLs {
		t.note(undone[K]{key: key})
		t.ring = append(t.ring, key)
		t.known[key] = remembered{k, len(t.ring) - 1}
		return
	}
	evicted := t.ring[t.next]
	t.note(undone[K]{key: key, evicted: evicted, gone: t.known[evicted], evicts: true})
	delete(t.known, evicted)
	t.ring[t.next] = key
	t.known[key] = remembered{k, t.next}
	t.next = (t.next + 1) % maxURLs
}

func (t *table[K]) note(u undone[K]) {
	if t.undo != nil {
		*t.undo = append(*t.undo, u)
	}
}

// back is the table as it was when undo was set; t is a copy of it from then.
func (t table[K]) back() table[K] {
	for _, u := range slices.Backward(*t.undo) {
		if t.known == nil {
			break // all that was put went into a map of later
		}
		if delete(t.known, u.key); u.had {
			t.known[u.key] = u.old
		}
		if u.evicts {
			t.known[u.evicted] = u.gone
			t.ring[u.gone.at] = u.evicted
		}
	}
	t.undo = nil
	return t
}
