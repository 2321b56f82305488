package proxy

import (
	"fmt"
	"io"
	"strings"
	"time"

	"warcorder/proxy/http1"
	"warcorder/recorder"
	"warcorder/recorder/record"
)

// completion is a whole that is to be asked for, after a client has taken a part of it.
type completion struct {
	url   string
	to    origin
	user  string // of the latest client
	head  []byte // of the request: that of the latest client, without what asks for less
	after string // what the metadata record says: afterPart or afterCut
	fault string // what cut the answer, for the gap; "" if it was a part

	version            uint64 // of what the client took a part of
	etag, lastModified string

	since time.Time // when the first answer ended that was not whole
	last  time.Time // when the last one did

	begun time.Time // when it left the queue to be asked for; zero: it has not
	held  bool      // it is in the collection already
	whole bool      // it has come
	why   string    // it has not
}

// What a completion follows.
const (
	afterPart = "part" // a 206 that is not all of it
	afterCut  = "cut"  // an answer that broke off
)

// askingForLess are the fields by which a client asks for a part, or for nothing if it has the
// whole.
var askingForLess = []string{"range", "if-range", "if-match", "if-none-match", "if-modified-since",
	"if-unmodified-since"}

// isHeld reports whether the collection has a version of what a URL has whole, told by its
// validators. One that has none cannot be told from others.
func isHeld(rec *recorder.Recorder, url, etag, lastModified string) bool {
	return etag+lastModified != "" && rec.Has(url, func(v record.Validators) bool {
		return v.Are(etag, lastModified)
	})
}

// ask makes the request, as an exchange without a client, on the way that a client's request goes:
// what refuses one refuses the other.
func (c *completion) ask(s *session) {
	defer s.origins.close()
	s.become(c.user)
	if c.held = isHeld(s.rec, c.url, c.etag, c.lastModified); c.held {
		return
	}
	req, err := http1.ParseRequest(c.head)
	if err != nil {
		c.fail(err.Error())
		return
	}
	s.fwd = c.head
	to := c.to
	s.route(&to) // the way may be another one by now
	e := s.newExchange(&req, to)
	e.url, e.whole.completion = c.url, c
	if why := e.unwantedWhole(); why != "" { // by now
		c.fail(why)
		return
	}
	e.unrecorded = false // as what it makes whole, though a pause has begun since
	if err := e.refused(); err != nil {
		c.fail(e.judgeRequest(err).told)
		return
	}
	e.run()
}

// unwantedWhole is why the settings that count now want no whole of e; "" if they do.
func (e *exchange) unwantedWhole() string {
	switch {
	case e.unrecorded && !e.inPause:
		return "its host is one of no-record"
	case e.cfg.Complete.What == completeNever:
		return "complete is never"
	}
	return ""
}

// newAbsent makes a session whose client has gone before it could come.
func (r *relay) newAbsent() *session {
	now := r.current()
	s := &session{
		relay: r, settings: now, origins: origins{pool: now.upstreams}, log: &r.log, memory: r.memory,
	}
	s.in.err = io.EOF
	s.gone.Store(true)
	return s
}

// came notes the status of an answer that has come to its end. Nothing but a 200 is the whole: a
// redirect is not followed.
func (c *completion) came(status int) {
	if c.whole = status == 200; !c.whole {
		c.fail(fmt.Sprintf("the answer's status was %d", status))
	}
}

// fail notes why the whole has not come; the first reason counts.
func (c *completion) fail(why string) {
	if c.why == "" {
		c.why = why
	}
}

// gap is what the gap list says of a whole that has not come.
func (c *completion) gap() string {
	detail := "the whole was not asked for: " + c.why
	if !c.begun.IsZero() {
		detail = "the whole was asked for, and did not come: " + c.why
		if c.why == c.fault {
			detail = "the whole was asked for, and did not come either"
		}
	}
	if c.fault != "" {
		detail = strings.TrimSuffix(c.fault, ".") + "; " + detail
	}
	return detail
}
