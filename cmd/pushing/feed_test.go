package pushing

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/store/outbackcdx/outbackcdxtest"
)

// feeding are feeds of a collection, with what is told of them.
type feeding struct {
	*Feeds
	*testCollection
	events chan Event
}

func (c *testCollection) feed(t *testing.T) *feeding {
	t.Helper()
	f := &feeding{testCollection: c, events: make(chan Event, 100)}
	f.Feeds = &Feeds{
		Make: c.push, IsEmpty: c.isEmpty, Told: func(e Event) { f.events <- e },
		Oldest: func(context.Context) time.Time { return time.Now().Add(-time.Hour) },
		Guard: func(work func() error) (err error) {
			defer func() {
				if value := recover(); value != nil {
					err = errors.New("a fault of warcorder's own")
				}
			}()
			return work()
		},
	}
	t.Cleanup(f.Close)
	return f
}

// event waits for what is told next.
func (f *feeding) event(t *testing.T) Event {
	t.Helper()
	select {
	case e := <-f.events:
		return e
	case <-time.After(30 * time.Second):
		t.Fatal("nothing is told")
	}
	return Event{}
}

// until waits until something holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func targetsOf(t *testing.T, texts ...string) (all []Target) {
	t.Helper()
	for _, text := range texts {
		target, err := ParseTarget(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, target)
	}
	return all
}

const pace = 20 * time.Millisecond

// TestFeeds: what comes is given to all, each on its own; one that is named again goes on, one that is not
// ends.
func TestFeeds(t *testing.T) {
	t.Parallel()
	server := outbackcdxtest.New()
	defer server.Close()
	c, dir := newCollection(t), t.TempDir()
	f := c.feed(t)
	index, table := "outbackcdx="+server.Collection(), "parquet="+dir
	c.add("a.warc.gz", 10, false)
	f.Set(targetsOf(t, index, table), pace)
	both := func(n int) func() bool {
		return func() bool { return len(server.Lines()) == n && len(rowsIn(t, dir)) == n }
	}
	until(t, "all is given", both(10))
	c.add("a.warc.gz", 10, true)
	until(t, "more is given", both(20))
	until(t, "the lag is small", func() bool {
		all := f.States()
		return len(all) == 2 && all[0].Lag < 60 && all[1].Lag < 60 && all[0].Lines == 20 && all[0].Up
	})
	f.Set(targetsOf(t, index), pace)
	c.add("b.warc.gz", 30, true)
	until(t, "the server has more", func() bool { return len(server.Lines()) == 30 })
	until(t, "what goes on has counted all", func() bool {
		all := f.States()
		return len(all) == 1 && all[0].Lines == 50
	})
	f.Set(targetsOf(t, table, index), time.Hour)
	until(t, "the table has more", func() bool { return len(rowsIn(t, dir)) == 50 })
	f.Set(targetsOf(t, table, index), pace)
	c.add("b.warc.gz", 1, true)
	until(t, "another pace counts at once", func() bool { return len(rowsIn(t, dir)) == 51 })
	f.Close()
	f.Set(targetsOf(t, table), pace) // which does nothing any more
}

// TestFeedFails: it is told once that a feed fails, with nothing that is secret, and once that it is well
// again; meanwhile the lag grows, and afterwards nothing is missing.
func TestFeedFails(t *testing.T) {
	t.Parallel()
	server := outbackcdxtest.New()
	defer server.Close()
	server.SetHook(func(int, *http.Request) (int, string) { return http.StatusForbidden, "not you" })
	c := newCollection(t)
	f := c.feed(t)
	c.add("a.warc.gz", 10, false)
	secret := strings.Replace(server.Collection(), "http://", "http://u:secret@", 1)
	f.Set(targetsOf(t, "outbackcdx="+secret), pace)
	e := f.event(t)
	if e.Err == nil || !strings.Contains(e.Err.Error(), "not you") || strings.Contains(e.To+e.Err.Error(), "secret") {
		t.Errorf("%+v", e)
	}
	until(t, "it is tried again", func() bool { return f.States()[0].Failures > 2 })
	if s := f.States()[0]; s.Up || s.Since == nil || s.Lag < 3600 || !strings.Contains(s.Reason, "not you") {
		t.Errorf("%+v", s)
	}
	server.SetHook(nil)
	if e := f.event(t); e.Err != nil || e.Stale != "" {
		t.Errorf("%+v", e)
	}
	if s := f.States()[0]; !s.Up || s.Reason != "" || s.Since != nil || len(server.Lines()) != 10 {
		t.Errorf("%+v, %d lines", s, len(server.Lines()))
	}
	if len(f.events) > 0 {
		t.Errorf("%+v is told too", <-f.events)
	}
}

