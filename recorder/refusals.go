package recorder

import (
	"cmp"
	"container/list"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/feed"
	"warcorder/recorder/record"
	"warcorder/store/refusal"
)

const (
	// refusingHosts is of how many hosts it is kept how often each refused, some 1 KB for a host.
	refusingHosts = 1000
	// refusingListed is how many of them Status lists: those that refused most often.
	refusingListed = 100

	// refusalsEvery is the time between two summaries in the log.
	refusalsEvery = time.Minute
	// refusalLines is how many hosts the log names in that time when they begin to refuse, and how
	// many in a summary.
	refusalLines = 20

	maxHost       = 255 // bytes, as DNS has it
	maxRetryAfter = 64  // bytes: a date takes 29
)

// refused is an exchange in which the other side refused.
type refused struct {
	kind                 refusal.Kind
	status               int
	host, by, retryAfter string
	at                   time.Time
}

// refusedIn is what the head of a response says of that; nil if the other side did not refuse.
func refusedIn(x *Exchange, uri string, response *record.Message) *refused {
	found := response.Refusal()
	if found.Kind == refusal.None {
		return nil
	}
	return &refused{
		kind:       found.Kind,
		status:     response.Status(),
		host:       plain(strings.ToLower(feed.HostOf(uri)), maxHost),
		by:         found.By,
		retryAfter: plain(string(found.RetryAfter), maxRetryAfter),
		at:         x.Started,
	}
}

// plain is the start of a text that came from outside, as the log and /status show it: what is not
// printable ASCII is a question mark.
func plain(text string, limit int) string {
	b := []byte(text[:min(len(text), limit)])
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '?'
		}
	}
	return string(b)
}

// RefusalCounts are how often the other side refused, by kind (package store/refusal).
type RefusalCounts struct {
	Forbidden   int64 `json:"forbidden,omitempty"`
	TooMany     int64 `json:"tooMany,omitempty"`
	Unavailable int64 `json:"unavailable,omitempty"`
	Challenge   int64 `json:"challenge,omitempty"`
}

func (c *RefusalCounts) count(kind refusal.Kind) {
	switch kind {
	case refusal.Forbidden:
		c.Forbidden++
	case refusal.TooMany:
		c.TooMany++
	case refusal.Unavailable:
		c.Unavailable++
	case refusal.Challenge:
		c.Challenge++
	}
}

func (c *RefusalCounts) add(o *RefusalCounts, sign int64) {
	c.Forbidden += sign * o.Forbidden
	c.TooMany += sign * o.TooMany
	c.Unavailable += sign * o.Unavailable
	c.Challenge += sign * o.Challenge
}

func (c *RefusalCounts) sum() int64 {
	return c.Forbidden + c.TooMany + c.Unavailable + c.Challenge
}

// log adds the counts to a line of the log.
func (c *RefusalCounts) log(event *zerolog.Event) *zerolog.Event {
	for _, kind := range []struct {
		refusal.Kind
		n int64
	}{
		{refusal.Forbidden, c.Forbidden}, {refusal.TooMany, c.TooMany},
		{refusal.Unavailable, c.Unavailable}, {refusal.Challenge, c.Challenge},
	} {
		if kind.n > 0 {
			event = event.Int64(kind.String(), kind.n)
		}
	}
	return event
}

// RefusingHost is a host that refused since the start.
type RefusingHost struct {
	Host string `json:"host"`
	RefusalCounts
	By         string    `json:"by,omitempty"`         // the vendor that a head named last
	RetryAfter string    `json:"retryAfter,omitempty"` // as it was sent last
	Last       time.Time `json:"last"`

	begun bool          // the log has named it, and it has not been quiet since
	fresh bool          // that was after the last summary
	since RefusalCounts // what the log has not told
}

// Refusals is what the other side refused since the start.
type Refusals struct {
	Total RefusalCounts `json:"total"`
	// those that refused most often
	Hosts []RefusingHost `json:"hosts,omitempty"`
	// all others together
	Others RefusalCounts `json:"others,omitzero"`
}

// refusals counts what the other side refuses, by host, and tells the log: of a host at once when
// it begins, and then once in refusalsEvery how often it did, until it has been quiet for that
// time.
//
// It is bounded, whoever chooses the names of the hosts: the one that has not refused for longest
// gives way, and of those behind refusalLines the log says how many refusals they were. The totals
// stay exact.
type refusals struct {
	tell zerolog.Logger

	mu     sync.Mutex
	total  RefusalCounts
	hosts  map[string]*list.Element // by name, of recent
	recent list.List                // of *RefusingHost; the one that refused last is in front
	begun  int                      // hosts that the log has named since the last summary
	more   RefusalCounts            // of hosts that gave way before the log told of them
	timer  *time.Timer              // of the next summary; nil while it has been quiet
	closed bool
}

