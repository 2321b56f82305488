// Package outside looks for originals in other archives, which are only read: in collections of ours,
// by the keys under which their indexes have them, and at CDX servers, by URL, status and SHA-1. Start
// with [Open] and [Archives.Find].
//
// What a server says is weaker than what an index of ours does: of the BLAKE3 of a body, its codings
// and its framing no line tells. It counts where URL, status and the SHA-1 of the payload without its
// transfer coding agree, and the line is of no revisit.
//
// Whoever looks has recorded a response already, and nobody's client waits for the answer. So an
// archive that does not answer costs little: a server has half a second, and one that has failed three
// times in a row is left alone for ten seconds, then for twice as long each time, up to ten minutes,
// while one question at most is on its way. A refusal that is of the URL alone, such as 404, is an answer.
// What is not found is stored in full.
//
// Invariant: nothing is written, no record is lost, and nothing is asked of a server again that it has
// answered lately. Memory is bounded by mostURLs answers of mostCaptures captures for each server, and
// an answer by maxAnswer bytes, which are read once.
package outside

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
)

// Want is a response for which an original is looked for.
type Want struct {
	URL    string // its WARC-Target-URI
	Status int
	Keys   []store.OriginalKey // any of which an original in a collection may have
	Scope  string              // the SURT that the original's URL must have; "" is any
	SHA1   [20]byte            // of its payload without its transfer coding; for servers

	// Fresh reports whether an original of that time may be referred to.
	Fresh func(time.Time) bool

	// Hurry lets no server be asked: too many responses wait.
	Hurry bool
}

// accepts reports whether the response may refer to an original that is said to have its content.
func (w *Want) accepts(o *store.Original) bool {
	return record.IsSound(o, time.Now()) && w.Fresh(o.Time)
}

// Archives are those that a recorder looks at, in their order. A nil Archives has none. Its methods are
// safe for concurrent use.
type Archives struct {
	log                  zerolog.Logger
	all                  []*archive
	collections, servers bool
}

// archive is one of them, with how it fares.
type archive struct {
	source
	name                         string
	breaker                      breaker
	found, asked, failed, passed atomic.Int64
	refused                      atomic.Int64
	hasLines                     atomic.Bool // it has answered otherwise than by a refusal
}

// source is what is asked.
type source interface {
	// recall returns what find would, if that is known of late.
	recall(w *Want) (o *store.Original, known bool)
	// find returns an original, nil if there is none.
	find(w *Want) (*store.Original, error)
	// serves reports whether it may have an original, as far as can be told without asking.
	serves(w *Want) bool
	isSlow() bool // a look may take as long as patience
	Close() error
}

// Open opens the archives of those names: the directory of a collection, or the URL of a CDX server.
// own is the collection that is recorded. A collection that has no index is an error; one that another
// recorder has open is said in the log.
func Open(names []string, own collection.Dir, log zerolog.Logger) (a *Archives, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	a = &Archives{log: log}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	for _, text := range names {
		if err := a.add(text, own); err != nil {
			return nil, fmt.Errorf("dedup-from %s: %w", nameOf(text), err)
		}
	}
	return a, nil
}

// Check returns an error unless the names can be those of archives.
func Check(names []string) error {
	for _, text := range names {
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) ||
			text == "" || len(text) > maxName {
			return fmt.Errorf("dedup-from: %q is neither the directory of a collection nor a URL", text)
		}
		if isURL(text) {
			if _, err := parseServer(text); err != nil {
				return fmt.Errorf("dedup-from %s: %w", nameOf(text), err)
			}
		}
	}
	return nil
}

// maxName is how many bytes a name may have: each WARC file has it.
const maxName = 1 << 10

// Names are the names of archives as files and people are told of them: a directory is absolute, a URL
// has no password and no query.
func Names(names []string) (all []string) {
	for _, text := range names {
		all = append(all, nameOf(text))
	}
	return all
}

func nameOf(text string) string {
	if isURL(text) {
		return bare(text)
	}
	dir, err := collection.Dir(text).Abs()
	if err != nil {
		return text
	}
	return string(dir)
}

