package store

import "time"

// Period is a range of time, both ends inclusive, in seconds: as From and To of a Query say it. The
// zero Period is not used: NewPeriod makes one.
type Period struct{ from, to string }

// NewPeriod returns the period from a timestamp to another: 1 to 14 digits of YYYYMMDDhhmmss; "" is
// the beginning, or the end.
func NewPeriod(from, to string) (p Period, err error) {
	if p.from, err = padTime(from, '0'); err != nil {
		return p, err
	}
	p.to, err = padTime(to, '9')
	return p, err
}

// Has reports whether t is in the period.
func (p Period) Has(t time.Time) bool { return !p.Before(t) && !p.After(t) }

// Before reports whether t lies before the period.
func (p Period) Before(t time.Time) bool {
	return string(appendSeconds(nil, FourDigitYear(t))) < p.from
}

// After reports whether t lies after the period.
func (p Period) After(t time.Time) bool {
	return string(appendSeconds(nil, FourDigitYear(t))) > p.to
}

// Begin returns a moment that no moment of the period precedes: its first one, if there is such a
// time, else one of the second, the minute and so on that is the last before.
func (p Period) Begin() time.Time {
	number := func(text string) (n int) {
		for _, c := range []byte(text) {
			n = 10*n + int(c-'0')
		}
		return n
	}
	year, month, day := number(p.from[:4]), number(p.from[4:6]), number(p.from[6:8])
	switch { // what is smaller than any month or day has all of its year or month behind it
	case month == 0:
		return time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC)
	case day == 0:
		return time.Date(year, time.Month(min(month, 12)), 1, 0, 0, 0, 0, time.UTC)
	}
	month = min(month, 12)
	days := time.Date(year, time.Month(month+1), 0, 0, 0, 0, 0, time.UTC).Day()
	return time.Date(year, time.Month(month), min(day, days), min(number(p.from[8:10]), 23),
		min(number(p.from[10:12]), 59), min(number(p.from[12:14]), 59), 0, time.UTC)
}
