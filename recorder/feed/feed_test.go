package feed

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// example is an event of the size that is usual.
var example = Event{
	Kind: Capture, Time: 1_700_000_000_123_456, URL: "https://www.example.com/static/app.js?v=12345",
	Method: "GET", Status: 200, MIME: "text/javascript", Size: 12345, Length: 4567, Offset: 123_456_789,
	MS: 12, Stored: "response", File: "warcorder-20260501120000000-00001-host.warc.gz",
}

// all are the events that a reader has by now.
func all(r *Reader) (events []Numbered) {
	for {
		before := len(events)
		if events = r.Next(events); len(events) == before {
			return events
		}
	}
}

func TestFollow(t *testing.T) {
	f := New()
	early := f.Follow()
	for i := range 5 {
		f.Publish(&Event{Kind: Gap, Reason: fmt.Sprint(i)})
	}
	got := all(early)
	if len(got) != 5 || got[0].Reason != "0" || got[4].ID != early.At() {
		t.Fatalf("got %v", got)
	}
	for name, c := range map[string]struct {
		reader *Reader
		want   int
		missed int64
	}{
		"now":                {f.Follow(), 0, 0},
		"all":                {f.FollowAll(), 5, 0},
		"the newest":         {f.FollowLast(2), 2, 0},
		"more than all":      {f.FollowLast(1 << 63), 5, 0},
		"after an event":     {f.FollowAfter(got[2].ID), 2, 0},
		"after the last":     {f.FollowAfter(got[4].ID), 0, 0},
		"of another process": {f.FollowAfter(New().Follow().At()), 6, -1},
		"of the future":      {f.FollowAfter(got[4].ID + "0"), 6, -1},
		"nothing":            {f.FollowAfter("x"), 6, -1},
	} {
		events := all(c.reader)
		if len(events) != c.want || c.missed != 0 && (events[0].Kind != Missed || events[0].Count != c.missed) {
			t.Errorf("%s: %v", name, events)
		}
		again := all(f.FollowAfter(c.reader.At()))
		if len(again) != 0 {
			t.Errorf("%s: comes again with %v", name, again)
		}
	}
}

// TestBounded: however long and however many events are, what is held is bounded, and what is not
// held is told as a number.
func TestBounded(t *testing.T) {
	for name, c := range map[string]struct {
		url    string
		number int
		held   int // at least
	}{
		"many": {"http://example.com/", maxEvents + 5000, maxEvents - segmentEvents},
		"long": {"http://example.com/" + strings.Repeat("x", 1<<20), 40, 25},
	} {
		t.Run(name, func(t *testing.T) {
			f := New()
			early := f.Follow()
			for range c.number {
				e := example
				e.URL = c.url
				f.Publish(&e)
				if f.bytes > maxBytes || f.events > maxEvents {
					t.Fatalf("%d bytes in %d events are held", f.bytes, f.events)
				}
			}
			got := all(early)
			if got[0].Kind != Missed || got[0].Count+int64(len(got))-1 != int64(c.number) {
				t.Errorf("of %d events %d are missed and %d held", c.number, got[0].Count, len(got)-1)
			}
			if len(got)-1 < c.held {
				t.Errorf("only %d events are held", len(got)-1)
			}
			if got[1].URL != c.url {
				t.Errorf("a URL of %d bytes came as one of %d", len(c.url), len(got[1].URL))
			}
		})
	}
}

// TestBeyondAll: one event that is longer than all that may be held is held alone.
func TestBeyondAll(t *testing.T) {
	f := New()
	f.Publish(&example)
	f.Publish(&Event{Kind: Capture, URL: strings.Repeat("x", maxBytes+1)})
	f.Publish(&example)
	got := all(f.FollowAll())
	if len(got) != 1 || len(f.segments) != 1 {
		t.Errorf("%d events, %d segments", len(got), len(f.segments))
	}
}

// TestFollowWhilePublished: readers that come and go among publishers have every event once, in
// order.
func TestFollowWhilePublished(t *testing.T) {
	const publishers, each = 4, 5000
	f := New()
	var publish, read sync.WaitGroup
	for range 4 {
		reader := f.FollowAll()
		read.Go(func() {
			for n := 0; n < publishers*each; {
				<-reader.More()
				for _, e := range reader.Next(nil) {
					if n++; e.ID != ID(fmt.Sprint(f.boot, ".", n)) || e.Kind != Capture {
						t.Errorf("event %d is %v", n, e)
						return
					}
				}
				reader = f.FollowAfter(reader.At())
			}
		})
	}
	for range publishers {
		publish.Go(func() {
			for range each {
				f.Publish(&example)
			}
		})
	}
	publish.Wait()
	read.Wait()
}

// TestPublishAllocates: nothing for an event, but a segment now and then.
func TestPublishAllocates(t *testing.T) {
	f := New()
	reader := f.Follow()
	if n := testing.AllocsPerRun(10_000, func() { f.Publish(&example) }); n >= 1 {
		t.Errorf("an event allocates %v times", n)
	}
	if got := all(reader); got[0].Event != example {
		t.Errorf("%+v came as %+v", example, got[0])
	}
}

// FuzzCode: what an event says is what was said, whatever the bytes are.
func FuzzCode(f *testing.F) {
	f.Add("http://a/\x00\n", "GET", "text/html", "detail\xff", int64(-1), int64(1)<<62, 999)
	f.Fuzz(func(t *testing.T, url, method, mime, detail string, size, offset int64, status int) {
		e := Event{Kind: Gap, Time: size, URL: url, Method: method, MIME: mime, Detail: detail, Size: size,
			Offset: offset, Status: status, Truncated: size%2 == 0, File: "f", Count: offset}
		b := e.append(nil)
		if len(b) > e.size() {
			t.Errorf("%d bytes, and not %d at most", len(b), e.size())
		}
		if got := eventOf(b); got != e {
			t.Errorf("%+v became %+v", e, got)
		}
		e.Host()
	})
}

func BenchmarkPublish(b *testing.B) {
	f := New()
	b.ReportAllocs()
	for b.Loop() {
		e := example
		f.Publish(&e)
	}
}
