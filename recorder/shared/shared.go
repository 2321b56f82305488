// Package shared finds originals of other recorders, and tells these of the own ones, by a server of
// Redis or Valkey that all of them use. Start with [Open], [Originals.Ask] and [Originals.Publish].
//
// The server is a table of hints: each recorder is right alone. An original is told of when it is on
// disk, by a goroutine of its own, which drops what it cannot tell. Who looks for one waits for patience
// at most, while the server answers; a server that has failed is looked for by that goroutine alone, and
// nobody waits. So an outage costs space on disk, never a record and no time.
//
// What the server says is looked at as what a stranger says: its answers have bounds (guard.go), a value
// is one of ours or nothing (value.go), and who asks judges what it says.
//
// Invariant: what is told of is on disk, and is taken back when it has been removed (withdrawing.go).
// Memory is bounded by mostKnown and mostWaiting originals, of 2.6 KiB at most.
package shared

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store"
)

// Config says which server, and what is told to it.
type Config struct {
	Address string // "" is none
	SHA256  bool   // the digests that records have
	Entity  bool   // the payload that these are of
	Who     string // host/collection, for people who look into the server

	Patience time.Duration // how long an answer is waited for; 0 is the usual time

	Withdrawn *Withdrawn // of the collection, begun
}

// Originals are those of all recorders that use a server. A nil Originals takes Publish, Withdrawn,
// Status and Close, and does nothing. Its methods are safe for concurrent use.
type Originals struct {
	name       string
	asking     *asking
	publishing *publishing
	end        context.CancelFunc
	running    sync.WaitGroup

	asked, failed, passed, found atomic.Int64
}

// Open looks for the server, for as long as who starts may wait; it need not be there.
func Open(cfg Config, log zerolog.Logger) (*Originals, error) {
	if cfg.Address == "" {
		return nil, nil
	}
	if err := Check(cfg.Address); err != nil {
		return nil, err
	}
	a, err := parse(cfg.Address)
	if err != nil {
		return nil, err
	}
	kind := kindOf(cfg.SHA256, cfg.Entity)
	ctx, end := context.WithCancel(context.Background())
	o := &Originals{name: a.name, end: end,
		asking:     newAsking(&a, kind, cmp.Or(cfg.Patience, patience)),
		publishing: newPublishing(&a, kind, cfg.Who, cfg.Withdrawn)}
	for _, l := range []*line{&o.asking.line, &o.publishing.line} {
		l.log, l.ctx, l.ready = log.With().Str("server", a.name).Logger(), ctx, make(chan struct{})
		l.hidden = a.passwords()
		o.running.Go(l.run)
	}
	select {
	case <-o.asking.ready:
	case <-time.After(startPatience):
	}
	return o, nil
}

// startPatience is how long a start waits for a server that does not answer.
const startPatience = 500 * time.Millisecond

// Ask puts into found what others have of the keys that it does not have yet, nil if that is nothing or
// is not known. With hurry nobody is waited for.
func (o *Originals) Ask(keys []store.OriginalKey, found map[store.OriginalKey]*store.Original,
	hurry bool) {
	now := time.Now()
	var unknown []store.OriginalKey
	for _, key := range keys {
		if _, known := found[key]; known {
			continue
		}
		found[key] = o.asking.recall(key, now)
		if found[key] == nil {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		return
	}
	if hurry || !o.asking.mayAsk(now) {
		o.passed.Add(int64(len(unknown)))
		return
	}
	originals, asked, err := o.asking.ask(unknown)
	switch {
	case !asked:
		o.passed.Add(int64(len(unknown)))
	case err != nil:
		o.asked.Add(int64(len(unknown)))
		o.failed.Add(int64(len(unknown)))
	default:
		o.asked.Add(int64(len(unknown)))
	}
	for i := range originals {
		found[unknown[i]] = originals[i]
	}
}

// Named notes that a revisit names an original that was found.
func (o *Originals) Named() { o.found.Add(1) }

// Forget forgets what was found of a key, since nobody may name it.
func (o *Originals) Forget(key store.OriginalKey) { o.asking.forget(key) }

// Publish tells of an original, which is on disk, for that long; 0 is for good. Nothing is waited for.
func (o *Originals) Publish(of *store.Original, ttl time.Duration) {
	if o != nil {
		o.publishing.add(published{*of, ttl})
	}
}

// Withdrawn lets what [Withdrawn.Add] has written down be taken back.
func (o *Originals) Withdrawn() {
	if o != nil {
		o.publishing.signal()
	}
}

// Close tells of what waits, unless the server does not answer, and closes the connections.
func (o *Originals) Close() error {
	if o == nil {
		return nil
	}
	o.end()
	o.running.Wait()
	return errors.Join(o.asking.client.Close(), o.publishing.client.Close())
}

// Status is how the server fares, since the start. All numbers but Withdrawing are of originals.
type Status struct {
	Server    string `json:"server"`
	Up        bool   `json:"up"`        // it is asked and told
	Found     int64  `json:"found"`     // that revisits name
	Asked     int64  `json:"asked"`     // that it was asked for; what is known of late is not
	Failed    int64  `json:"failed"`    // for which it gave no answer
	Passed    int64  `json:"passed"`    // for which it was not asked: it is left alone, or too many wait
	Published int64  `json:"published"` // that it was told of
	Dropped   int64  `json:"dropped"`   // that it could not be told of

	Withdrawing int64  `json:"withdrawing"`      // bytes of the list of what is to be taken back
	Reason      string `json:"reason,omitempty"` // why it is left alone
}

// Status is nil without a server.
func (o *Originals) Status() *Status {
	if o == nil {
		return nil
	}
	s := &Status{Server: o.name, Up: o.asking.up.Load() && o.publishing.up.Load(),
		Found: o.found.Load(), Asked: o.asked.Load(), Failed: o.failed.Load(),
		Passed: o.passed.Load(), Published: o.publishing.published.Load(),
		Dropped: o.publishing.passed.Load(), Withdrawing: o.publishing.withdrawn.size(),
		Reason: o.asking.why()}
	if s.Reason == "" {
		s.Reason = o.publishing.why()
	}
	return s
}
