package tally

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 5, 1, 12, 0, 3, 0, time.UTC)

func TestSamples(t *testing.T) {
	all := New(start)
	all.Count(start, &Capture{Host: "a.example", MIME: "text/html", Body: 100, Written: 60})
	all.Count(start.Add(6*time.Second), &Capture{Host: "a.example", Body: 10, Written: 5, Revisit: true})
	all.Count(start.Add(30*time.Second), &Capture{Extra: true, Body: 1, Written: 2})
	all.Gap(start.Add(30*time.Second), "cut", 3)
	s := all.Snapshot(start.Add(45*time.Second), 0)
	at := func(seconds int) time.Time {
		return start.Truncate(time.Minute).Add(time.Duration(seconds) * time.Second)
	}
	want := []Sample{
		{TS: at(0), Exchanges: 2, Captures: 2, Bytes: 110, Written: 65, Stored: 1, Revisits: 1, Spared: 10},
		{TS: at(10)},
		{TS: at(20)},
		{TS: at(30), Captures: 1, Bytes: 1, Written: 2, Stored: 1, Gaps: 3},
		{TS: at(40)},
	}
	if len(s.Rates) != len(want) {
		t.Fatalf("%d samples: %v", len(s.Rates), s.Rates)
	}
	for i, one := range s.Rates {
		if one != want[i] {
			t.Errorf("sample %d is %+v, not %+v", i, one, want[i])
		}
	}
	if len(s.Day) != 1 || s.Day[0].Captures != 3 || s.Day[0].Gaps != 3 || s.Gaps["cut"] != 3 {
		t.Errorf("of the day %+v, gaps %v", s.Day, s.Gaps)
	}
}

// TestSamplesPassOn: what is older than the ring is gone, whatever time passes in between.
func TestSamplesPassOn(t *testing.T) {
	one := &Capture{}
	for _, passed := range []time.Duration{
		0, 10 * time.Second, time.Hour - 10*time.Second, time.Hour, 2 * time.Hour, 1000 * time.Hour,
	} {
		all := New(start)
		all.Count(start, one)
		all.Count(start.Add(passed), one)
		s := all.Snapshot(start.Add(passed), 0)
		if len(s.Rates) > 360 || len(s.Day) > 1440 {
			t.Fatalf("%d and %d samples", len(s.Rates), len(s.Day))
		}
		want := int64(2)
		if passed >= time.Hour {
			want = 1
		}
		found := int64(0)
		for i, one := range s.Rates {
			found += one.Captures
			if i > 0 && one.TS.Sub(s.Rates[i-1].TS) != 10*time.Second {
				t.Fatalf("%v follows %v", one.TS, s.Rates[i-1].TS)
			}
		}
		if found != want {
			t.Errorf("after %v %d captures are in the samples, not %d", passed, found, want)
		}
	}
}

// TestSamplesClockGoesBack: nothing is lost, and nothing begins anew for a step of the clock.
func TestSamplesClockGoesBack(t *testing.T) {
	all := New(start)
	all.Count(start.Add(time.Minute), &Capture{})
	all.Count(start, &Capture{})
	s := all.Snapshot(start, 0)
	if last := s.Rates[len(s.Rates)-1]; last.Captures != 2 {
		t.Errorf("the last sample is %+v", last)
	}
	all.Count(start.Add(-100*24*time.Hour), &Capture{})
	if s = all.Snapshot(start.Add(-100*24*time.Hour), 0); len(s.Rates) != 1 || s.Rates[0].Captures != 1 {
		t.Errorf("after a clock was put back by days: %v", s.Rates)
	}
}

// TestTopAddsUp: however many names come, what is told is never more than what was counted, and
// adds up to it; and what comes often is told.
func TestTopAddsUp(t *testing.T) {
	all := New(start)
	const often, names = "often.example", 20_000
	for i := range names {
		all.Count(start, &Capture{Host: fmt.Sprintf("H%d.example", i), MIME: fmt.Sprint("x/", i), Body: 3})
		if i%10 == 0 {
			all.Count(start, &Capture{Host: often, MIME: "text/html", Body: 5})
		}
	}
	s := all.Snapshot(start, 50)
	if first := s.ByHost[0]; first.Name != often || first.Captures != names/10 || first.Bytes != names/2 {
		t.Errorf("first is %+v", first)
	}
	if len(s.ByHost) != 50 || len(s.ByType) != 50 {
		t.Errorf("%d hosts and %d types are told", len(s.ByHost), len(s.ByType))
	}
	for _, list := range [][]Total{append(s.ByHost, s.OtherHosts), append(s.ByType, s.OtherTypes)} {
		var sum Total
		for _, one := range list {
			sum.Captures += one.Captures
			sum.Bytes += one.Bytes
		}
		if sum.Captures != names+names/10 || sum.Bytes != 3*names+5*names/10 {
			t.Errorf("all together are %+v", sum)
		}
	}
}

