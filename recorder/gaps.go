package recorder

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
)

// The reasons of gaps: why an exchange or a connection is not in the archive, or not all of it.
// Those of files and spans of time are of package recovery.
const (
	// GapTunnelled was passed on without being read: what follows a 101, or a CONNECT to a host that
	// the operator has named.
	GapTunnelled = "tunnelled"

	// GapRefused was refused by the proxy: it could not be understood, was over a limit, or nothing
	// can be recorded at present.
	GapRefused = "refused"

	// GapBlocked is a place that the proxy may not connect to.
	GapBlocked = "blocked"

	// GapUpstream is an origin that gave no answer.
	GapUpstream = "upstream"

	// GapCut broke off: the record holds what came. Or it is a whole, of which a part had come,
	// that did not come; the detail says whether it was asked for.
	GapCut = "cut"

	// GapWrite could not be written.
	GapWrite = "write"

	// GapCoding is recorded as it came, in a content coding that other readers of archives do not
	// know.
	GapCoding = "coding"

	// GapUnrecorded was passed on by the operator's wish: of a host that is not recorded, or while
	// recording was paused. It is only counted.
	GapUnrecorded = "unrecorded"

	// GapPaused is a time in which recording was paused, and something passed.
	GapPaused = "paused"
)

// GapReasons are all of them, in the order in which people read them.
var GapReasons = []string{
	GapUpstream, GapCut, GapRefused, GapBlocked, GapTunnelled, GapWrite,
	recovery.GapMissing, recovery.GapCrash, GapCoding, GapPaused, GapUnrecorded,
}

const (
	// gapsWaiting is how many gaps wait for the index with their facts; more are only counted.
	gapsWaiting = 1000

	// gapsEvery is the time between two transactions that bring gaps to the index: a flood of them
	// must not slow the captures.
	gapsEvery = time.Second
)

// gapList holds the gaps that are not in the index yet, and brings them there every gapsEvery.
//
// It is bounded: behind gapsWaiting gaps with their facts only counts go on, by reason, and of what time
// these are (beyond). A flush
// takes all that waits, and puts it back in front if the index does not take it; so a gap is in the
// list, or it waits, or it is in the log, which is where close and what comes after it write those
// that could not be flushed.
//
// flushing is held during a whole flush, so that a reader who flushes first sees all gaps that were
// noted before, also those that another flush has under way; mu is not held while the index is
// written to, so that noting a gap never waits for the disk.
type gapList struct {
	log     zerolog.Logger
	index   *store.Bolt
	telling *telling
	caught  func(value any, where string) error // of panics

	mu      sync.Mutex
	total   map[string]int64 // since the start, by reason
	before  map[string]int64 // the same, of all recordings before
	waiting []store.Gap      // oldest first
	more    map[string]int64 // counts of those that came when waiting was full
	beyond  beyond           // of what time these are
	sums    map[string]int64 // of what was counted without facts, and the feed is not told of
	timer   *time.Timer      // of the next flush; nil while nothing waits
	closed  bool
	ended   bool // the last flush has begun

	flushing sync.Mutex
}

// newGapList returns the list of a recorder that has noted nothing; before are the gaps by then.
func newGapList(index *store.Bolt, before map[string]int64, caught func(any, string) error,
	telling *telling, log zerolog.Logger) *gapList {
	return &gapList{
		log: log, index: index, telling: telling, before: before, caught: caught,
		total: make(map[string]int64), more: make(map[string]int64),
	}
}

// note is Recorder.Gap.
func (l *gapList) note(reason, url, detail string) {
	l.noteOf(reason, url, detail, store.Visit{})
}

// noteOf is Recorder.GapOf.
func (l *gapList) noteOf(reason, url, detail string, visit store.Visit) {
	g := store.Gap{Time: time.Now(), Reason: reason, URL: url, Detail: detail, Visit: visit}
	g = g.Cut()
	// else a few bytes would hold on to a long head
	g.URL, g.Detail = strings.Clone(g.URL), strings.Clone(g.Detail)
	l.add(g)
}

func (l *gapList) add(g store.Gap) {
	l.telling.gap(&g)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total[g.Reason]++
	if l.ended {
		l.logOne(&g)
		return
	}
	if len(l.waiting) < gapsWaiting {
		l.waiting = append(l.waiting, g)
	} else {
		l.more[g.Reason]++
		l.beyond.add(&g)
	}
	l.schedule()
}

