// Package lately tells of the newest pages of a collection while that is recorded: which there are,
// what each lacks, and what belongs to it. Start with [New]; [Lately.List] and [Lately.Page] are
// pages over HTTP, for a page in a browser that asks every two seconds.
//
//	GET …?limit=50&before=CURSOR&text=WORD   the pages, the newest first     list.go
//	GET …?id=ID&offset=N                     one, with its exchanges         page.go, notes.go
//
// Which pages there are says a follower (package pages), and what is wrong with a capture says package
// report; state.go counts that, so that a list says of each page what its report does.
//
// Invariant: nothing is done unless somebody asks, and one look at the collection in each second
// serves all who do. What a question costs is bounded, however much there is: what could not be looked
// at yet is said to be pending, and the next question goes on there.
package lately

import (
	"context"
	"sync"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/pages"
	"warcorder/store/readback"
	"warcorder/store/report"
)

// Source is a collection that is being recorded.
type Source struct {
	Dir   collection.Dir
	Index *store.Bolt

	// Gaps returns the newest gaps, as Bolt.Gaps does.
	Gaps func(limit int) (store.Gaps, error)

	// Settle waits until what clients have got is in the index, and no longer than it must. It may be
	// nil.
	Settle func(context.Context) error

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
	sizes   sizes
	judging judging
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
	going chan struct{} // closed when the look that is under way ends; nil if there is none
}

// view is what was seen at a look.
type view struct {
	*pages.Latest // nil: nobody has seen anything yet
	number        int64
	at            time.Time // when the look began
	err           error
}

const (
	usualOnce = time.Second
	patience  = 2 * time.Second // that a question has for a look, before it gets what there was
)

// New returns what tells of the newest pages. Close ends its work.
func New(s Source) *Lately {
	files := readback.New(s.Dir, s.Index)
	l := &Lately{Source: s, files: files, pages: pages.New(s.Index, files),
		reports: report.New(s.Index, files), once: usualOnce,
		mostLooked: mostLooked, mostExchanges: mostExchanges}
	l.reports.Gaps, l.reports.TempDir = s.Gaps, s.Index.TempDir
	l.sizes = newSizes()
	l.titles, l.judging, l.details = newTitles(), newJudging(l), newDetails()
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

func (l *Lately) lookNow(done chan struct{}) {
	at := time.Now()
	if l.Settle != nil {
		ctx, cancel := context.WithTimeout(l.context, usualOnce/2)
		_ = l.Settle(ctx) // else what there is counts
		cancel()
	}
	l.following.Lock()
	latest, err := l.follower.Look(l.context)
	l.following.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && latest.Gone != l.gone {
		l.gone = latest.Gone
		l.forget()
	}
	l.last = view{latest, l.last.number + 1, at, err}
	l.going = nil
	close(done)
}

// forget forgets what is remembered by places: other captures may lie there.
func (l *Lately) forget() {
	l.judging.mu.Lock()
	l.judging.verdicts.Purge()
	l.judging.judged.Purge()
	l.judging.mu.Unlock()
	l.sizes.mu.Lock()
	l.sizes.known.Purge()
	l.sizes.mu.Unlock()
	l.details.mu.Lock()
	l.details.known.Purge()
	l.details.mu.Unlock()
	l.titles.mu.Lock()
	l.titles.known.Purge()
	l.titles.mu.Unlock()
}

// earlier is look with the pages before the pause before those of a view.
func (l *Lately) earlier(ctx context.Context, v view) (_ view, more bool, err error) {
	l.following.Lock()
	defer l.following.Unlock()
	if more, err = l.follower.Earlier(ctx); !more || err != nil {
		return v, false, err
	}
	latest, err := l.follower.Look(ctx)
	if err != nil {
		return v, false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = view{latest, l.last.number + 1, time.Now(), nil}
	return l.last, true, nil
}
