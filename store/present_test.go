package store

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// TestCommittedAgain: whatever is committed once more, in a batch or later, at other microseconds or
// under a key that is cut, is there once, as it came last: in the captures, their number, and the
// timeline.
func TestCommittedAgain(t *testing.T) {
	for seed := range uint64(6) {
		b := newIndex(t)
		addFile(t, b, "a.warc.gz")
		addFile(t, b, "b.warc.gz")
		random := rand.New(rand.NewPCG(9, seed))
		want := make(map[Location]Capture)
		for range 30 {
			var batch []Capture
			for range 1 + random.IntN(20) {
				c := placedCapture(random)
				if old, known := want[c.Location]; known && random.IntN(2) == 0 {
					c = old
				}
				want[c.Location] = c
				batch = append(batch, c)
			}
			for i := range batch {
				batch[i] = want[batch[i].Location] // one capture has one time in a batch
			}
			commit(t, b, batch)
		}
		if n, err := b.Count(); n != int64(len(want)) || err != nil {
			t.Fatalf("seed %d: %d captures, want %d, %v", seed, n, len(want), err)
		}
		moments := momentsOf(t, b, time.Time{})
		if n, err := b.Untimed(); n != 0 || len(moments) != len(want) || err != nil {
			t.Fatalf("seed %d: %d moments, want %d; %d untimed, %v", seed, len(moments), len(want), n, err)
		}
		for _, m := range moments {
			c := want[m.Location]
			found, ok, err := b.CaptureOf(&m, c.URLKey)
			if !ok || err != nil || found.RequestBody != c.RequestBody || !found.Time.Equal(c.Time) {
				t.Fatalf("seed %d, %v: not as it came last; %v, %v", seed, m.Location, ok, err)
			}
		}
		atOnce(t, b, moments, want)
		b.Close()
	}
}

// atOnce looks for the captures of all moments at once, among which are some that nothing was captured
// at.
func atOnce(t *testing.T, b *Bolt, moments []Moment, want map[Location]Capture) {
	t.Helper()
	var asked []*Moment
	var keys []string
	for _, m := range moments {
		nothing := m
		nothing.Offset++
		asked, keys = append(asked, &nothing, &m), append(keys, want[m.Location].URLKey, want[m.Location].URLKey)
	}
	found := 0
	err := b.CapturesOf(asked, keys, func(n int, c *Capture) bool {
		if found++; c.Location != asked[n].Location || c.RequestBody != want[c.Location].RequestBody {
			t.Fatalf("%v: found is %v", asked[n].Location, c.Location)
		}
		return true
	})
	if err != nil || found != len(moments) {
		t.Fatalf("found are %d of %d, %v", found, len(moments), err)
	}
	for found = 0; found < len(moments) && err == nil; {
		before := found
		err = b.CapturesOf(asked[2*found:], keys[2*found:], func(n int, _ *Capture) bool {
			found += (n + 1) / 2
			return false
		})
		if found != before+1 {
			t.Fatalf("one wanted of those behind %d, got %d: %v", before, found-before, err)
		}
	}
}

// placedCapture is a capture at one of 200 places, of which each has its millisecond: some of these lie
// in two stretches of the timeline. The key of one with a long body is cut.
func placedCapture(random *rand.Rand) Capture {
	place := random.IntN(200)
	at := startOfStretch(testTime).Add(time.Duration(place) * stretch / 4).Truncate(time.Millisecond)
	at = at.Add(time.Duration(random.IntN(1000)) * time.Microsecond)
	name := []string{"a.warc.gz", "b.warc.gz"}[place%2]
	long := fmt.Sprintf("http://example.com/%0*d", maxCutKey+20, place)
	c := captureOf(long, at, name, int64(place)*100)
	c.Method, c.RequestBody = "POST", longText(1+random.IntN(2)*2000, uint64(place))
	c.SpecBody, c.WarcioJSBody = c.RequestBody, c.RequestBody
	return c
}
