package pages

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
)

// gapOn is a gap of a resource of a page, some time after testTime.
func gapOn(page string, since time.Duration, n int) store.Gap {
	return store.Gap{Time: testTime.Add(since), Reason: recorder.GapUpstream, URL: fmt.Sprintf("%sgap/%d", page, n),
		Visit: store.Visit{Traits: store.Told, Dest: store.DestLeaf, Referer: store.HashURL(page)}}
}

// TestManyGaps: a look at a page with as many gaps as are kept copies each a few times, and no more.
func TestManyGaps(t *testing.T) {
	const page = "http://a.example/"
	f := follow(t)
	f.record(0, page, toPage)
	var gaps store.Gaps
	for n := range store.MaxGaps {
		gaps.Latest = append(gaps.Latest, gapOn(page, time.Second+time.Duration(n)*time.Millisecond, n))
	}
	slices.Reverse(gaps.Latest)
	gaps.Counts = map[string]int64{recorder.GapUpstream: store.MaxGaps}
	f.gaps = func(limit int) (store.Gaps, error) {
		some := gaps
		if limit > 0 {
			some.Latest = gaps.Latest[:limit]
		}
		return some, nil
	}
	f.now = testTime.Add(20 * time.Second)
	f.look()
	for _, after := range []time.Duration{30 * time.Second, 2 * time.Hour} {
		f.record(after, page+"image", "Sec-Fetch-Dest: image\r\nReferer: "+page+"\r\n")
		if err := f.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.now = testTime.Add(after)
		var before, behind runtime.MemStats
		runtime.ReadMemStats(&before)
		latest := f.look()
		runtime.ReadMemStats(&behind)
		if got := latest.At(0); len(got.Lacks) != store.MaxGaps || !got.Unnoted {
			t.Errorf("the page lacks %d, %t", len(got.Lacks), got.Unnoted)
		}
		if copied := behind.TotalAlloc - before.TotalAlloc; copied > 1000*store.MaxGaps {
			t.Errorf("%d bytes are copied for %d gaps", copied, store.MaxGaps)
		}
	}
}

// TestUnfollowedGaps: a page that no follower has is as one would have it, with its gaps; and so is each of
// an earlier session.
func TestUnfollowedGaps(t *testing.T) {
	f := follow(t)
	f.record(0, "http://a.example/", toPage)
	f.record(time.Second, "http://a.example/i", "Sec-Fetch-Dest: image\r\nReferer: http://a.example/\r\n")
	f.record(2*time.Second, "http://b.example/", toPage)
	f.record(5*time.Hour, "http://c.example/", toPage)
	gaps := store.Gaps{Latest: []store.Gap{gapOn("http://b.example/", 4*time.Second, 1),
		gapOn("http://a.example/", 3*time.Second, 1)},
		Counts: map[string]int64{recorder.GapUpstream: 2}}
	f.gaps = func(limit int) (store.Gaps, error) { return gaps, nil }
	f.now = testTime.Add(5 * time.Hour)
	if latest := f.look(); latest.Len() != 1 {
		t.Fatalf("%d pages are followed", latest.Len())
	}
	var unfollowed []*Followed
	for page, err := range f.All(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		one, err := f.Unfollowed(t.Context(), &page, gaps.Latest)
		if err != nil {
			t.Fatal(err)
		}
		unfollowed = append(unfollowed, one)
	}
	if _, err := f.Earlier(t.Context()); err != nil {
		t.Fatal(err)
	}
	latest := f.look()
	for i, want := range []string{"http://a.example/gap/1", "http://b.example/gap/1"} {
		for _, page := range []*Followed{latest.At(i), unfollowed[i]} {
			if len(page.Lacks) != 1 || page.Lacks[0].URL != want || page.Unnoted {
				t.Errorf("%s lacks %+v", page.ID(), page.Lacks)
			}
		}
		if a, b := latest.At(i), unfollowed[i]; a.ID() != b.ID() || a.Bytes != b.Bytes || !a.Last.Equal(b.Last) ||
			!slices.Equal(placesOf(a), placesOf(b)) {
			t.Errorf("followed %+v\nand not %+v", a.Kept, b.Kept)
		}
	}
}

