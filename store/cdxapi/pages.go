package cdxapi

import (
	"context"
	"sync"
	"time"

	"warcorder/store"
)

// pages know where the pages of what was asked for end. A page is a range of URL keys: what comes to
// it later on is in it, so whoever asks for one page after another has every capture once. The last
// page stays the last one, and has all that comes behind it.
type pages struct {
	most int // bytes

	mutex  sync.Mutex
	ranges map[pagedRange]*ends
}

// pagedRange is what is divided into pages.
type pagedRange struct {
	index    *store.Bolt
	url      string
	match    store.Match
	from, to string
}

// ends are the ends of the blocks of a range, as far as they have been counted.
type ends struct {
	turn   chan bool // has one value while nobody counts
	places []store.Place
	bytes  int
	areAll bool // there is no other one: the last page may have been given, without an end

	used time.Time // under the mutex of pages
}

// How long ends are known after they were last asked for, and of how many ranges.
const (
	knownFor  = 10 * time.Minute
	mostKnown = 16
)

// of returns the ends of a range.
func (p *pages) of(r pagedRange) *ends {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	now := time.Now()
	for other, e := range p.ranges {
		if now.Sub(e.used) > knownFor || other.index != r.index {
			delete(p.ranges, other)
		}
	}
	e := p.ranges[r]
	if e == nil {
		if len(p.ranges) >= mostKnown {
			p.forgetOldest()
		}
		e = &ends{turn: make(chan bool, 1)}
		e.turn <- true
		p.ranges[r] = e
	}
	e.used = now
	return e
}

func (p *pages) forgetOldest() {
	var oldest pagedRange
	for r, e := range p.ranges {
		if first := p.ranges[oldest]; first == nil || e.used.Before(first.used) {
			oldest = r
		}
	}
	delete(p.ranges, oldest)
}

// find narrows a walk to the page that is asked for, or answers how many there are. It is false if
// that has been answered, or there is no such page.
func (p *pages) find(r *run, walk *store.Walk) (isThere bool, err error) {
	e := p.of(pagedRange{index: r.index, url: r.query.URL, match: r.query.Match, from: r.query.From,
		to: r.query.To})
	select {
	case <-e.turn:
		defer func() { e.turn <- true }()
	case <-r.ctx.Done():
		return false, context.Cause(r.ctx)
	}
	first, behind := r.page*r.pageSize, (r.page+1)*r.pageSize
	if r.counts {
		behind = maxNumber
	}
	blocks, err := e.count(r, behind, p.most)
	if err != nil {
		return false, err
	}
	if r.counts {
		r.sayCounts(r.answer.w, (blocks+r.pageSize-1)/r.pageSize, r.pageSize, blocks)
		return false, nil
	}
	if first >= blocks {
		return false, r.noPage(blocks)
	}
	if first > 0 {
		walk.From = e.places[first-1]
	}
	if behind < blocks {
		walk.Until = e.places[behind-1]
	}
	return true, nil
}

// noPage answers for a page that there is not.
func (r *run) noPage(blocks int) error {
	if r.pastPages || blocks == 0 {
		r.format.none = ""
		r.answer.format = r.format
		r.answer.finish()
		return nil
	}
	return bad("page", "%d is behind the last page, which is %d; the first is 0", r.page,
		(blocks-1)/r.pageSize)
}

// count counts on until so many blocks are known, or all, behind the last end that is known. It
// returns how many there are, or one more than that if there are others.
func (e *ends) count(r *run, blocks, most int) (int, error) {
	if len(e.places) >= blocks || e.areAll {
		return len(e.places) + 1, nil
	}
	walk := store.Walk{Context: r.ctx, Query: r.query}
	if len(e.places) > 0 {
		walk.From = e.places[len(e.places)-1]
	}
	goesOn := true
	total, err := r.index.Places(walk, r.bounds.block, func(place store.Place) bool {
		e.places = append(e.places, place)
		e.bytes += len(place.String()) + 16
		goesOn = len(e.places) < blocks && e.bytes <= most
		return goesOn
	})
	switch {
	case err != nil:
		return 0, err
	case e.bytes > most:
		e.places, e.bytes = nil, 0
		return 0, &tooMuch{"What is asked for has too many pages to remember where they end: narrow url."}
	case total == 0 && len(e.places) == 0:
		return 0, nil
	}
	e.areAll = goesOn
	return len(e.places) + 1, nil
}