func (l *gapList) count(reason string, n int64) {
	l.telling.gaps(reason, n)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total[reason] += n
	l.more[reason] += n
	if l.sums == nil {
		l.sums = make(map[string]int64)
	}
	l.sums[reason] += n
	l.schedule()
}

// schedule makes sure that what waits is flushed.
func (l *gapList) schedule() {
	if l.timer == nil && !l.closed {
		l.timer = time.AfterFunc(gapsEvery, func() { l.flush() })
	}
}

// flush brings what waits to the index. When that fails, it keeps waiting for the next try.
func (l *gapList) flush() error {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	l.mu.Lock()
	gaps, more, sums := append(l.waiting, l.beyond.listed(l.more)...), l.more, l.sums
	l.waiting, l.more, l.beyond, l.sums = nil, map[string]int64{}, nil, nil
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	l.mu.Unlock()
	l.telling.gapSums(sums)
	if len(gaps)+len(more) == 0 {
		return nil
	}
	err := l.put(gaps, more)
	if err != nil {
		l.takeBack(gaps, more)
	}
	return err
}

// put brings gaps to the index. A panic there is an error here.
func (l *gapList) put(gaps []store.Gap, more map[string]int64) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = l.caught(value, collection.IndexName)
		}
	}()
	return l.index.AddGaps(gaps, more)
}

// takeBack puts what could not be flushed in front of what came meanwhile.
func (l *gapList) takeBack(gaps []store.Gap, more map[string]int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(gaps, l.waiting...)
	for _, g := range l.waiting[min(gapsWaiting, len(l.waiting)):] {
		more[g.Reason]++
		l.beyond.add(&g)
	}
	l.waiting = l.waiting[:min(gapsWaiting, len(l.waiting))]
	for reason, n := range more {
		l.more[reason] += n
	}
	l.schedule()
}

// addWaiting adds what is not in the index to what is.
func (l *gapList) addWaiting(gaps *store.Gaps, limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	newest := slices.Concat(l.waiting, l.beyond)
	slices.Reverse(newest)
	gaps.Latest = append(newest, gaps.Latest...)
	if limit > 0 && len(gaps.Latest) > limit {
		gaps.Latest = gaps.Latest[:limit]
	}
	for _, g := range l.waiting {
		gaps.Counts[g.Reason]++
	}
	for reason, n := range l.more {
		gaps.Counts[reason] += n
	}
}

// totals returns the counts since the start, by reason.
func (l *gapList) totals() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.total)
}

// all returns the counts of all recordings, by reason.
func (l *gapList) all() map[string]int64 {
	all := l.totals()
	for reason, n := range l.before {
		all[reason] += n
	}
	return all
}

// tellWaiting logs the gaps that are not in the index, and will not be: the recorder ends without
// its disk.
func (l *gapList) tellWaiting() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.waiting {
		l.logOne(&l.waiting[i])
	}
}

// close flushes for the last time. What cannot be flushed is logged.
func (l *gapList) close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	err := l.flush()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	for i := range l.waiting { // that could not be flushed, or came since
		l.logOne(&l.waiting[i])
	}
	for reason, n := range l.more {
		l.log.Warn().Str("reason", reason).Int64("number", n).Msg("gaps that are not in the list")
	}
	if err != nil {
		return fmt.Errorf("the newest gaps are in the log and not in the list: %w", err)
	}
	return nil
}

// logOne logs a gap that the list does not take any more.
func (l *gapList) logOne(g *store.Gap) {
	l.log.Warn().Time("at", g.Time).Str("reason", g.Reason).Str("url", g.URL).Str("detail", g.Detail).
		Msg("a gap that is not in the list")
}

// maxLogged is how much of a text that came from outside is in a line of the log. A URL or a media
// type may be as long as a head, six times that when each byte of it is escaped, and come with
// every exchange: min-free-space does not see the disk of the log.
const maxLogged = 2 << 10

// Logged cuts a text that came from outside to maxLogged bytes, as the log shows it. The record has
// all of it.
func Logged(text string) string {
	if len(text) <= maxLogged {
		return text
	}
	return text[:maxLogged] + "…"
}
