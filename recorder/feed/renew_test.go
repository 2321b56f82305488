package feed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// without is a file in which what begins at some offsets has gone, and all behind it has moved up.
func without(file string, length int64, gone ...int64) Anew {
	a := Anew{File: file, Now: func(offset int64) (int64, bool) {
		before, found := slices.BinarySearch(gone, offset)
		return offset - int64(before)*length, !found
	}}
	return a
}

// TestRenew: after a removal nothing of what went is told, to whom it comes for the first time and who
// comes again alike; what stays has its new place, and all numbers are as before.
func TestRenew(t *testing.T) {
	f := New()
	early := f.Follow()
	const length = 100
	publish := func(file string, n int64) {
		f.Publish(&Event{Kind: Capture, URL: fmt.Sprint("http://a/", file, "/", n), File: file,
			Offset: n * length, MS: n})
	}
	for n := range int64(4) {
		publish("one", n)
		publish("two", n)
	}
	f.Publish(&Event{Kind: Gap, URL: "http://a/one/1", Reason: "closed", Detail: "secret"})
	f.Publish(&Event{Kind: Note, URL: "http://a/one/1", File: "one", Offset: length})
	f.Publish(&Event{Kind: Gap, URL: "http://a/two/1", Reason: "closed"})
	first := all(early)

	stays := []Stretch{{0, length, 0}, {2 * length, 4 * length, length}}
	one := without("one", length, length)
	one.Stays = stays
	f.Renew(Renewal{Files: []Anew{one}, Gap: func(e *Event) bool {
		publish("three", 0) // which would hang if the feed were held meanwhile
		return e.URL == "http://a/one/1"
	}}, 7)

	for name, reader := range map[string]*Reader{
		"all": f.FollowAll(), "again": f.FollowAfter(first[1].ID), "the newest": f.FollowLast(1000),
	} {
		var told []string
		for _, e := range all(reader) {
			if strings.HasSuffix(e.URL, "/one/1") || e.Detail == "secret" {
				t.Errorf("%s: it is told still: %+v", name, e)
			}
			if e.Kind == Forgotten && e.Event != (Event{}) {
				t.Errorf("%s: something is left of it: %+v", name, e)
			}
			if e.Kind == Capture && e.URL != fmt.Sprint("http://a/", e.File, "/", e.MS) {
				t.Errorf("%s: %+v", name, e)
			}
			if e.File == "one" && e.Kind == Capture && e.MS > 1 && e.Offset != (e.MS-1)*length {
				t.Errorf("%s: it lies elsewhere: %+v", name, e)
			}
			if e.Kind == Removed {
				told = append(told, fmt.Sprint(e.File, e.State, e.Detail, e.Time))
			}
		}
		want := []string{"one[[0,100,0],[200,400,100]]7", "events[[9,9]]7"}
		if !slices.Equal(told, want) {
			t.Errorf("%s: it is told %q", name, told)
		}
	}
	second := all(f.FollowAll())
	for i, e := range first {
		if second[i].ID != e.ID {
			t.Errorf("event %s is %s", e.ID, second[i].ID)
		}
	}
	if kinds := [...]Kind{second[2].Kind, second[8].Kind, second[9].Kind}; kinds != [3]Kind{} {
		t.Errorf("what went is %v", kinds)
	}
	if got := all(early); got[0].ID != second[len(first)].ID {
		t.Errorf("who follows on gets %s, and not %s", got[0].ID, second[len(first)].ID)
	}
	if ms, known := f.Took("one", length); !known || ms != 2 {
		t.Errorf("what lies elsewhere took %d, %v", ms, known)
	}
	if _, known := f.Took("one", 3*length); known {
		t.Error("it is known by the place where it was")
	}
}

// TestRenewIsBounded: a removal of everything that is held is told in few events of bounded size, and
// again and again it costs little of what is held.
func TestRenewIsBounded(t *testing.T) {
	f := New()
	for i := range maxEvents {
		e := example
		if i%2 == 0 {
			e = Event{Kind: Gap, URL: "http://secret/"}
		}
		e.Offset = int64(i)
		f.Publish(&e)
	}
	held, asked := f.events, 0
	what := Renewal{Gap: func(*Event) bool { asked++; return true }}
	for i := range mostFiles {
		what.Files = append(what.Files, Anew{File: fmt.Sprint(i), Stays: make([]Stretch, MostStretches)})
	}
	before := f.Follow()
	f.Renew(what, 0)
	told, size, gaps := all(before), 0, 0
	for _, e := range told {
		size += len(e.Detail)
		if e.File == "" {
			var ranges [][2]int
			if err := json.Unmarshal([]byte(e.Detail), &ranges); err != nil || len(ranges) > mostRanges {
				t.Fatalf("%d ranges, %v", len(ranges), err)
			}
			gaps += len(ranges)
		}
	}
	if len(told) > mostFiles+held/2/mostRanges+1 || size > mostTold+20*held || asked > 2*held {
		t.Errorf("%d events of %d bytes, %d looks", len(told), size, asked)
	}
	if gaps < held/2-segmentEvents {
		t.Errorf("%d of %d gaps are told", gaps, held/2)
	}
	what.Files = append(what.Files, Anew{File: "one more"})
	before = f.Follow()
	f.Renew(Renewal{Files: what.Files}, 0)
	if told := all(before); len(told) != 1 || told[0].File != "" {
		t.Errorf("of very many files %d events tell", len(told))
	}
}

// TestRenewOfFew: removals in a quiet recorder leave what is held.
func TestRenewOfFew(t *testing.T) {
	f := New()
	f.Publish(&example)
	for range 2 * maxBytes / segmentSize {
		f.Renew(Renewal{Files: []Anew{{File: "other"}}}, 0)
	}
	if got := all(f.FollowAll()); got[0].Event != example || f.bytes > maxBytes {
		t.Errorf("%d bytes in %d events are held, the first is %+v", f.bytes, len(got), got[0])
	}
}
