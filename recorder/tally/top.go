package tally

import (
	"cmp"
	"slices"
	"strings"
)

// top counts names of which there may be any number, the most frequent ones apart: the algorithm
// Space-Saving (Metwally, Agrawal, El Abbadi: Efficient Computation of Frequent and Top-k Elements
// in Data Streams, 2005). A name that is not known takes the place of the one that was counted least,
// and its rank, which is how often it may have come before. So a name that comes more often than one
// time in as many as there are places has one.
//
// What is told of a name is what came since it has its place: less than all at times, and never
// more. The rest is with the others.
type top struct {
	all    Total            // that was counted
	at     map[string]int32 // of names, in places
	places []place
	heap   []int32 // of places: a free one is in front, or that of the lowest rank
	most   int
}

// place is a name, with its rank.
type place struct {
	Total
	rank int64
	at   int  // in the heap
	free bool // nothing has it, since its name was forgotten
}

func newTop(most int) top { return top{at: make(map[string]int32, most), most: most} }

// count counts a name. It takes as many steps as the heap is high at most.
func (t *top) count(name string, bytes int64) {
	t.all.Captures++
	t.all.Bytes += bytes
	at, known := t.at[name]
	if !known {
		at = t.makePlace(strings.Clone(name)) // else a name would hold on to a long URL
	}
	p := &t.places[at]
	p.rank++
	p.Captures++
	p.Bytes += bytes
	t.down(p.at)
}

// makePlace gives a name a place, of which nothing is counted.
func (t *top) makePlace(name string) (at int32) {
	if len(t.places) < t.most {
		at = int32(len(t.places))
		t.places = append(t.places, place{Total: Total{Name: name}, at: int(at)})
		t.heap = append(t.heap, at)
		t.up(int(at))
	} else {
		at = t.heap[0]
		if p := &t.places[at]; !p.free {
			delete(t.at, p.Name)
		}
		t.places[at].Total, t.places[at].free = Total{Name: name}, false
	}
	t.at[name] = at
	return at
}

// forget lets go of a name: what was counted of it is with the others from then on. While a
// place is free no name is evicted. Who takes it has come no more often than the least of those that
// were known when it became free.
func (t *top) forget(name string) {
	at, known := t.at[name]
	if !known {
		return
	}
	delete(t.at, name)
	p := &t.places[at]
	p.Total, p.rank = Total{}, t.rank(0)
	p.free = true
	t.up(p.at)
}

func (t *top) rank(at int) int64 { return t.places[t.heap[at]].rank }

// before reports whether what is at one place of the heap goes before what is at another: it is free, or
// of a lower rank.
func (t *top) before(at, other int) bool {
	p, q := &t.places[t.heap[at]], &t.places[t.heap[other]]
	if p.free != q.free {
		return p.free
	}
	return p.rank < q.rank
}

// up moves what is at a place of the heap before those that it goes before.
func (t *top) up(at int) {
	for above := (at - 1) / 2; at > 0 && t.before(at, above); above = (at - 1) / 2 {
		t.swap(at, above)
		at = above
	}
}

// down moves what is at a place of the heap behind those that go before it.
func (t *top) down(at int) {
	for {
		first := at
		for _, below := range [2]int{2*at + 1, 2*at + 2} {
			if below < len(t.heap) && t.before(below, first) {
				first = below
			}
		}
		if first == at {
			return
		}
		t.swap(at, first)
		at = first
	}
}

func (t *top) swap(a, b int) {
	t.heap[a], t.heap[b] = t.heap[b], t.heap[a]
	t.places[t.heap[a]].at, t.places[t.heap[b]].at = a, b
}

// totals are what was counted by a moment.
type totals struct {
	all   Total
	names []Total
}

func (t *top) copy() totals {
	names := make([]Total, 0, len(t.places))
	for i := range t.places {
		if !t.places[i].free {
			names = append(names, t.places[i].Total)
		}
	}
	return totals{t.all, names}
}

// list returns the names with most captures, at most limit unless that is 0, and what others have.
func (t totals) list(limit int) (most []Total, others Total) {
	slices.SortFunc(t.names, func(a, b Total) int {
		return cmp.Or(cmp.Compare(b.Captures, a.Captures), strings.Compare(a.Name, b.Name))
	})
	if limit > 0 && len(t.names) > limit {
		t.names = t.names[:limit]
	}
	others = t.all
	for _, one := range t.names {
		others.Captures -= one.Captures
		others.Bytes -= one.Bytes
	}
	return t.names, others
}
