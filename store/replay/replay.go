// Package replay answers requests from an archive, in the place of the origins: a request in, the
// capture that fits best found, its bytes out. An [Archive] is one collection that is replayed;
// [Archive.Answer] is all that a proxy needs of it.
//
// A request is found again by what its record was filed under: the keys of what is asked are made
// by the code that makes those of a capture. Of the captures with that key the nearest in time
// answers.
//
// Invariant: what is answered are the bytes that were captured. Nothing is rewritten but framing,
// and what Range, HEAD and conditions demand; nothing is looked up or fetched elsewhere. Whatever
// an archive holds, or a client asks, a bounded number of captures is looked at.
package replay

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/replay/inject"
	"warcorder/store/replay/rules"
)

// Config says how an archive answers. The zero Config answers with what is the latest, and nothing
// but that.
type Config struct {
	At       time.Time              // the captures nearest to it answer; zero: the latest
	Explain  bool                   // an answer says where it comes from: explain.go
	Fallback bool                   // what is missing is left to the origin
	Rules    *rules.Set             // of what changes by chance; nil: none
	Inject   *inject.Clock          // into documents; nil: nothing is rewritten
	Quiet    func(host string) bool // whose misses are not listed; nil: nobody's
	Missed   func(Miss)             // is told of each miss as it comes, but for those; nil: nobody is

	// Await, beside a recorder, waits until the index has all that a question may find; nil: it has.
	Await func(context.Context, store.Question)
}

// Archive is a collection that is replayed. Its methods are safe for concurrent use, beside a
// recorder of the collection.
type Archive struct {
	cfg   Config
	index *store.Bolt
	files *readback.Files
	keys  *store.Keyer

	seed  maphash.Seed
	sizes memo[int64] // of entities
	facts memo[facts] // of parts

	tally  tally
	misses misses
}

// New returns the archive of a collection. keys makes the keys that its index has.
func New(cfg Config, index *store.Bolt, files *readback.Files, keys *store.Keyer) *Archive {
	return &Archive{cfg: cfg, index: index, files: files, keys: keys, seed: maphash.MakeSeed()}
}

// Answer answers a request. start is its head as the client sent it, body what follows that without
// its transfer coding; nil if nothing does. Answer returns the head of the response, from its
// status line to its empty line, and what follows that on the wire. A body that ends with
// io.ErrUnexpectedEOF was cut in the record.
//
// What is not in the archive is answered with 404, with 502 where object storage keeps it and does not
// answer; with Fallback the error is fs.ErrNotExist
// instead, as errors.Is tells. Any other error is one of the archive, or of body.
func (a *Archive) Answer(ctx context.Context, method, url string, start []byte,
	body io.Reader) ([]byte, io.ReadCloser, error) {
	at, ok := head(start).acceptDatetime()
	if !ok {
		return badDatetime()
	}
	r, err := ask(a.current(ctx), a.keys, method, url, start, body)
	if err != nil {
		return nil, nil, fmt.Errorf("read the request's body: %w", err)
	}
	if r.at = at; at.IsZero() {
		r.at = a.cfg.At
	}
	return overRenewal(r, func() ([]byte, io.ReadCloser, error) { return a.respond(ctx, r) })
}

// overRenewal answers once more if another index took the place of the one that was being read: a
// removal does so once.
func overRenewal(r *asked, respond func() ([]byte, io.ReadCloser, error)) ([]byte, io.ReadCloser,
	error) {
	head, rest, err := respond()
	if errors.Is(err, store.ErrReplaced) {
		r.walked, r.weighed, r.beyond = 0, 0, false
		return respond()
	}
	return head, rest, err
}

// respond answers what is asked.
func (a *Archive) respond(ctx context.Context, r *asked) ([]byte, io.ReadCloser, error) {
	if r.isWebSocket() {
		return a.miss(r, &missing{why: whyFrames})
	}
	c, err := a.choose(r)
	if err != nil {
		return nil, nil, err
	}
	if r.isPreflight() && !c.settles(r) {
		made, err := a.preflight(r)
		if err != nil || made != nil {
			c.close()
			return made, io.NopCloser(empty{}), err
		}
	}
	if !c.found() {
		return a.miss(r, c.missing(r))
	}
	head, rest, err := a.answer(ctx, r, &c)
	var m *missing
	if errors.As(err, &m) {
		return a.miss(r, m)
	}
	if err == nil {
		a.tally.answered(c.rule)
		a.tally.made(r, head)
	}
	return head, rest, err
}

// badDatetime answers a request whose Accept-Datetime names no moment (RFC 7089 section 4.5).
func badDatetime() ([]byte, io.ReadCloser, error) {
	const page = "Accept-Datetime names no moment, as Sun, 22 Nov 2026 19:37:05 GMT does.\n"
	m := newMessage("400 Bad Request")
	m.field("Content-Type", "text/plain; charset=utf-8")
	m.length(len(page))
	m.field("Cache-Control", "no-store")
	return m.end(), io.NopCloser(strings.NewReader(page)), nil
}

// empty is a body of no bytes.
type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, io.EOF }
