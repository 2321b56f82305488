// Package lately tells of the newest pages of a collection while that is recorded: which there are,
// what each lacks, and what belongs to it. Start with [New]; [Lately.List] and [Lately.Page] are
// pages over HTTP, for a page in a browser that asks every two seconds.
//
//	GET …?limit=50&before=CURSOR&text=WORD   the pages, the newest first     list.go
//	GET …?id=ID&offset=N                     one, with its exchanges         page.go, notes.go
//
// Which pages there are says a follower (package pages), and what is wrong with a capture says package
// report; state.go and asked.go count that, so that a list says of each page what its report does.
// unsure.go says of which pages nobody knows all: recording was paused meanwhile, or something is still
// on its way.
//
// Invariant: no page is said to be whole of which something was not looked at. Nothing is done unless
// somebody asks, and one look at the collection in each second serves all who do. What a question costs
// is bounded, however much there is: what could not be looked at yet is said to be pending, and the next
// question goes on there. What was answered once stays until it is looked at anew.
package lately

import (
	"context"
	"errors"
	"sync"
	"time"

	"warcorder/store"
	"warcorder/store/pages"
	"warcorder/store/readback"
	"warcorder/store/report"
)

// Source is a collection that is being recorded.
type Source struct {
	Index *store.Bolt
	Files *readback.Files // by the index; Close closes them

	// Gaps returns the newest gaps, as Bolt.Gaps does.
	Gaps func(limit int) (store.Gaps, error)

	// Settle waits until what clients have got is in the index, and no longer than it must. It may be
	// nil.
	Settle func(context.Context) error

	// GoingOn says when the exchanges began that go on, and Paused of what time until now nothing, or
	// not all, was recorded by wish; nil if of none. Both may be nil.
	GoingOn func() []time.Time
	Paused  func() *pages.Span

	// Broke is told of a panic, once, while the stack is still there. It may be nil.
	Broke func(value any)

	// Took says how long an exchange took, in milliseconds, while that is known: no file tells. It may
	// be nil.
	Took func(file string, offset int64) (ms int64, known bool)
}

// Lately tells of the newest pages of one collection. It is safe for concurrent use.
type Lately struct {
	Source
	files   *readback.Files
	pages   *pages.Pages
	reports *report.Reports
	titles  titles
	bodies  bodies
	ours    ours
	judging *judging
	details details

	once    time.Duration   // is the time of one look
	context context.Context // of the looks

	mostLooked, mostExchanges int // tests have fewer
	stop                      context.CancelFunc

	following sync.Mutex // is held while follower works
	follower  *pages.Follower

	mu    sync.Mutex
	last  view
	gone  int           // of latest, when all that is remembered was begun
	broke bool          // a look has panicked
	going chan struct{} // closed when the look that is under way ends; nil if there is none
}

// view is what was seen at a look.
type view struct {
	*pages.Latest // nil: nobody has seen anything yet
	number        int64
	at            time.Time // when the look began; later where the next one has to wait
	err           error
	unsure        unsure
}

const (
	usualOnce = time.Second
	patience  = 2 * time.Second // that a question has for a look, before it gets what there was
	healing   = time.Minute     // after a panic, before the next look
)

// New returns what tells of the newest pages. Close ends its work.
func New(s Source) *Lately {
	files := s.Files
	l := &Lately{Source: s, files: files, pages: pages.New(s.Index, files),
		reports: report.New(s.Index, files), once: usualOnce,
		mostLooked: mostLooked, mostExchanges: mostExchanges}
	l.reports.Gaps, l.reports.TempDir = s.Gaps, s.Index.TempDir
	l.titles, l.bodies, l.ours, l.details = newTitles(), newBodies(), newOurs(), newDetails()
	l.judging = newJudging(l)
	l.context, l.stop = context.WithCancel(context.Background())
	l.follower = l.pages.Follow(s.Gaps)
	return l
}

// Close ends the look that is under way.
func (l *Lately) Close() error {
	l.stop()
	l.mu.Lock()
	going := l.going
	l.mu.Unlock()
	if going != nil {
		<-going
	}
	return l.files.Close()
}

// look returns what was seen at a look that began no longer ago than a second; or before that, where a
// look takes longer than people wait.
func (l *Lately) look(ctx context.Context) (view, error) {
	l.mu.Lock()
	if time.Since(l.last.at) < l.once {
		defer l.mu.Unlock()
		return l.last, l.last.err
	}
	if l.going == nil {
		l.going = make(chan struct{})
		go l.lookNow(l.going)
	}
	going := l.going
	l.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-going:
	case <-timer.C:
	case <-ctx.Done():
		return view{}, ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last.Latest == nil && l.last.err == nil {
		return view{Latest: &pages.Latest{Behind: true}}, nil
	}
	return l.last, l.last.err
}

// lookNow looks, and lets who waits know.
func (l *Lately) lookNow(done chan struct{}) {
	at := time.Now()
	latest, unsure, err := l.seen()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broke {
		l.broke = false
		at = at.Add(healing)
	}
	l.set(latest, at, err)
	l.last.unsure = unsure
	l.going = nil
	close(done)
}

// set lets a view be the last one. l.mu is held.
func (l *Lately) set(latest *pages.Latest, at time.Time, err error) {
	if err == nil && latest.Gone != l.gone {
		l.gone = latest.Gone
		l.forget()
	}
	l.last = view{latest, l.last.number + 1, at, err, l.last.unsure}
}

// seen is what there is now. A panic is an error: nothing that is recorded may be lost for who looks.
func (l *Lately) seen() (latest *pages.Latest, u unsure, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = l.caught(value)
		}
	}()
	before := l.before()
	u = l.unsureNow() // what goes on no more is in the index, or is a gap
	if l.Settle != nil {
		ctx, cancel := context.WithTimeout(l.context, usualOnce/2)
		u.unsettled = l.Settle(ctx) != nil // else what there is counts
		cancel()
	}
	l.following.Lock()
	defer l.following.Unlock()
	if latest, err = l.follower.Look(l.context); err == nil {
		u.loosen(&before, latest)
	}
	return latest, u, err
}

// errBroke is what is said for a panic.
var errBroke = errors.New("a fault of warcorder's own: the log has it; what is recorded is not touched, " +
	"and pages are looked for again in a minute")

// caught notes a panic, while the stack is still there.
func (l *Lately) caught(value any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broke = true
	if l.Broke != nil {
		l.Broke(value)
		l.Broke = nil
	}
	return errBroke
}

func (l *Lately) before() unsure {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last.unsure
}

// forget forgets what is remembered by places: other captures may lie there.
func (l *Lately) forget() {
	l.judging.forget()
	l.bodies.forget()
	l.ours.forget()
	l.details.forget()
	l.titles.forget()
}

// earlier is look with the pages before the pause before those of a view. It is done to its end, also
// where who has asked is gone: the next one finds it done.
func (l *Lately) earlier(v view) (_ view, more bool, err error) {
	l.following.Lock()
	defer l.following.Unlock()
	if more, err = l.follower.Earlier(l.context); !more || err != nil {
		return v, false, err
	}
	latest, err := l.follower.Look(l.context)
	if err != nil {
		return v, false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(latest, time.Now(), nil)
	return l.last, true, nil
}
