package cdxapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"warcorder/store"
)

// question is what a request asks, once its parameters have been judged.
type question struct {
	query store.Query
	order order
	at    time.Time // from where to go, in the order outwards

	limit   int // lines; 0 is all
	last    int // so many of the last lines, if it is not 0, in their order
	skipped int // captures at the beginning that are passed over

	filters  []filter
	whole    func(*line) string   // what a filter without a field reads
	collapse []func(*line) string // lines of which that is as before are left out
	inTime   bool                 // that is judged in the order of time, whatever that of the lines
	resolve  bool                 // revisits get what is known of their originals
	from, to string               // of time, if the query has none since revisits are resolved

	isPaged  bool // it asks for a page
	page     int
	pageSize int  // blocks
	counts   bool // it asks how many pages there are, and no more

	resume    position // from where to go on
	resumable bool     // a key to go on is to be given

	format    format
	links     *linkMap // that format writes; nil if it is no time map of links
	sayCounts func(http.ResponseWriter, counted)
	pastPages bool // a page behind the last one has no lines; otherwise it is an error
}

// order is that of lines.
type order int

const (
	forwards order = iota
	backwards
	outwards // by the distance from a moment
)

// isExact reports whether the question is for one URL key.
func (q *question) isExact() bool { return q.query.Match == "" || q.query.Match == store.Exact }

// lookedFor returns what the index has to have for the answer: the ends of a time map are those of all.
func (q *question) lookedFor() store.Query {
	all := q.query
	if q.links != nil {
		all.From, all.To = "", ""
	}
	return all
}

// run answers a question.
type run struct {
	*question
	ctx    context.Context
	index  *store.Bolt
	bounds bounds
	answer answer
	told   func(ctx context.Context, looked int)

	looked   int  // captures, since the last line
	filtered int  // bytes that filters have read, and that do not count in looked yet
	given    int  // lines that have been given or kept
	isEnough bool // no other line is wanted
	keeps    bool // lines are kept, and given when all is read

	originals *originals
	previous  []previous // of what is collapsed
	passed    position   // how far it has come
	again     int        // captures of resume.n that came again
	next      store.Place
	isStale   bool   // captures that come are behind next
	scratch   []byte // of lines
}

// handle answers a question about an index.
func (h *handler) handle(w http.ResponseWriter, r *http.Request, q *question) {
	run := run{question: q, ctx: r.Context(), bounds: h.bounds, told: h.told}
	run.index = h.current(run.ctx, q.lookedFor())
	run.answer = answer{w: w, format: q.format}
	if run.index == nil {
		run.answer.fail(store.ErrReplaced)
		return
	}
	walk := store.Walk{Context: r.Context(), Query: q.query, Look: run.look}
	if q.links != nil {
		if err := run.findEnds(&walk); err != nil {
			run.answer.fail(err)
			return
		}
		run.answer.format = q.links.format()
	}
	if q.isPaged || q.counts {
		isThere, err := h.pages.find(&run, &walk)
		if err != nil {
			run.answer.fail(err)
			return
		}
		if !isThere {
			return
		}
	}
	if err := run.read(walk); err != nil && !run.stopsAt(err) {
		run.answer.fail(err)
		return
	}
	run.answer.finish()
}

// look is told of each transaction of a walk.
func (r *run) look(looked int, next store.Place) error {
	r.looked += looked
	if r.told != nil {
		r.told(r.ctx, looked)
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.looked > r.bounds.looked {
		return r.tooMuch() // what was looked at just now is not given
	}
	if r.isStale = next == (store.Place{}); !r.isStale {
		r.next = next
	}
	return nil
}

func (r *run) tooMuch() error {
	return &tooMuch{"A query may look at " + thousands(r.bounds.looked) + " captures one after another " +
		"without finding a line, and this one has. Narrow it by url, from or to; or ask for one page " +
		"after another, with page= and showNumPages=true; or take all lines by warcorder export."}
}

// read reads what the walk gives, in the order that is asked for.
func (r *run) read(walk store.Walk) error {
	if r.resume.place.String() > walk.From.String() {
		walk.From = r.resume.place
	}
	if r.resolve {
		if err := r.prepareOriginals(walk); err != nil {
			return err
		}
	}
	switch {
	case r.order == outwards && r.isExact() && !r.isPaged && !r.resolve && len(r.collapse) == 0:
		return r.each(func(yield func(*store.Capture) bool) error {
			return r.index.Outwards(walk, r.at, yield)
		}, r.answer.give)
	case r.order == outwards:
		return r.nearest(walk)
	case r.last > 0:
		return r.lastOf(walk)
	case r.order == backwards && r.inTime && len(r.collapse) > 0:
		return r.firstOfEach(walk)
	}
	walk.Back = r.order == backwards
	return r.each(r.walking(walk), r.answer.give)
}

// walking returns a walk as what each reads.
func (r *run) walking(walk store.Walk) func(func(*store.Capture) bool) error {
	return func(yield func(*store.Capture) bool) error { return r.index.Walk(walk, yield) }
}

// each gives the lines of captures, as many as are wanted.
func (r *run) each(read func(func(*store.Capture) bool) error, give func(*line) error) (err error) {
	ended := read(func(c *store.Capture) bool {
		if r.isEnough {
			r.resumeHere()
			return false
		}
		l := line{Capture: c, scratch: &r.scratch}
		if !r.wants(&l) {
			return err == nil
		}
		if !r.keeps {
			r.looked = 0
		}
		if err = give(&l); err != nil {
			return false
		}
		r.given++
		r.isEnough = r.limit > 0 && r.given >= r.limit
		return !r.isEnough || r.resumable
	})
	if err == nil {
		err = ended
	}
	return err
}

// wants reports whether a capture has a line in the answer.
func (r *run) wants(l *line) bool {
	if r.passes(l.Capture) {
		return false
	}
	if r.skipped > 0 {
		r.skipped--
		return false
	}
	if r.resolve {
		r.originals.resolve(l)
		if !r.isInTime(l) {
			return false
		}
	}
	pass, read := passes(r.filters, l, r.whole)
	r.filtered += read
	r.looked += r.filtered / perLooked
	r.filtered %= perLooked
	return pass && r.isNew(l)
}

// isInTime reports whether a line is of the time that is asked for, where the walk has all.
func (r *run) isInTime(l *line) bool {
	timestamp := l.value("timestamp")
	return timestamp >= r.from && (r.to == "" || timestamp <= r.to+strings.Repeat("9", 14-len(r.to)))
}