func placesOf(f *Followed) []Place { return slices.Concat(f.Base, f.Tail) }

// TestSpans: times of which not all was recorded are told, also those of before; of very many the oldest
// are one.
func TestSpans(t *testing.T) {
	f := follow(t)
	f.record(0, "http://a.example/", toPage)
	gap := func(n int, reason, url string) store.Gap {
		return store.Gap{Time: testTime.Add(time.Duration(n) * time.Minute), Reason: reason, URL: url,
			Until: testTime.Add(time.Duration(n)*time.Minute + time.Second)}
	}
	gaps := store.Gaps{Latest: []store.Gap{gap(2, recorder.GapPaused, ""), gap(1, recorder.GapPaused, "a file"),
		gap(-600, recovery.GapCrash, "")}, Counts: map[string]int64{"all": 3}}
	f.gaps = func(limit int) (store.Gaps, error) {
		some := gaps
		some.Latest = some.Latest[:min(max(limit, 1), len(some.Latest))]
		return some, nil
	}
	latest := f.look()
	if len(latest.Spans) != 2 || latest.Spans[0].Reason != recovery.GapCrash ||
		latest.Spans[1].Reason != recorder.GapPaused {
		t.Fatalf("%+v", latest.Spans)
	}
	at := func(minutes int) time.Time { return testTime.Add(time.Duration(minutes) * time.Minute) }
	if s := latest.Spans[1]; !s.Overlaps(at(1), at(2)) || !s.Overlaps(at(2), at(3)) ||
		s.Overlaps(at(0), at(1)) || s.Overlaps(at(3), at(4)) {
		t.Errorf("%+v", s)
	}
	for n := range mostSpans {
		gaps.Latest = slices.Insert(gaps.Latest, 0, gap(10+n, recorder.GapPaused, ""))
		gaps.Counts["all"]++
		f.look()
	}
	spans := f.look().Spans
	if len(spans) != mostSpans || !spans[0].From.Equal(at(-600)) || len(latest.Spans) != 2 {
		t.Errorf("%d spans, the first %+v", len(spans), spans[0])
	}
}

// TestGapsAlone: where gaps come and no captures, the newest are kept; what is counted alone, and a pause
// that begins before what is settled, have nothing walked.
func TestGapsAlone(t *testing.T) {
	const page = "http://a.example/"
	f := follow(t)
	f.record(0, page, toPage)
	gaps := store.Gaps{Counts: map[string]int64{}}
	f.gaps = func(limit int) (store.Gaps, error) {
		some := gaps
		if limit > 0 {
			some.Latest = some.Latest[:min(limit, len(some.Latest))]
		}
		return some, nil
	}
	f.now = testTime.Add(2 * time.Minute)
	f.look()
	for look := range 3 {
		var more []store.Gap
		for n := range store.MaxGaps {
			more = append(more, gapOn(page, time.Duration(look+3)*time.Hour+time.Duration(n)*time.Millisecond, n))
		}
		slices.Reverse(more)
		gaps.Latest = more // and no older ones, as the index has them
		gaps.Counts[recorder.GapUpstream] += store.MaxGaps
		f.look()
	}
	if len(f.waiting) != store.MaxGaps || !f.since.After(testTime.Add(4*time.Hour)) {
		t.Errorf("%d gaps are kept, and all known since %v", len(f.waiting), f.since)
	}
	before := f.look()
	gaps.Counts["unrecorded"] += 100
	pause := store.Gap{Time: testTime.Add(-time.Second), Until: testTime.Add(time.Hour), Reason: recorder.GapPaused}
	if after := f.look(); after.Number != before.Number {
		t.Error("exchanges that are counted alone have it walk")
	}
	gaps.Latest = slices.Insert(slices.Clone(gaps.Latest), 0, pause)
	gaps.Counts[recorder.GapPaused]++
	if after := f.look(); after.Begun != before.Begun || after.Late || len(after.Spans) != 1 {
		t.Errorf("after a pause it begins anew: %d, %t, %d spans", after.Begun, after.Late, len(after.Spans))
	}
}
