package pages

// table is a map of the newest maxURLs keys. The zero value is ready.
type table[K comparable] struct {
	known map[K]remembered
	ring  []K
	next  int // in ring
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
		t.known[key] = remembered{k, r.at}
		return
	}
	if len(t.ring) < maxURLs {
		t.ring = append(t.ring, key)
		t.known[key] = remembered{k, len(t.ring) - 1}
		return
	}
	delete(t.known, t.ring[t.next])
	t.ring[t.next] = key
	t.known[key] = remembered{k, t.next}
	t.next = (t.next + 1) % maxURLs
}
