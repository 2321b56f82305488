package cmd

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// fleetStatus is what several recorders tell, and all of them together.
type fleetStatus struct {
	Recorders []askedOne `json:"recorders"` // in the order in which they were named
	Sum       fleetSum   `json:"sum"`
}

// askedOne is one of them.
type askedOne struct {
	Address string       `json:"address"`         // as it was given
	State   string       `json:"state"`           // one of the words below
	Error   string       `json:"error,omitempty"` // why it is down
	Status  *status      `json:"status,omitempty"`
	Shared  sharedSeries `json:"shared,omitempty"`
}

// What a recorder does.
const (
	isRecording = "recording"
	isPaused    = "paused"
	isOff       = "off"  // it answers, and cannot record
	isDown      = "down" // it does not answer, or not as a recorder does
	isTwice     = "twice"
)

// fleetSum is all of those that answer, each once. Counts are since the start of each.
type fleetSum struct {
	Recorders int `json:"recorders"`
	Recording int `json:"recording"`
	Paused    int `json:"paused"`
	Off       int `json:"off"`
	Down      int `json:"down"`
	Twice     int `json:"twice"` // addresses of one that another address leads to already

	Exchanges int64            `json:"exchanges"`
	InFlight  int64            `json:"inFlight"`
	Lost      int64            `json:"lost"`
	Captures  int64            `json:"captures"`
	Revisits  int64            `json:"revisits"`
	Bytes     int64            `json:"bytes"`
	Queued    int64            `json:"queued"`
	Large     int64            `json:"large"`
	PerSecond float64          `json:"exchangesPerSecond"` // over 1 min
	Gaps      map[string]int64 `json:"gaps"`
	Totals    fleetTotals      `json:"totals"`

	Free   *int64       `json:"free,omitempty"`   // the least, in bytes; nil if it is not known
	FreeAt string       `json:"freeAt,omitempty"` // whose that is
	Shared sharedSeries `json:"shared,omitempty"`

	Versions    map[string][]string `json:"versions"`    // which recorders have each
	Authorities map[string][]string `json:"authorities"` // the same, by the SHA-256 of what clients trust
}

// fleetTotals are what the collections hold together, over all their recordings.
type fleetTotals struct {
	Captures int64            `json:"captures"`
	Revisits *int64           `json:"revisits,omitempty"` // nil if one of them has not counted them
	Bytes    int64            `json:"bytes"`
	Files    int64            `json:"files"`
	Gaps     map[string]int64 `json:"gaps"`
}

// summed judges and sums up what recorders have told.
func summed(all []askedOne) fleetStatus {
	sum := fleetSum{Recorders: len(all), Gaps: map[string]int64{}, Shared: sharedSeries{},
		Versions: map[string][]string{}, Authorities: map[string][]string{}}
	sum.Totals.Gaps, sum.Totals.Revisits = map[string]int64{}, new(int64)
	known := map[string]string{}
	for i := range all {
		all[i].judge(known)
		sum.add(&all[i])
	}
	return fleetStatus{all, sum}
}

// judge says what a recorder does. known are those before it, by what tells them apart.
func (o *askedOne) judge(known map[string]string) {
	if o.Status == nil {
		o.State = isDown
		return
	}
	s := o.Status
	self := s.Started.UTC().String() + " " + s.Collection + " " + string(s.Dir)
	if before, is := known[self]; is {
		o.State, o.Error = isTwice, "it is the recorder at "+before
		return
	}
	known[self] = o.Address
	switch {
	case s.Paused:
		o.State = isPaused
	case s.Recording:
		o.State = isRecording
	default:
		o.State, o.Error = isOff, cut(ascii(s.Reason), mostReason)
	}
}

// add adds one to the sum, unless it is there.
func (f *fleetSum) add(o *askedOne) {
	switch o.State {
	case isDown:
		f.Down++
		return
	case isTwice:
		f.Twice++
		return
	case isRecording:
		f.Recording++
	case isPaused:
		f.Paused++
	case isOff:
		f.Off++
	}
	s := o.Status
	plus(&f.Exchanges, s.Exchanges)
	plus(&f.InFlight, s.InFlight)
	plus(&f.Lost, s.Lost)
	plus(&f.Captures, s.Captures)
	plus(&f.Revisits, s.Revisits)
	plus(&f.Bytes, s.Bytes)
	plus(&f.Queued, s.Queued)
	plus(&f.Large, s.Large)
	f.PerSecond += max(0, min(s.Rates.Minute.Exchanges, 1e12))
	addGaps(f.Gaps, s.Gaps)
	f.Totals.add(s)
	f.addFree(o)
	f.Shared.add(o.Shared)
	version, authority := cut(ascii(s.Version), 40), cut(ascii(s.Authority), 100)
	f.Versions[version] = append(f.Versions[version], o.Address)
	f.Authorities[authority] = append(f.Authorities[authority], o.Address)
}

func (t *fleetTotals) add(s *status) {
	plus(&t.Captures, s.Totals.Captures)
	plus(&t.Bytes, s.Totals.Bytes)
	plus(&t.Files, int64(s.Totals.Files))
	if s.Totals.Revisits == nil || t.Revisits == nil {
		t.Revisits = nil
	} else {
		plus(t.Revisits, *s.Totals.Revisits)
	}
	addGaps(t.Gaps, s.Totals.Gaps)
}

func (f *fleetSum) addFree(o *askedOne) {
	free := o.Status.Disk.Free
	if free != nil && (f.Free == nil || *free < *f.Free) {
		f.Free, f.FreeAt = free, o.Address
	}
}

// plus adds what a recorder says that it has: never less than nothing, and never around the end.
func plus(sum *int64, n int64) {
	*sum += min(max(0, n), math.MaxInt64-*sum)
}

// mostReasons bounds the reasons of gaps that are summed apart; otherReasons has those beyond.
const (
	mostReasons  = 64
	otherReasons = "other"
)

// addGaps adds gaps by reason.
func addGaps(sum, gaps map[string]int64) {
	for _, reason := range slices.Sorted(maps.Keys(gaps)) {
		n, name := sum[reason], reason
		if _, there := sum[reason]; !there && (len(sum) >= mostReasons || !isReason(reason)) {
			n, name = sum[otherReasons], otherReasons
		}
		plus(&n, gaps[reason])
		sum[name] = n
	}
}

// isReason reports a word that may be a reason of gaps, also one of a newer version.
func isReason(word string) bool {
	return word != "" && len(word) <= 32 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// isWell reports that all record.
func (f *fleetSum) isWell() bool { return f.Recording == f.Recorders }

// line is the sum in a line, for who looks often.
func (f *fleetStatus) line() string {
	s := &f.Sum
	line := count(s.Recorders, "recorder") + ", " + s.states() + "; " + commas(s.Exchanges) + " exchanges, " +
		commas(sum(s.Gaps)) + " gaps, " + commas(s.InFlight) + " in flight"
	for _, o := range f.Recorders {
		if o.State != isRecording {
			line += "; " + ascii(o.Address) + ": " + cmp.Or(o.Error, o.State)
		}
	}
	return line
}
