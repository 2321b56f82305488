// Package eventstream sends what a feed tells over HTTP, as server-sent events (HTML Living
// Standard, section 9.2): one answer that goes on for as long as its reader listens.
//
//	page.go     who follows, and from where on: ServeHTTP
//	stream.go   one answer: batches, heartbeats, ends
//	filter.go   what a reader wants of all that happens
//	message.go  an event as JSON on one line
//
// Invariant: a reader holds up nobody. At most 64 listen at once; one who does not take what is sent
// within a minute is cut, and goes on where it was by the ID of the last event that it has. What a
// stream holds in memory is bounded: some events of a segment of the feed, and 64 KiB of JSON with
// the last event's behind it. Whatever bytes an event has, it is one JSON object on one line.
package eventstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"warcorder/recorder/feed"
)

// Page is the handler of the stream.
type Page struct {
	feed *feed.Feed

	most     int           // streams at once
	every    time.Duration // between two batches
	beat     time.Duration // without anything sent, after which the reader is told that all is well
	patience time.Duration // for a batch to be taken

	mu    sync.Mutex
	here  int
	ended chan struct{} // closed by Close
	endBy time.Time     // until when what is sent must be taken then
}

// New returns a page of a feed.
func New(f *feed.Feed) *Page {
	return &Page{
		feed: f, most: 64, every: 100 * time.Millisecond, beat: 15 * time.Second,
		patience: time.Minute, ended: make(chan struct{}),
	}
}

// lastPatience is how long what has happened before Close may take to be sent.
const lastPatience = time.Second

// Close ends all streams: at once, or within lastPatience where a reader does not take what there
// is. None begins any more. It does not wait.
func (p *Page) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isEnded() {
		p.endBy = time.Now().Add(lastPatience)
		close(p.ended)
	}
}

func (p *Page) isEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// ServeHTTP answers with a stream of events.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	wanted, err := filterOf(query)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	from := r.Header.Get("Last-Event-ID") // of who comes again: it is newer than what the URL says
	if from == "" {
		from = query.Get("since")
	}
	reader := p.reader(from)
	if reader == nil {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("since is the ID of an event, 0 for all that are held, "+
			"or -N for the newest N of them, and not %q", from))
		return
	}
	if err := p.enter(); err != nil {
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	defer p.leave()
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // of nginx, which would hold back what is sent
	s := stream{
		Page: p, w: w, to: http.NewResponseController(w), wanted: wanted, reader: reader,
		gone: r.Context().Done(),
	}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		s.run()
	}
}

// reader goes on after an ID, begins with the oldest event for "0", with the newest N for "-N", and with
// now for ""; nil for what has the form of none of these.
func (p *Page) reader(from string) *feed.Reader {
	switch from {
	case "":
		return p.feed.Follow()
	case "0":
		return p.feed.FollowAll()
	}
	if digits, isNumber := strings.CutPrefix(from, "-"); isNumber {
		n, err := strconv.ParseUint(digits, 10, 63)
		if err != nil {
			return nil
		}
		return p.feed.FollowLast(n)
	}
	if id := feed.ID(from); id.IsValid() {
		return p.feed.FollowAfter(id)
	}
	return nil
}

func (p *Page) enter() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isEnded() {
		return errors.New("the recorder is about to end")
	}
	if p.here == p.most {
		return fmt.Errorf("%d follow already, and no more may: end one of them, or come again later",
			p.most)
	}
	p.here++
	return nil
}

// Here is how many follow.
func (p *Page) Here() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.here
}

func (p *Page) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.here--
}

// refuse answers with an error, as programs' APIs have it.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": why})
}