// TestFeedBeside: while another push has the token file a feed does nothing, and is not said to fail; then
// it goes on. The time of the token file says how far it is, also to the next process.
func TestFeedBeside(t *testing.T) {
	t.Parallel()
	server := outbackcdxtest.New()
	defer server.Close()
	c := newCollection(t)
	c.add("a.warc.gz", 10, true)
	targets := targetsOf(t, "outbackcdx="+server.Collection())
	p := c.push(targets[0])
	release, err := p.Hold()
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan bool, 100)
	f := c.feed(t)
	f.Make = func(target Target) *Push {
		select {
		case asked <- true:
		default:
		}
		return c.push(target)
	}
	f.Set(targets, pace)
	for range 3 {
		<-asked
	}
	if server.Posts() != 0 || !f.States()[0].Up || len(f.events) > 0 {
		t.Errorf("%d posts, %+v", server.Posts(), f.States())
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	until(t, "it goes on", func() bool { return len(server.Lines()) == 10 && f.States()[0].Lag < 60 })
	f.Close()
	hour := time.Now().Add(-time.Hour)
	if err := os.Chtimes(p.Kept, hour, hour); err != nil {
		t.Fatal(err)
	}
	server.SetHook(func(int, *http.Request) (int, string) { return http.StatusForbidden, "no" })
	c.add("b.warc.gz", 20, true)
	again := c.feed(t)
	again.Oldest = func(context.Context) time.Time { return time.Now().Add(-24 * time.Hour) }
	again.Set(targets, pace)
	again.event(t)
	if s := again.States()[0]; s.Lag < 3500 || s.Lag > 4000 {
		t.Errorf("%+v", s)
	}
}

// TestFeedBreaks: a fault of ours in one feed is an error of it, and the others go on.
func TestFeedBreaks(t *testing.T) {
	t.Parallel()
	server := outbackcdxtest.New()
	defer server.Close()
	c, dir := newCollection(t), t.TempDir()
	c.add("a.warc.gz", 10, true)
	f := c.feed(t)
	f.Make = func(target Target) *Push {
		if target.Kind() == Parquet {
			panic("broken")
		}
		return c.push(target)
	}
	f.Set(targetsOf(t, "parquet="+dir, "outbackcdx="+server.Collection()), pace)
	if e := f.event(t); e.Err == nil || !strings.Contains(e.Err.Error(), "own") {
		t.Errorf("%+v", e)
	}
	until(t, "the other goes on", func() bool { return len(server.Lines()) == 10 })
}

// TestFeedTable: a feed of a table leaves what is still written to every tenth round.
func TestFeedTable(t *testing.T) {
	t.Parallel()
	c, dir := newCollection(t), t.TempDir()
	c.add("a.warc.gz", 10, true)
	f := c.feed(t)
	rounds := make(chan int, 1000)
	n := 0
	f.Make = func(target Target) *Push {
		if n++; n == 2 {
			c.add("b.warc.gz", 5, false)
			c.add("c.warc.gz", 5, true)
		}
		rounds <- len(rowsIn(t, dir))
		return c.push(target)
	}
	f.Set(targetsOf(t, "parquet="+dir), pace)
	var seen []int
	for range openRounds + 2 {
		seen = append(seen, <-rounds)
	}
	want := append([]int{0}, slices.Repeat([]int{15}, openRounds)...)
	want[1] = 10
	if want = append(want, 20); !slices.Equal(seen, want) {
		t.Errorf("rows before each round: %v, want %v", seen, want)
	}
}

// TestPause: after failures a feed waits longer and longer, up to a bound, and never less than some.
func TestPause(t *testing.T) {
	f := &Feed{every: time.Minute}
	if got := f.pause(0); got != time.Minute {
		t.Error(got)
	}
	for failed, want := range map[int]time.Duration{1: 5 * time.Second, 2: 10 * time.Second, 3: 20 * time.Second,
		10: lastRetry, 1 << 30: lastRetry} {
		if got := f.pause(failed); got < want*3/4 || got > want*5/4+1 {
			t.Errorf("after %d failures it waits %v, want some %v", failed, got, want)
		}
	}
}
