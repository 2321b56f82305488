// Package calendar counts captures by day: those of one URL, below one, of a host or of a domain.
// Start with [Of]; [Page] answers over HTTP.
//
// What is counted is what the index has, revisits, 304s and parts included. The captures of one URL
// lie in the index in the order of time, so that of a day that has many the rest is passed over: of
// such a day it is told that there are more. Other captures lie in the order of their URLs, and are
// counted one by one.
//
// Invariant: whatever is in the index, no more than bounds.looked captures are looked at; where that
// is not enough, the answer says that it is cut, and what it counts is there.
package calendar

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"warcorder/store"
)

// Calendar is how many captures there are of each day, in UTC.
type Calendar struct {
	First    *time.Time          `json:"first"` // the earliest capture that was counted; nil: there is none
	Last     *time.Time          `json:"last"`
	Captures int                 `json:"captures"` // that were counted
	Years    map[string]*[12]int `json:"years"`    // by month
	Days     map[string]int      `json:"days"`     // 2026-05-01
	More     []string            `json:"more"`     // days that have more captures than were counted, sorted
	Cut      bool                `json:"cut"`      // not all days were looked at
}

// bounds are what is looked at.
type bounds struct {
	looked int // captures, of the whole answer
	aDay   int // of a day, while no more than half of these are looked at
	late   int // of a day, from then on
	rest   int // after so many of one URL the reading may have to stand back again
}

var usual = bounds{looked: 250_000, aDay: 500, late: 50, rest: 4096}

const dayLayout = "2006-01-02"

// Of counts the captures of a query.
func Of(ctx context.Context, index *store.Bolt, q store.Query) (Calendar, error) {
	return of(ctx, index, q, usual)
}

func of(ctx context.Context, index *store.Bolt, q store.Query, b bounds) (Calendar, error) {
	q.All = true
	c := counting{bounds: b, index: index}
	c.walk = store.Walk{Context: ctx, Query: q, Look: c.look}
	c.skips = cmp.Or(q.Match, store.Exact) == store.Exact
	c.Years, c.Days, c.More = map[string]*[12]int{}, map[string]int{}, []string{}
	for more := true; more; {
		var err error
		if more, err = c.stretch(); errors.Is(err, errEnough) {
			c.Cut = true
			break
		} else if err != nil {
			return Calendar{}, err
		}
	}
	slices.Sort(c.More)
	return c.Calendar, nil
}

// counting is a calendar while it is counted.
type counting struct {
	Calendar
	bounds
	index *store.Bolt
	walk  store.Walk

	skips     bool // captures come in the order of time, and the rest of a day can be passed over
	lookedAt  int
	sinceRest int
}

// errEnough says that no more captures are to be looked at.
var errEnough = errors.New("enough was looked at")

// look counts what is looked at.
func (c *counting) look(looked int, _ store.Place) error {
	c.lookedAt += looked
	c.sinceRest += looked
	if c.lookedAt >= c.looked {
		return errEnough
	}
	return nil
}

// stretch counts captures up to a day whose rest is passed over. It reports whether there may be
// others behind that.
func (c *counting) stretch() (more bool, err error) {
	c.walk.Looked = 0
	if c.sinceRest >= c.rest {
		c.walk.Looked, c.sinceRest = c.rest, 0
	}
	err = c.index.Walk(c.walk, func(capture *store.Capture) bool {
		more = c.isFull(capture)
		if !more {
			c.add(capture)
		}
		return !more
	})
	return more, err
}

// isFull reports whether a capture is one too many for its day, and if so lets the walk go on behind
// that day.
func (c *counting) isFull(capture *store.Capture) bool {
	most := c.aDay
	if c.lookedAt > c.looked/2 {
		most = c.late
	}
	at := store.FourDigitYear(capture.Time)
	day := at.Format(dayLayout)
	if !c.skips || c.Days[day] < most {
		return false
	}
	next := *capture
	next.Time = at.Truncate(24 * time.Hour).Add(24 * time.Hour)
	place := store.PlaceOf(&next)
	if place.String() <= store.PlaceOf(capture).String() {
		return false // a long URL key has one place, and the last day none behind it
	}
	c.More = append(c.More, day)
	c.walk.From = place
	return true
}

// add counts a capture.
func (c *counting) add(capture *store.Capture) {
	at := store.FourDigitYear(capture.Time)
	day := at.Format(dayLayout)
	c.Captures++
	c.Days[day]++
	year := c.Years[day[:4]]
	if year == nil {
		year = new([12]int)
		c.Years[day[:4]] = year
	}
	year[at.Month()-1]++
	if c.First == nil || at.Before(*c.First) {
		c.First = &at
	}
	if c.Last == nil || at.After(*c.Last) {
		c.Last = &at
	}
}