// TestTopBounded: names and their number are bounded, and each name is where the map says.
func TestTopBounded(t *testing.T) {
	all := New(start)
	for i := range 5000 {
		all.Count(start, &Capture{Host: fmt.Sprint(i%3000) + strings.Repeat("A", 1000)})
		all.Gap(start, fmt.Sprint(i), 1)
	}
	if len(all.hosts.places) != manyHosts || len(all.hosts.at) != manyHosts || len(all.gaps) != manyReasons {
		t.Errorf("%d places, %d names, %d reasons", len(all.hosts.places), len(all.hosts.at), len(all.gaps))
	}
	for i, p := range all.hosts.places {
		if all.hosts.at[p.Name] != int32(i) || len(p.Name) > maxName || all.hosts.heap[p.at] != int32(i) {
			t.Errorf("%q, of %d bytes, is at %d and not at %d", p.Name[:9], len(p.Name), all.hosts.at[p.Name], i)
		}
		if all.hosts.rank((p.at-1)/2) > p.rank {
			t.Errorf("place %d has a lower rank than the one before it", i)
		}
	}
}

// TestCountAllocatesNothing: of names that are known.
func TestCountAllocatesNothing(t *testing.T) {
	all := New(start)
	c := &Capture{Host: "www.example.com", MIME: "text/html", Body: 1}
	all.Count(start, c)
	if n := testing.AllocsPerRun(100, func() { all.Count(start, c); all.Gap(start, "cut", 1) }); n > 0 {
		t.Errorf("a count allocates %v times", n)
	}
}

func TestSnapshotJSON(t *testing.T) {
	all := New(start)
	text, err := json.Marshal(all.Snapshot(start, 0))
	if err != nil || !strings.Contains(string(text), `"byHost":[]`) ||
		!strings.Contains(string(text), `"rates":[{"ts":"2026-05-01T12:00:00Z","exchanges":0`) {
		t.Errorf("%s, %v", text, err)
	}
}

func BenchmarkCount(b *testing.B) {
	for _, hosts := range []int{10, 5000} {
		b.Run(fmt.Sprint(hosts, "-hosts"), func(b *testing.B) {
			all := New(start)
			names := make([]string, hosts)
			for i := range names {
				names[i] = fmt.Sprintf("www%d.example.com", i)
			}
			c := &Capture{MIME: "text/html", Body: 1}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.Host = names[i%hosts]
				all.Count(start, c)
			}
		})
	}
}

// TestForgetHosts: a host that is forgotten is named no more, the sums stay, and its place serves
// another one, also where all places are taken.
func TestForgetHosts(t *testing.T) {
	all := New(start)
	for i := range manyHosts {
		for range 2 + i%3 {
			all.Count(start, &Capture{Host: fmt.Sprintf("h%d.example", i), Body: 1})
		}
	}
	before := all.Snapshot(start, 0)
	all.ForgetHosts([]string{"h7.example", "h8.example", "h8.example", "never.example"})
	s := all.Snapshot(start, 0)
	if len(s.ByHost) != manyHosts-2 || len(all.Hosts()) != manyHosts-2 {
		t.Fatalf("%d hosts, %d are told", len(s.ByHost), len(all.Hosts()))
	}
	sum := s.OtherHosts.Captures
	for _, host := range s.ByHost {
		if sum += host.Captures; host.Name == "h7.example" || host.Name == "h8.example" || host.Name == "" {
			t.Errorf("%+v is told still", host)
		}
	}
	total := before.OtherHosts.Captures
	for _, host := range before.ByHost {
		total += host.Captures
	}
	if sum != total || s.OtherHosts.Captures != 3+4 {
		t.Errorf("%d captures are told and %d were counted, %d of others", sum, total, s.OtherHosts.Captures)
	}
	for i, host := range []string{"new.example", "", "h8.example"} { // the first two take the free places
		all.Count(start, &Capture{Host: host})
		s, want := all.Snapshot(start, 0), min(manyHosts-1+i, manyHosts)
		if len(s.ByHost) != want || len(all.hosts.heap) != manyHosts {
			t.Errorf("after %q: %d hosts in %d places, want %d", host, len(s.ByHost), len(all.hosts.heap), want)
		}
	}
	for i := 1; i < len(all.hosts.heap); i++ {
		if all.hosts.rank(i) < all.hosts.rank((i-1)/2) {
			t.Fatalf("place %d is out of order", i)
		}
	}
}

// TestForgetHostsEarly: places that became free while there was room for all are taken too, before any
// host that is known goes, however seldom that has come.
func TestForgetHostsEarly(t *testing.T) {
	all := New(start)
	for _, host := range []string{"a.example", "b.example", "c.example"} {
		for range 5 {
			all.Count(start, &Capture{Host: host})
		}
	}
	all.ForgetHosts([]string{"a.example", "c.example"})
	for i := range manyHosts - 1 {
		all.Count(start, &Capture{Host: fmt.Sprintf("h%d.example", i)})
	}
	if s := all.Snapshot(start, 0); len(s.ByHost) != manyHosts || s.OtherHosts.Captures != 2*5 {
		t.Errorf("%d hosts are told, %d captures are with the others", len(s.ByHost), s.OtherHosts.Captures)
	}
}
