// Package tally counts what is recorded, as the overview of a running recorder draws it: samples
// over time, and totals by media type and by host.
//
// A recorder has one [Tally]. It calls Count for each capture when that is on disk, and Gap for
// each gap; whoever draws takes a [Snapshot], of which the fields are JSON as they are.
//
//	Rates   360 samples of 10 seconds: the last hour      samples.go
//	Day     1440 samples of a minute: the last day
//	ByType  of 200 media types, most captures first       top.go
//	ByHost  of 1000 hosts, most captures first
//
// Samples of quiet times are there, as zeroes, and none is from before the start. The last sample
// goes on.
//
// Invariant: memory is bounded whatever names come, a count is a few steps and allocates nothing
// for a name that is known, and what ByType or ByHost tell adds up, with the others, to all that
// was counted.
package tally

import (
	"strings"
	"sync"
	"time"
)

// Tally counts. Its methods are safe for concurrent use; none waits but for another's count, or for
// the copy that a snapshot takes.
type Tally struct {
	mu    sync.Mutex
	hour  samples
	day   samples
	types top
	hosts top
	gaps  map[string]int64
}

// How many names are told apart, and how long they are at most: that of a host as DNS has it, that
// of a media type as RFC 6838 has its two halves.
const (
	manyTypes = 200
	manyHosts = 1000
	maxName   = 255
	// reasons of gaps are words of ours
	manyReasons = 100
)

// New returns the tally of a recorder that starts at that time.
func New(now time.Time) *Tally {
	return &Tally{
		hour:  newSamples(now, 10*time.Second, 360),
		day:   newSamples(now, time.Minute, 24*60),
		types: newTop(manyTypes),
		hosts: newTop(manyHosts),
		gaps:  make(map[string]int64),
	}
}

// Capture is what is counted of one.
type Capture struct {
	Host    string // as the URL has it; "" if it has none
	MIME    string // media type of what came, also for a revisit; "" if unknown
	Body    int64  // bytes of the response's body, as they came
	Written int64  // bytes of the record in its file
	Revisit bool   // the body was not stored again
	Extra   bool   // it is no exchange
}

// Count counts a capture that is on disk.
func (t *Tally) Count(now time.Time, c *Capture) {
	one := Sample{Captures: 1, Bytes: c.Body, Written: c.Written}
	if !c.Extra {
		one.Exchanges = 1
	}
	if c.Revisit {
		one.Revisits, one.Spared = 1, c.Body
	} else {
		one.Stored = 1
	}
	host, kind := name(c.Host), name(c.MIME)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hour.at(now).add(&one)
	t.day.at(now).add(&one)
	t.types.count(kind, c.Body)
	t.hosts.count(host, c.Body)
}

// Gap counts n gaps of a reason.
func (t *Tally) Gap(now time.Time, reason string, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hour.at(now).Gaps += n
	t.day.at(now).Gaps += n
	if _, known := t.gaps[reason]; known || len(t.gaps) < manyReasons {
		t.gaps[reason] += n
	}
}

// Hosts returns the hosts that are told apart, in no order.
func (t *Tally) Hosts() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]string, 0, len(t.hosts.at))
	for host := range t.hosts.at {
		all = append(all, host)
	}
	return all
}

// ForgetHosts names hosts no more, as Hosts returned them: what was counted of them is with the others.
func (t *Tally) ForgetHosts(hosts []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, host := range hosts {
		t.hosts.forget(host)
	}
}

// name is how a name is counted.
func name(of string) string { return strings.ToLower(of[:min(len(of), maxName)]) }

// Snapshot is what was counted by a moment.
type Snapshot struct {
	Rates  []Sample         `json:"rates"` // oldest first
	Day    []Sample         `json:"day"`   // oldest first
	ByType []Total          `json:"byType"`
	ByHost []Total          `json:"byHost"`
	Gaps   map[string]int64 `json:"gaps"` // since the start, by reason

	// what is in none of the two lists above
	OtherTypes Total `json:"otherTypes"`
	OtherHosts Total `json:"otherHosts"`
}

// Total is what was counted for a name.
type Total struct {
	Name     string `json:"name"`
	Captures int64  `json:"captures"`
	Bytes    int64  `json:"bytes"` // of bodies, as they came
}

// Snapshot returns what was counted until now, which the caller may keep. Of types and hosts it
// lists the most frequent ones, at most limit each; 0 is all that are told apart.
func (t *Tally) Snapshot(now time.Time, limit int) Snapshot {
	var s Snapshot
	types, hosts := t.copyTo(&s, now)
	s.ByType, s.OtherTypes = types.list(limit)
	s.ByHost, s.OtherHosts = hosts.list(limit)
	return s
}

// copyTo is as much of Snapshot as must be of one moment.
func (t *Tally) copyTo(s *Snapshot, now time.Time) (types, hosts totals) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.Rates, s.Day = t.hour.list(now), t.day.list(now)
	s.Gaps = make(map[string]int64, len(t.gaps))
	for reason, n := range t.gaps {
		s.Gaps[reason] = n
	}
	return t.types.copy(), t.hosts.copy()
}