// add opens an archive.
func (a *Archives) add(text string, own collection.Dir) error {
	one := &archive{name: nameOf(text)}
	a.all = append(a.all, one)
	if isURL(text) {
		s, err := newServer(text)
		if err != nil {
			return err
		}
		one.source, one.breaker = s, breaker{patience: 3, first: 10 * time.Second, most: 10 * time.Minute}
		a.servers = true
		return nil
	}
	p, err := newPlace(one.name, own)
	if err != nil {
		return err
	}
	one.source, one.breaker = p, breaker{patience: 1, first: 5 * time.Second, most: time.Minute}
	a.collections = true
	err = p.look()
	if errors.Is(err, collection.ErrLocked) {
		a.note(one, false, err)
		return nil
	}
	return err
}

// Collections reports whether there are collections.
func (a *Archives) Collections() bool { return a != nil && a.collections }

// Servers reports whether there are servers.
func (a *Archives) Servers() bool { return a != nil && a.servers }

// Find returns the original that the first of the archives has which has one; nil if none has.
func (a *Archives) Find(w *Want) *store.Original {
	if a == nil {
		return nil
	}
	for _, one := range a.all {
		if !one.serves(w) {
			continue
		}
		if o := a.findIn(one, w); o != nil {
			one.found.Add(1)
			return o
		}
	}
	return nil
}

var errUnended = errors.New("looking for an original did not come to its end")

// findIn looks in one archive, unless that is left alone.
func (a *Archives) findIn(one *archive, w *Want) (o *store.Original) {
	if o, known := one.recall(w); known {
		return o
	}
	begun, trial := false, false
	if !w.Hurry || !one.isSlow() {
		begun, trial = one.breaker.begin(time.Now())
	}
	if !begun {
		one.passed.Add(1)
		return nil
	}
	one.asked.Add(1)
	err := errUnended // of a panic
	defer func() { a.note(one, trial, err) }()
	o, err = one.find(w)
	return o
}

// note notes how an archive has answered, and says in the log when that changes.
func (a *Archives) note(one *archive, trial bool, err error) {
	refused := refusal(0)
	switch {
	case errors.As(err, &refused):
		a.noteRefusal(one, refused)
		err = nil // of the URL alone: the archive is not left alone for it
	case err != nil:
		one.failed.Add(1)
	default:
		one.hasLines.Store(true)
	}
	changed, pause := one.breaker.end(trial, err, time.Now())
	switch {
	case !changed:
	case err != nil:
		a.log.Warn().Str("archive", one.name).Dur("for_ms", pause).Err(err).
			Msg("dedup-from: left alone for a while; what it may have is stored in full")
	default:
		a.log.Info().Str("archive", one.name).Msg("dedup-from: it answers again")
	}
}

// refusedAtFirst is how many URLs a server must have refused, and no other one answered, for that to be
// said in the log, once: its address may be wrong, or what is recorded is new to it.
const refusedAtFirst = 20

// noteRefusal notes that an archive has refused a URL.
func (a *Archives) noteRefusal(one *archive, with refusal) {
	if one.refused.Add(1) == refusedAtFirst && !one.hasLines.Load() {
		a.log.Warn().Str("archive", one.name).Int("status", int(with)).Int("urls", refusedAtFirst).
			Msg("dedup-from: it has refused all URLs so far: is there a CDX server at this address?")
	}
}

// Close closes what is open.
func (a *Archives) Close() (err error) {
	if a == nil {
		return nil
	}
	for _, one := range a.all {
		if one.source != nil {
			err = errors.Join(err, one.source.Close())
		}
	}
	return err
}

// Status is how an archive fares, since the start.
type Status struct {
	Archive string `json:"archive"`
	Found   int64  `json:"found"`   // originals that revisits name
	Asked   int64  `json:"asked"`   // how often it was looked at; what is known of late is not
	Failed  int64  `json:"failed"`  // how often it gave no answer
	Refused int64  `json:"refused"` // URLs for which it answered 404, or the like: not found, and asked on
	// responses for which it was passed over: it is left alone, or too many wait to be recorded
	Passed int64 `json:"passed"`

	Reason string     `json:"reason,omitempty"` // why it is left alone
	Until  *time.Time `json:"until,omitempty"`  // when it is tried again
}

// Status is that of each archive, in their order.
func (a *Archives) Status() (all []Status) {
	if a == nil {
		return nil
	}
	for _, one := range a.all {
		s := Status{Archive: one.name, Found: one.found.Load(), Asked: one.asked.Load(),
			Failed: one.failed.Load(), Refused: one.refused.Load(), Passed: one.passed.Load()}
		if until, reason := one.breaker.state(); reason != nil {
			s.Reason, s.Until = reason.Error(), &until
		}
		all = append(all, s)
	}
	return all
}
