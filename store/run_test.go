package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"warcorder/proxy/raced"
)

// atOnceOf returns an index of so many captures of one URL and second, whose lines are in another order
// than they lie in the file, and of one a second before and one behind.
func atOnceOf(t *testing.T, n int) *Bolt {
	t.Helper()
	b := newIndex(t)
	b.sortMemory = 4 << 20
	file := addFile(t, b, "w.warc.gz")
	random := rand.New(rand.NewPCG(3, 4))
	var captures []Capture
	for i := range n + 2 {
		at := testTime
		switch i {
		case 0:
			at = at.Add(-time.Second)
		case n + 1:
			at = at.Add(time.Second)
		}
		c := captureOf("http://example.com/page", at, file.Name, int64(i))
		c.MIME, c.PathKey = fmt.Sprintf("text/%d", random.IntN(1000)), "/page"
		if captures = append(captures, c); len(captures) == 10_000 || i == n+1 {
			commit(t, b, captures)
			captures = captures[:0]
		}
	}
	return b
}

// TestOneSecond: of very many captures of one URL and second some thousands are held at once. An export
// has them in the order of their lines, a walk in that of the index, whatever the key.
func TestOneSecond(t *testing.T) {
	n := 100_000
	if raced.Enabled { // it is slow
		n = 4 * maxRun
	}
	many, few := atOnceOf(t, n), atOnceOf(t, 2*maxRun)
	for b, q := range map[*Bolt]Query{many: {}, few: {Key: PathKey, URL: "/page"}} {
		n, err := b.Count()
		if err != nil {
			t.Fatal(err)
		}
		for _, hasty := range []bool{false, true} {
			lines, places, kept := int64(0), map[int64]bool{}, 0
			isSorted, last := true, ""
			s, err := q.span()
			if err != nil {
				t.Fatal(err)
			}
			err = b.slicesOf(&reading{ctx: t.Context(), hasty: hasty}, s, func(s *slice) (bool, error) {
				kept = max(kept, len(s.captures))
				for i := range s.captures {
					line := string(s.captures[i].appendPywb(nil, q.Key))
					isSorted, last = isSorted && last <= line, line
					places[s.captures[i].Offset] = true
				}
				lines += int64(len(s.captures))
				return true, nil
			})
			if err != nil || lines != n || len(places) != int(n) || kept > maxRun+sliceKeys || isSorted == hasty {
				t.Errorf("%+v, hasty %v: %d lines of %d, sorted %v, %d kept, %v", q, hasty, lines, len(places),
					isSorted, kept, err)
			}
		}
	}
}

// TestOneSecondAround: captures of one second are found outwards without being held, and backwards there
// is an error before they are.
func TestOneSecondAround(t *testing.T) {
	n := maxBack + 2*sliceKeys
	if raced.Enabled {
		n = 4 * maxRun
	}
	b := atOnceOf(t, n)
	looked := 0
	w := Walk{Query: Query{URL: "http://example.com/page"}, Look: func(n int, _ Place) error {
		looked += n
		return nil
	}}
	for _, at := range []time.Time{testTime, testTime.Add(time.Hour)} {
		given, kept := map[int64]bool{}, 0
		var distances []int64
		looked = 0
		err := b.Outwards(w, at, func(c *Capture) bool {
			given[c.Offset] = true
			distances = append(distances, max(c.Time.Unix()-at.Unix(), at.Unix()-c.Time.Unix()))
			kept = max(kept, looked-len(distances))
			return true
		})
		if err != nil || len(given) != n+2 || len(distances) != n+2 || !slices.IsSorted(distances) ||
			kept > maxRun+sliceKeys {
			t.Errorf("from %s: %d captures, %d kept, %v", at, len(given), kept, err)
		}
	}
	w.Back, looked = true, 0
	err := b.Walk(w, func(*Capture) bool { return true })
	if errors.Is(err, ErrBack) != (n > maxBack) || looked > maxBack+3*sliceKeys {
		t.Errorf("backwards %v, %d looked at", err, looked)
	}
	ctx, leave := context.WithCancel(t.Context())
	w.Context, w.Back, looked = ctx, false, 0
	err = b.Walk(w, func(*Capture) bool {
		leave()
		return true
	})
	if !errors.Is(err, context.Canceled) || looked > maxRun+2*sliceKeys {
		t.Errorf("a client that leaves: %v, %d looked at", err, looked)
	}
}

// TestFromWithinOneSecond: a walk that begins behind a capture of a large run goes on with the next one,
// however few are left, and Look is told of no other place within a run.
func TestFromWithinOneSecond(t *testing.T) {
	b := atOnceOf(t, 2*maxRun)
	var all []Capture
	err := b.Walk(Walk{Look: func(_ int, next Place) error {
		if k := indexKey(next.key); len(k) > tailSize && k.check() == nil && !bytes.Contains(k, []byte(" 20261121054512")) {
			t.Errorf("goes on at %q", k)
		}
		return nil
	}}, func(c *Capture) bool {
		all = append(all, *c)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, maxRun - 1, maxRun + 50, 2*maxRun - 1, 2 * maxRun} {
		behind, is := PlaceBehind(&all[n])
		rest := walked(t, b, Walk{From: behind})
		if !is || !PlaceOf(&all[n]).Shares(behind) || len(rest) != len(all)-n-1 ||
			!strings.HasPrefix(rest[0], string(all[n+1].AppendCDXJ(nil))) {
			t.Errorf("behind %d: %v, %d captures", n, is, len(rest))
		}
	}
	for _, i := range []int{0, len(all) - 1} {
		if _, is := PlaceBehind(&all[i]); is || PlaceOf(&all[1]).Shares(PlaceOf(&all[i])) {
			t.Errorf("capture %d is taken for one of many", i)
		}
	}
}
