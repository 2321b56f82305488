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

// counted is how many pages there are, of so many blocks each.
type counted struct {
	Pages    int  `json:"pages"`
	PageSize int  `json:"pageSize"`
	Blocks   int  `json:"blocks"`
	AtMost   bool `json:"atMost,omitempty"` // there may be fewer: the last ones are empty then
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
	turn     chan bool // has one value while nobody counts
	division *store.Division
	places   []store.Place
	bytes    int

	// isWhole says that no other end follows: the last page may have been given, without one.
	isWhole bool
	said    int // so many blocks a client was told of

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
	if r.counts {
		return false, e.tell(r, p.most)
	}
	first, behind := r.page*r.pageSize, (r.page+1)*r.pageSize
	if err := e.count(r, behind, r.bounds.looked+r.pageSize*r.bounds.block, p.most); err != nil {
		return false, err
	}
	switch blocks := e.known(); {
	case behind < blocks:
		walk.Until = e.places[behind-1]
	case !e.isWhole:
		return false, &later{"Where this page is has not been counted yet, and each time a part is counted: " +
			"ask again, or for one page after another."}
	case first >= blocks:
		return false, r.noPage(max(blocks, e.said))
	}
	if first > 0 {
		walk.From = e.places[first-1]
	}
	return true, nil
}

// tell answers how many pages there are. It counts what a query may look at, and of what is behind that
// takes the most that it can be: as many as the whole index has captures that were not counted. So the
// number is never too small, which would lose captures to whoever shares pages out among workers; those
// behind the last one are empty. cdx_toolkit asks for pages until there is none, and takes the number
// for an estimate alone.
func (e *ends) tell(r *run, most int) error {
	if e.said == 0 {
		if err := e.count(r, maxNumber, r.bounds.looked, most); err != nil {
			return err
		}
	}
	blocks, isMost := e.known(), !e.isWhole
	if isMost {
		all, err := r.index.Count()
		if err != nil {
			return err
		}
		if e.said == 0 {
			e.said = e.division.Most(len(e.places), int(all))
		}
		blocks = e.said
	}
	e.said = max(e.said, blocks)
	r.sayCounts(r.answer.w, counted{(blocks + r.pageSize - 1) / r.pageSize, r.pageSize, blocks, isMost})
	return nil
}

// noPage answers for a page that is not among so many blocks, or has nothing.
func (r *run) noPage(blocks int) error {
	if r.pastPages || r.page*r.pageSize < blocks || blocks == 0 {
		r.format.none = ""
		r.answer.format = r.format
		r.answer.finish()
		return nil
	}
	return bad("page", "%d is behind the last page, which is %d; the first is 0", r.page,
		(blocks-1)/r.pageSize)
}

// known returns how many blocks are known: the last one has no end yet, or none at all.
func (e *ends) known() int {
	if e.division == nil || e.division.Total() == 0 {
		return 0
	}
	return len(e.places) + 1
}

// count counts on until so many ends are known, or all, behind the last capture that was counted. It
// looks at no more than so many captures.
func (e *ends) count(r *run, blocks, looks, most int) (err error) {
	if e.known() == 0 { // there may be some by now
		e.isWhole = false
		if e.division, err = r.query.Divide(r.bounds.block); err != nil {
			return err
		}
	}
	for looked := 0; looked < looks && len(e.places) < blocks && !e.isWhole; {
		places, n, err := r.index.Divide(r.ctx, e.division, looks-looked, looked)
		if r.told != nil {
			r.told(r.ctx, n)
		}
		if looked += n; err != nil {
			return err
		}
		for _, place := range places {
			e.bytes += len(place.String()) + 16
		}
		e.places = append(e.places, places...)
		if e.bytes > most {
			e.division, e.places, e.bytes = nil, nil, 0
			return &tooMuch{"What is asked for has too many pages to remember where they end: narrow url."}
		}
		e.close()
	}
	return nil
}

// close notes whether no other end is to follow: all is counted, or as many blocks are there as a
// client was told of.
func (e *ends) close() {
	e.isWhole = e.division.IsOver()
	if e.said > 0 && len(e.places) >= e.said-1 {
		e.isWhole, e.places = true, e.places[:e.said-1]
	}
}