func newRefusals(log zerolog.Logger) *refusals {
	return &refusals{tell: log, hosts: make(map[string]*list.Element)}
}

// note counts an exchange; nil is one in which nothing was refused.
func (r *refusals) note(x *refused) {
	if x == nil || !r.count(x) {
		return
	}
	event := r.tell.Warn().Str("host", x.host).Int("status", x.status).Stringer("kind", x.kind)
	if x.by != "" {
		event = event.Str("by", x.by)
	}
	if x.retryAfter != "" {
		event = event.Str("retry_after", x.retryAfter)
	}
	event.Msg("the other side refuses")
}

// count reports whether the log is to name the host.
func (r *refusals) count(x *refused) (begins bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total.count(x.kind)
	h := r.host(x.host)
	h.RefusalCounts.count(x.kind)
	h.Last, h.By = x.at, cmp.Or(x.by, h.By)
	h.RetryAfter = cmp.Or(x.retryAfter, h.RetryAfter)
	if r.timer == nil && !r.closed {
		r.timer = time.AfterFunc(refusalsEvery, r.summarize)
	}
	if !h.begun && r.begun < refusalLines {
		h.begun, h.fresh = true, true
		r.begun++
		return true
	}
	h.since.count(x.kind)
	return false
}

// host finds a host, or makes it, and puts it in front.
func (r *refusals) host(name string) *RefusingHost {
	if at := r.hosts[name]; at != nil {
		r.recent.MoveToFront(at)
		return at.Value.(*RefusingHost)
	}
	if r.recent.Len() == refusingHosts {
		last := r.recent.Remove(r.recent.Back()).(*RefusingHost)
		r.more.add(&last.since, 1)
		delete(r.hosts, last.Host)
	}
	h := &RefusingHost{Host: name}
	r.hosts[name] = r.recent.PushFront(h)
	return h
}

// summarize tells the log what has come since the last time.
func (r *refusals) summarize() {
	hosts, more := r.untold()
	for i := range hosts {
		h := &hosts[i]
		h.since.log(r.tell.Warn().Str("host", h.Host)).Msg("the other side still refuses")
	}
	if more.sum() > 0 {
		more.log(r.tell.Warn()).Msg("other hosts refuse too")
	}
}

// untold takes what the log has not told: of the hosts that refused most often, and of all others.
func (r *refusals) untold() (hosts []RefusingHost, more RefusalCounts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	active := r.begun > 0 || r.more.sum() > 0
	for at := r.recent.Front(); at != nil; at = at.Next() {
		h := at.Value.(*RefusingHost)
		told := h.since.sum() > 0
		if told {
			hosts = append(hosts, *h)
			active = true
		}
		h.begun, h.fresh, h.since = told || h.fresh, false, RefusalCounts{}
	}
	slices.SortFunc(hosts, func(a, b RefusingHost) int {
		return cmp.Or(cmp.Compare(b.since.sum(), a.since.sum()), strings.Compare(a.Host, b.Host))
	})
	more, r.more, r.begun = r.more, RefusalCounts{}, 0
	listed := min(len(hosts), refusalLines)
	for i := range hosts[listed:] {
		more.add(&hosts[listed+i].since, 1)
	}
	switch {
	case r.closed:
	case active:
		r.timer.Reset(refusalsEvery)
	default:
		r.timer = nil
	}
	return hosts[:listed], more
}

// status is what Status tells.
func (r *refusals) status() Refusals {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Refusals{Total: r.total, Others: r.total}
	for at := r.recent.Front(); at != nil; at = at.Next() {
		s.Hosts = append(s.Hosts, *at.Value.(*RefusingHost))
	}
	slices.SortFunc(s.Hosts, func(a, b RefusingHost) int {
		return cmp.Or(cmp.Compare(b.sum(), a.sum()), strings.Compare(a.Host, b.Host))
	})
	s.Hosts = s.Hosts[:min(len(s.Hosts), refusingListed)]
	for i := range s.Hosts {
		s.Others.add(&s.Hosts[i].RefusalCounts, -1)
	}
	return s
}

// sums are how often the other side refused in all.
func (r *refusals) sums() RefusalCounts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// close tells the log what is left to tell.
func (r *refusals) close() {
	r.mu.Lock()
	r.closed = true
	if r.timer != nil {
		r.timer.Stop()
	}
	r.mu.Unlock()
	r.summarize()
}
