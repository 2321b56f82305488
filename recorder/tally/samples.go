package tally

import "time"

// Sample is what was counted in a stretch of time.
type Sample struct {
	TS time.Time `json:"ts"` // when it began, in UTC

	Exchanges int64 `json:"exchanges"`
	Captures  int64 `json:"captures"` // those of exchanges, and of records that are none
	Bytes     int64 `json:"bytes"`    // of the bodies of responses, as they came
	Written   int64 `json:"written"`  // bytes of the records that are captures, in their files
	Stored    int64 `json:"stored"`   // captures of which the body was stored
	Revisits  int64 `json:"revisits"` // captures that refer to another one
	Spared    int64 `json:"spared"`   // bytes of the bodies of those, which were not stored again
	Gaps      int64 `json:"gaps"`
}

// add adds what b counts.
func (s *Sample) add(b *Sample) {
	s.Exchanges += b.Exchanges
	s.Captures += b.Captures
	s.Bytes += b.Bytes
	s.Written += b.Written
	s.Stored += b.Stored
	s.Revisits += b.Revisits
	s.Spared += b.Spared
	s.Gaps += b.Gaps
}

// samples are those of the newest stretches of time, in a ring: that of a stretch is at its number
// modulo their length. A clock that goes back is taken to stand still, until it has come as far
// again or lies a whole ring behind: then all begins anew.
type samples struct {
	every       time.Duration
	first, last int64 // stretches since 1970
	ring        []Sample
}

func newSamples(now time.Time, every time.Duration, n int) samples {
	s := samples{every: every, ring: make([]Sample, n)}
	s.first = s.number(now)
	s.last = s.first
	return s
}

func (s *samples) number(now time.Time) int64 { return now.UnixNano() / int64(s.every) }

// at is the sample of that time.
func (s *samples) at(now time.Time) *Sample {
	n, size := s.number(now), int64(len(s.ring))
	if n <= s.last-size {
		clear(s.ring)
		s.first, s.last = n, n
	}
	if n > s.last+size { // all of them are old
		clear(s.ring)
		s.last = n
	}
	for s.last < n {
		s.last++
		s.ring[s.last%size] = Sample{}
	}
	return &s.ring[s.last%size]
}

// list returns the samples by now, oldest first.
func (s *samples) list(now time.Time) []Sample {
	s.at(now)
	size := int64(len(s.ring))
	all := make([]Sample, 0, size)
	for n := max(s.first, s.last-size+1); n <= s.last; n++ {
		one := s.ring[n%size]
		one.TS = time.Unix(0, n*int64(s.every)).UTC()
		all = append(all, one)
	}
	return all
}
