package recorder

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/store"
)

// TestGaps: gaps are in the index a second later, and after a restart.
func TestGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		c := open(t, dir, Config{})
		c.Gap(GapUpstream, "http://gone.example/", "refused the connection")
		c.Gap(GapCut, "http://a.example/", "the client went away")
		c.GapsMore(GapRefused, 7)
		time.Sleep(gapsEvery)
		synctest.Wait()
		gaps, err := c.Index().Gaps(0)
		if err != nil || len(gaps.Latest) != 2 || gaps.Latest[0].URL != "http://a.example/" ||
			gaps.Counts[GapRefused] != 7 {
			t.Errorf("%+v, %v", gaps, err)
		}
		c.Gap(GapCut, "http://b.example/", "")
		c.close() // does not wait for the second to pass
		c = open(t, dir, Config{})
		defer c.close()
		gaps, err = c.Gaps(1)
		if err != nil || len(gaps.Latest) != 1 || gaps.Latest[0].URL != "http://b.example/" ||
			gaps.Counts[GapCut] != 2 {
			t.Errorf("after a restart: %+v, %v", gaps, err)
		}
		if got := c.Status().Gaps; len(got) != 0 {
			t.Errorf("status counts %v, and nothing was missed since the start", got)
		}
	})
}

// TestGapsFlood: more gaps than may wait are counted without their facts, and listed as a time; that is so
// while they wait, in the index, and where that does not take them at first.
func TestGapsFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		defer c.close()
		began := time.Now()
		for i := range 3 * gapsWaiting {
			c.Gap(GapRefused, fmt.Sprint("client ", i), "")
			time.Sleep(time.Microsecond)
		}
		is := func(when string, gaps store.Gaps, err error) {
			t.Helper()
			if err != nil || len(gaps.Latest) != gapsWaiting+1 || gaps.Counts[GapRefused] != 3*gapsWaiting ||
				c.Status().Gaps[GapRefused] != 3*gapsWaiting {
				t.Errorf("%s %d gaps, counts %v, %v", when, len(gaps.Latest), gaps.Counts, err)
			}
			from, until := began.Add(gapsWaiting*time.Microsecond), began.Add((3*gapsWaiting-1)*time.Microsecond)
			if s := gaps.Latest[0]; s.Reason != GapRefused || s.URL != "" || !s.Time.Equal(from) ||
				!s.Until.Equal(until) {
				t.Errorf("%s the time is %+v", when, s)
			}
		}
		for _, when := range []string{"while they wait", "where the index does not take them"} {
			gaps := store.Gaps{Counts: map[string]int64{}}
			c.gaps.addWaiting(&gaps, 0)
			is(when, gaps, nil)
			some, more := append(c.gaps.waiting, c.gaps.beyond.listed(c.gaps.more)...), c.gaps.more
			c.gaps.waiting, c.gaps.more, c.gaps.beyond = nil, map[string]int64{}, nil
			c.gaps.takeBack(some, more)
		}
		gaps, err := c.Gaps(0)
		is("in the index", gaps, err)
	})
}

// TestGapsWait: what cannot be written to the index waits, and is listed all the same.
func TestGapsWait(t *testing.T) {
	l := gapList{telling: newTelling(), total: map[string]int64{}, more: map[string]int64{}, closed: true}
	l.add(store.Gap{Reason: GapCut, URL: "new"})
	old := make([]store.Gap, gapsWaiting)
	for i := range old {
		old[i] = store.Gap{Reason: GapUpstream, URL: fmt.Sprint(i)}
	}
	l.takeBack(old, map[string]int64{GapWrite: 3})
	if len(l.waiting) != gapsWaiting || l.waiting[0].URL != "0" || l.more[GapCut] != 1 ||
		l.more[GapWrite] != 3 {
		t.Errorf("%d waiting, first %q, counted %v", len(l.waiting), l.waiting[0].URL, l.more)
	}
	gaps := store.Gaps{
		Counts: map[string]int64{GapWrite: 1},
		Latest: []store.Gap{{URL: "in the index"}},
	}
	l.addWaiting(&gaps, gapsWaiting+1)
	if gaps.Counts[GapWrite] != 4 || gaps.Counts[GapUpstream] != gapsWaiting ||
		gaps.Counts[GapCut] != 1 {
		t.Errorf("counts %v", gaps.Counts)
	}
	if n := len(gaps.Latest); n != gapsWaiting+1 || gaps.Latest[0].Detail != beyondDetail ||
		gaps.Latest[1].URL != fmt.Sprint(gapsWaiting-1) || gaps.Latest[n-1].URL != "0" {
		t.Errorf("%d listed, %q first", n, gaps.Latest[0].URL)
	}
}

// TestMinFreeSpace: below the floor recording is off, from the start on, and what is under way is
// recorded all the same.
func TestMinFreeSpace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{MinFreeSpace: 1 << 61})
		if err := c.Ready(); err == nil || c.Status().Recording {
			t.Errorf("recording with less than 2 EB free: %v", err)
		}
		c.get("http://example.com/under-way")
		c.close()
		checkIndex(t, c.dir, readBack(t, c.dir))
		if c = open(t, c.dir, Config{MinFreeSpace: 1}); c.Ready() != nil || len(c.urls()) != 1 {
			t.Errorf("%v, captures %v", c.Ready(), c.urls())
		}
		c.close()
	})
}
