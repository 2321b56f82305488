package proxy

import (
	"errors"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// completions asks for the whole of what clients have taken a part of: after a 206 that is not all,
// or an answer that broke off. A completion is an exchange of ours (run.go) in a session without a
// client: same connections, same limits, its own records, whose metadata record says what it
// follows.
//
//	note ──► queue ──► due ──► running ──► whole, or one gap "cut" with why
//	           │         complete-quiet after the last exchange of the URL has ended, or
//	           │         complete-within after the first; and a place of the host's and of all
//	           └──► not asked for: it is there by then, or has come to another client
//
// A URL is in the queue once, however often it is noted, with the request of its latest client.
// While an answer that is the whole is under way the URL waits for that one's end: it comes to its
// end without its client too, if there is a place for it (whole.go).
//
// The invariant is that what a page can make of it has bounds: complete-waiting completions in the
// queue, with maxHeads bytes of heads; complete-at-once that run, complete-per-host of one host;
// each of complete-max bytes and complete-timeout at most. What finds no place is a gap at once.
// Each version of a URL is asked for once, as far as maxAsked versions reach back, and of a URL
// whose version changes with each part one in complete-again; and an answer to a completion never
// makes another one. A gap is held back only while its completion is in the queue or runs.
type completions struct {
	relay *relay

	mu      sync.Mutex
	flights map[string]flight // answers under way, by URL
	queue   []*completion     // first come, first served
	byURL   map[string]*completion
	heads   int            // bytes in queue
	hosts   map[string]int // completions that run, by host
	running map[*session]struct{}
	places  int                           // taken by fetches that go on without their client
	asked   *lru.Cache[uint64, outcome]   // by version
	rests   *lru.Cache[uint64, time.Time] // by URL: until when it is not asked for again
	timer   *time.Timer                   // of the next that is due, at next
	next    time.Time
	hurries bool       // nothing waits for quiet
	stopped bool       // nothing is asked for
	moved   *sync.Cond // something has left the queue, or has ended

	wholes, failures int64
}

// flight is how many answers are under way that have something of a URL.
type flight struct{ parts, wholes int }

// outcome is what became of a version that was asked for.
type outcome uint8

const (
	pending outcome = iota
	there
	missed
	turnedAway // there was no place for it: it may be asked for later
)

const (
	// maxHeads is how many bytes the heads and URLs of all that wait may take.
	maxHeads = 16 << 20

	// maxAsked is how many versions are remembered that were asked for.
	maxAsked = 1 << 16

	// maxRests is of how many URLs it is remembered until when they rest.
	maxRests = 1 << 10

	// restFactor is how much longer a URL rests than its whole took to come.
	restFactor = 10
)

func newCompletions(r *relay) *completions {
	asked, err := lru.New[uint64, outcome](maxAsked)
	rests, err2 := lru.New[uint64, time.Time](maxRests)
	if err := errors.Join(err, err2); err != nil {
		panic(err) // only for a size below 1
	}
	q := &completions{
		relay: r, asked: asked, rests: rests,
		flights: map[string]flight{}, byURL: map[string]*completion{},
		hosts: map[string]int{}, running: map[*session]struct{}{},
	}
	q.moved = sync.NewCond(&q.mu)
	return q
}

// most is what completions may take, by the settings that count now.
func (q *completions) most() *Complete { return &q.relay.current().cfg.Complete }

// adopt looks at what waits by other settings.
func (q *completions) adopt() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.advance()
}

// takePlace takes one of the places of fetches that go on without their client.
func (q *completions) takePlace() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.places >= q.most().Running {
		return false
	}
	q.places++
	return true
}

func (q *completions) givePlace() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.places--
	q.moved.Broadcast()
}

// begin notes an answer that has something of a URL, and is not brief.
func (q *completions) begin(url string, part bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count(url, part, 1)
}

// end notes that such an answer has ended.
func (q *completions) end(url string, ent *entity) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count(url, ent.part, -1)
	c := q.byURL[url]
	if c == nil {
		return
	}
	c.last = time.Now()
	if ent.came && (!ent.part || ent.all) && ent.version(url) == c.version {
		q.take(c)
		q.asked.Add(c.version, there)
		return
	}
	q.plan(c)
}

func (q *completions) count(url string, part bool, n int) {
	f := q.flights[url]
	if part {
		f.parts += n
	} else {
		f.wholes += n
	}
	if f == (flight{}) {
		delete(q.flights, url)
	} else {
		q.flights[url] = f
	}
}

// note takes the whole of an exchange's URL up, and reports whether that is asked for, or has been
// with success. For a cut answer the caller notes the gap if not; for a part it is noted here,
// once.
func (q *completions) note(e *exchange, ent *entity, after, fault string) bool {
	c := &completion{
		url: e.url, to: e.to, user: e.client.user, after: after, fault: fault,
		head:    http1.Without(nil, e.client.fwd, askingForLess...),
		version: ent.version(e.url),
		etag:    string(ent.etag), lastModified: string(ent.lastModified),
		since: time.Now(),
	}
	c.last = c.since
	q.mu.Lock()
	defer q.mu.Unlock()
	if was, asked := q.asked.Get(c.version); asked && was != turnedAway {
		return was != missed
	}
	if q.stopped {
		return q.crowded(c, "the recorder was stopped")
	}
	old := q.byURL[c.url]
	if old != nil {
		c.since = old.since
		if c.fault == "" {
			c.after, c.fault = old.after, old.fault
		}
		q.heads -= old.size()
	} else if len(q.queue) >= q.most().Waiting {
		return q.crowded(c, "too many wait (complete-waiting)")
	}
	if q.heads+c.size() > maxHeads {
		if old != nil { // its head will do
			q.heads += old.size()
			old.last = c.last
			return true
		}
		return q.crowded(c, "the heads of those that wait take too much memory")
	}
	q.heads += c.size()
	if old != nil {
		*old = *c
	} else {
		q.queue, q.byURL[c.url] = append(q.queue, c), c
	}
	q.plan(c)
	return true
}

// crowded notes, of each version once, that there is no place for c: a film may come in hundreds of
// parts. Of a cut answer the caller says it.
func (q *completions) crowded(c *completion, why string) bool {
	was, known := q.asked.Get(c.version)
	q.asked.Add(c.version, turnedAway)
	if c.after == afterPart && !(known && was == turnedAway) {
		q.relay.rec.GapOf(recorder.GapCut, c.url, "the whole was not asked for: "+why, c.head)
	}
	return false
}

// size is what c takes of maxHeads.
func (c *completion) size() int {
	return len(c.head) + len(c.url) + len(c.etag) + len(c.lastModified)
}

// take takes c out of the queue.
func (q *completions) take(c *completion) {
	i := slices.Index(q.queue, c)
	q.queue = slices.Delete(q.queue, i, i+1)
	delete(q.byURL, c.url)
	q.heads -= c.size()
	q.moved.Broadcast()
}
