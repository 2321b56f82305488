package pages

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"warcorder/store"
)

// TestMark: a walk that went on from a mark and back says of all that follows what one says that never
// did, wherever the marks are.
func TestMark(t *testing.T) {
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 7))
		urls := []uint64{5, 300, 1 << 20}[seed%3]
		var moments []store.Moment
		now := testTime
		for i := range 3000 {
			now = now.Add(time.Duration(random.IntN(2000)) * time.Millisecond)
			if random.IntN(700) == 0 {
				now = now.Add(2 * time.Hour)
			}
			m := store.Moment{URL: store.URLHash(random.Uint64N(urls)<<32 | random.Uint64N(3))}
			m.Traits, m.Dest = store.Traits(random.Uint32()&random.Uint32()), store.Dest(random.IntN(8))
			m.Site, m.Referer = store.Site(random.IntN(8)), store.URLHash(random.Uint64N(urls)<<32|1)
			m.Next = store.URLHash(random.Uint64N(3) * random.Uint64N(2))
			m.Time, m.Offset = now, int64(i)
			moments = append(moments, m)
		}
		straight, marked := listening(), listening()
		for i := range moments {
			straight.add(&moments[i], nil)
		}
		straight.end()
		for i := 0; i < len(moments); {
			tail := moments[i:min(len(moments), i+random.IntN(200))]
			said := slices.Clone(*marked.said)
			m := marked.mark()
			for j := range tail {
				marked.add(&tail[j], nil)
			}
			marked.end()
			marked.back(m)
			*marked.said = said
			for range random.IntN(100) + 1 {
				if i < len(moments) {
					marked.add(&moments[i], nil)
					i++
				}
			}
		}
		marked.end()
		if !slices.Equal(*straight.said, *marked.said) {
			t.Fatalf("seed %d: %d against %d", seed, len(*straight.said), len(*marked.said))
		}
	}
}

// heard is a walk with what it has said.
type heard struct {
	*walk
	said *[]string
}

func listening() heard {
	h := heard{newWalk(), new([]string)}
	h.belongs = func(m *store.Moment, to *visited) {
		page := int64(-1)
		if to != nil {
			page = to.moment.Offset
		}
		*h.said = append(*h.said, fmt.Sprint(m.Offset, " of ", page))
	}
	h.ended = func(v *visited) {
		*h.said = append(*h.said, fmt.Sprint(v.moment.Offset, " ends with ", v.resources))
	}
	return h
}

// TestTableBack: a table that is full goes back to what it was, whatever was put into it since.
func TestTableBack(t *testing.T) {
	page := new(visited)
	random := rand.New(rand.NewPCG(1, 2))
	var a, b table[uint32]
	put := func(key uint32) known { return known{page: page, at: testTime.Add(time.Duration(key))} }
	for i := range 3 * maxURLs {
		key := uint32(random.IntN(2 * maxURLs))
		a.put(key, put(key))
		b.put(key, put(key))
		if i%10_000 == 0 {
			b.undo = new([]undone[uint32])
			was := b
			for range 1000 {
				key := uint32(random.IntN(4 * maxURLs))
				b.put(key, known{page: page})
			}
			b = was.back()
		}
	}
	if !slices.Equal(a.ring, b.ring) || a.next != b.next || len(a.known) != len(b.known) {
		t.Fatal("the rings differ")
	}
	for key, r := range a.known {
		if b.known[key] != r {
			t.Fatal(key, r, b.known[key])
		}
	}
}
