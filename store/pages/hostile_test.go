package pages

import (
	"math/rand/v2"
	"testing"
	"time"

	"warcorder/store"
)

// TestHostileTimelines: whatever a timeline holds, each capture belongs to at most one page and comes
// once, what is remembered has its bounds, and the work is in proportion to the captures.
func TestHostileTimelines(t *testing.T) {
	const n = 300_000
	page := store.Visit{Dest: store.DestDocument, Traits: store.Told | store.Navigates}
	redirects := func(to store.URLHash) store.Visit {
		return store.Visit{Dest: page.Dest, Traits: page.Traits, Next: to}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for name, momentAt := range map[string]func(i int) store.Moment{
		"one Referer": func(i int) store.Moment {
			if i == 0 {
				return store.Moment{URL: 1, Visit: page}
			}
			return store.Moment{URL: store.URLHash(i), Visit: store.Visit{Referer: 1, Dest: store.DestScript}}
		},
		"nothing but pages": func(i int) store.Moment {
			return store.Moment{URL: store.URLHash(i)<<32 | 1, Visit: page}
		},
		"each refers to the next": func(i int) store.Moment {
			return store.Moment{URL: store.URLHash(i + 1), Visit: store.Visit{Referer: store.URLHash(i + 2),
				Dest: store.DestStyle}}
		},
		"Referers in circles": func(i int) store.Moment {
			m := store.Moment{URL: store.URLHash(i%7 + 1), Visit: store.Visit{
				Referer: store.URLHash((i+1)%7 + 1), Dest: store.DestStyle}}
			if i == n/2 {
				m.Visit = page
			}
			return m
		},
		"redirects in a circle": func(i int) store.Moment {
			return store.Moment{URL: store.URLHash(i%300 + 1), Visit: redirects(store.URLHash((i+1)%300 + 1))}
		},
		"redirects to one page": func(i int) store.Moment {
			if i%1000 == 999 {
				return store.Moment{URL: 7, Visit: page}
			}
			return store.Moment{URL: store.URLHash(i + 100), Visit: redirects(7)}
		},
		"nothing but prefetches": func(i int) store.Moment {
			return store.Moment{URL: store.URLHash(i + 1), Visit: store.Visit{Referer: store.URLHash(i),
				Traits: store.Ahead | store.HTML | store.OK}}
		},
		"prefetches that are shown": func(i int) store.Moment {
			if i%3 == 2 {
				return store.Moment{URL: 1, Visit: store.Visit{Referer: store.URLHash(i), Dest: store.DestLeaf}}
			}
			return store.Moment{URL: store.URLHash(i + 1), Visit: store.Visit{Referer: store.URLHash(i),
				Traits: store.Ahead | store.HTML | store.OK}}
		},
		"a prefetch that is shown after many pages": func(i int) store.Moment {
			switch i % 5000 {
			case 0:
				return store.Moment{URL: store.URLHash(i + 1), Visit: store.Visit{
					Traits: store.Ahead | store.HTML | store.OK}}
			case 4999:
				return store.Moment{URL: 1, Visit: store.Visit{Referer: store.URLHash(i - 4998)}}
			}
			return store.Moment{URL: store.URLHash(i + 1), Visit: page}
		},
		"one that asks for much ahead": func(i int) store.Moment {
			return store.Moment{URL: store.URLHash(i + 1), Visit: store.Visit{Referer: 1,
				Dest: store.DestStyle * store.Dest(min(i, 1)), Traits: store.Ahead | store.HTML | store.OK}}
		},
		"chance": func(int) store.Moment {
			m := store.Moment{URL: store.URLHash(random.Uint64N(5000)<<32 | random.Uint64N(3))}
			m.Traits, m.Dest = store.Traits(random.Uint32()), store.Dest(random.IntN(8))
			m.Site, m.Referer = store.Site(random.IntN(8)), store.URLHash(random.Uint64N(5000)<<32|1)
			m.Next = store.URLHash(random.Uint64N(3))
			return m
		},
	} {
		for _, apart := range []time.Duration{0, time.Millisecond, 59 * time.Minute, 2 * time.Hour} {
			w := newWalk()
			given, pages, belong := 0, 0, 0
			w.belongs = func(_ *store.Moment, to *visited) {
				given++
				if to != nil && to.closed {
					belong++ // nobody would count it
				}
			}
			last := time.Time{}
			w.ended = func(v *visited) {
				if pages++; v.moment.Time.Before(last) {
					t.Fatalf("%s, %v apart: a page ends behind a later one", name, apart)
				}
				last = v.moment.Time
			}
			for i := range n / 4 {
				m := momentAt(i)
				m.Time, m.Offset = testTime.Add(time.Duration(i)*apart), int64(i)
				w.add(&m, nil)
				if len(w.open) > maxOpen || len(w.redirects) > maxRedirects ||
					w.ahead.number > maxAhead || len(w.ahead.known) > maxAhead ||
					len(w.byURL.ring) > maxURLs || len(w.byURL.known) > maxURLs ||
					len(w.byOrigin.known) > maxURLs || len(w.byPart.known) > maxURLs ||
					len(w.byChance.known) > maxURLs {
					t.Fatalf("%s, %v apart: too much is kept", name, apart)
				}
			}
			w.end()
			if given != n/4 || belong > 0 {
				t.Errorf("%s, %v apart: %d captures, %d to what was closed", name, apart, given, belong)
			}
			if most := n / 4 * (2*maxRedirects + 4); w.work > most {
				t.Errorf("%s, %v apart: %d steps, more than %d", name, apart, w.work, most)
			}
		}
	}
}
