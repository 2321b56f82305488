package replay

import (
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Report is what a replay has come to; as JSON it is what --report writes:
//
//	{
//	  "answered": 412,                       requests that were answered from the archive
//	  "rules": {"exact": 409, "query": 3},   of these, by how their captures were found: choice;
//	                                         "others" if that are more than 1000 ways
//	  "preflights": 2,                       preflights that were made up; not among the answered
//	  "notModified": 5,                      304s that were made, among the answered
//	  "ranges": 31,                          answers to a Range, among the answered
//	  "missed": 4,                           requests that were not answered, but for:
//	  "quiet": 7,                            those to hosts whose misses are not listed
//	  "fellBack": 0,                         of both, those that were left to the origin
//	  "documents": [{                        in the order in which they first missed something
//	    "url": "https://example.com/",       the Referer, without its fragment; "" if there was none
//	    "missed": 2,
//	    "misses": [{
//	      "method": "GET",
//	      "url": "https://example.com/a?b",
//	      "count": 2,
//	      "why": "not captured",             the reasons are in reasons.go
//	      "nearest": {                       the nearest capture that was not taken, if there is one
//	        "url": "https://example.com/a?c",
//	        "method": "GET",
//	        "status": 200,
//	        "time": "2026-11-22T19:37:05.123456Z",
//	        "file": "FILE.warc.gz",
//	        "offset": 1234,
//	        "key": "com,example)/a?c"        its URL key
//	      }
//	    }]
//	  }],
//	  "unlisted": 0                          misses that are counted only, as too many differ
//	}
//
// URLs and keys of more than 2048 bytes end there, with an ellipsis.
type Report struct {
	Answered    int64            `json:"answered"`
	Rules       map[string]int64 `json:"rules"`
	Preflights  int64            `json:"preflights"`
	NotModified int64            `json:"notModified"`
	Ranges      int64            `json:"ranges"`
	Missed      int64            `json:"missed"`
	Quiet       int64            `json:"quiet"`
	FellBack    int64            `json:"fellBack"`
	Documents   []Document       `json:"documents"`
	Unlisted    int64            `json:"unlisted"`
}

// Document is what asked for something that was missed.
type Document struct {
	URL    string `json:"url"`
	Missed int64  `json:"missed"`
	Misses []Miss `json:"misses"`
}

// Miss is a request that was not answered, as often as it came.
type Miss struct {
	Method  string   `json:"method"`
	URL     string   `json:"url"`
	Count   int64    `json:"count"`
	Why     string   `json:"why"`
	Nearest *Nearest `json:"nearest,omitempty"`
}

// Nearest is the capture that was nearest to what was asked, and was not taken.
type Nearest struct {
	URL    string    `json:"url"`
	Method string    `json:"method"`
	Status int       `json:"status"`
	Time   time.Time `json:"time"`
	File   string    `json:"file"`
	Offset int64     `json:"offset"`
	Key    string    `json:"key"`
}

// Report returns what the replay has come to so far.
func (a *Archive) Report() Report {
	r := Report{
		Rules:       a.tally.byRule(),
		Preflights:  a.tally.preflights.Load(),
		NotModified: a.tally.notModified.Load(),
		Ranges:      a.tally.ranges.Load(),
		Missed:      a.tally.missed.Load(),
		Quiet:       a.tally.quiet.Load(),
		FellBack:    a.tally.fellBack.Load(),
	}
	for _, n := range r.Rules {
		r.Answered += n
	}
	r.Documents, r.Unlisted = a.misses.list()
	return r
}

// tally counts what a report says. The zero tally is ready.
type tally struct {
	preflights, notModified, ranges, missed, quiet, fellBack atomic.Int64

	mu    sync.Mutex
	rules map[string]int64 // answers, by what found their captures
}

// maxTallied is how many ways of finding a capture are counted one by one. Rules are followed
// together too, in as many ways as a page likes.
const maxTallied = 1000

// otherRules is how those are counted for which there is no room.
const otherRules = "others"

// answered counts an answer.
func (t *tally) answered(rule string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rules == nil {
		t.rules = make(map[string]int64)
	}
	if _, known := t.rules[rule]; !known && len(t.rules) >= maxTallied {
		rule = otherRules
	}
	t.rules[rule]++
}

// made counts what was made of the stored response for an answer with that head.
func (t *tally) made(r *asked, answer []byte) {
	line, _ := cutLine(answer)
	switch status, _ := statusOf(line); status {
	case http.StatusNotModified:
		t.notModified.Add(1)
	case http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable:
		if r.head.has("Range") {
			t.ranges.Add(1)
		}
	}
}

// byRule returns how many answers each rule has found.
func (t *tally) byRule() map[string]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rules == nil {
		return map[string]int64{}
	}
	return maps.Clone(t.rules)
}
