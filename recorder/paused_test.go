package recorder

import (
	"slices"
	"testing"
	"time"
)

// TestPausedGap: a pause in which something has passed, or is on its way, is in the gap list, also if the
// recorder ends in it; one in which nothing has is not.
func TestPausedGap(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, Config{})
	pauses := func() (all []string) {
		gaps, err := c.Gaps(0)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range gaps.Latest {
			if all = append(all, g.Reason); g.URL != "" || g.Until.Before(g.Time) {
				t.Errorf("%+v", g)
			}
		}
		return all
	}
	recorded, passing, unwanted := c.Begin(), c.Begin(), c.Begin() // however long they take
	defer unwanted.Discard()
	defer recorded.Discard()
	defer passing.Discard()
	for _, passes := range []func(){
		func() {},
		func() { c.GapsMore(GapUnrecorded, 1); unwanted.Passes(false) }, // which is no pause's doing
		func() { passing.Passes(true) },
		func() {}, // though it goes on
		func() { second := c.Begin(); second.Passes(true); second.Passes(true); second.Discard() },
	} {
		c.TellPaused(true)
		c.TellPaused(true)
		passes()
		if _, _, paused := c.Paused(); !paused {
			t.Error("it is not paused")
		}
		c.TellPaused(false)
		c.TellPaused(false)
	}
	if got := pauses(); !slices.Equal(got, []string{GapPaused, GapPaused}) {
		t.Errorf("the list has %v", got)
	}
	c.TellPaused(true)
	third := c.Begin()
	third.Passes(true)
	defer third.Discard()
	if since, passed, _ := c.Paused(); time.Since(since) > time.Hour || passed != 1 { // what is on its way
		t.Errorf("paused since %v, %d passed", since, passed)
	}
	c.close()
	c = open(t, dir, Config{})
	defer c.close()
	if got := pauses(); !slices.Equal(got, []string{GapPaused, GapPaused, GapPaused}) {
		t.Errorf("after the end the list has %v", got)
	}
}

// TestGoingOn: it is known when those exchanges have begun that go on, however long ago.
func TestGoingOn(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	defer c.close()
	before := time.Now().Truncate(time.Second)
	passing := c.Begin()
	passing.Passes(true)
	passing.Passes(false)
	defer passing.Discard()
	forgotten, kept := c.Begin(), c.begin("http://example.com/", exampleRequest, page(200, "text/plain", "", "text"))
	for n, end := range []func(){func() {}, forgotten.Discard, kept.Commit} {
		end()
		going := c.GoingOn()
		if len(going) != 2-n {
			t.Errorf("after %d ends %v go on", n, going)
		}
		for _, began := range going {
			if began.Before(before) || began.After(time.Now()) {
				t.Errorf("one has begun at %v", began)
			}
		}
	}
	var b begun
	now := time.Unix(1e9, 0)
	for back := range int64(len(b)) {
		b.begins(new(transit), now.Add(time.Duration(-back)*time.Second))
	}
	times := b.since(now)
	if len(times) != mostGoingOn || !times[len(times)-1].Equal(now) || !slices.IsSortedFunc(times, time.Time.Compare) {
		t.Errorf("%d times", len(times))
	}
}
