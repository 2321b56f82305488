package replaying

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"warcorder/proxy/http1"
	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/collection"
	"warcorder/store/holdings"
	"warcorder/store/replay"
)

// Config is what a Source answers from, and whom it tells what.
type Config struct {
	Dir     collection.Dir
	Options Options

	// Patience is how long a request waits for a collection that cannot be read, and whose holder
	// cannot be asked: a recorder begins or ends, or the index is made anew.
	Patience time.Duration

	Missed func(replay.Miss)     // is told of each miss
	Say    func(text string)     // tells a person that another process answers from now on
	Locked func() error          // is the error of a collection that stays so
	Wrong  func(err error) error // is what a client is told of an index that cannot be read
}

// Source answers from a collection, whoever has it open. It satisfies proxy.Source.
type Source struct {
	Config
	held *holdings.Holdings // of each rest
	gone chan struct{}      // closed when nobody fetches what is missing any more
	went sync.Once

	mu     sync.Mutex
	rest   *rest   // nil until it is needed
	beside *beside // nil while nobody records
	asking *asking // nil while no recorder is being asked to replay
	closed bool
	past   []replay.Report
	failed Failures
}

// New returns a Source. It opens nothing before it is asked.
func New(cfg Config) *Source {
	return &Source{Config: cfg, held: holdings.New(cfg.Dir), gone: make(chan struct{})}
}

// Gone is closed when the recorder has ended that was to fetch what is missing.
func (s *Source) Gone() <-chan struct{} { return s.gone }

// Failures are requests that had no answer since the collection could not be read.
type Failures struct {
	Number int64
	First  error // nil if there is none
}

// answerer is what answers at a moment.
type answerer interface {
	Answer(ctx context.Context, method, url string, head []byte, body io.Reader) (
		answer []byte, rest io.ReadCloser, err error)
}

// pause is the time between two looks at a collection that cannot be read.
const pause = 50 * time.Millisecond

// Answer answers a request. Who has the collection open may change in the middle: the request begins
// anew then.
func (s *Source) Answer(ctx context.Context, method, url string, head []byte, body io.Reader) (
	answer []byte, rest io.ReadCloser, err error) {
	var kept *again
	if body != nil {
		kept = &again{from: body}
		body = kept
	}
	for until := time.Now().Add(s.Patience); ; {
		answer, rest, err = s.once(ctx, method, url, head, body)
		if !isOver(err) || !s.mayRepeat(err, head) || !kept.rewind() {
			break
		}
		if time.Now().After(until) {
			err = s.Locked()
			break
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(pause):
		}
	}
	if err != nil && ctx.Err() == nil && !isBrokenOff(err) {
		err = s.fails(err)
	}
	return answer, rest, err
}

// isOver reports that an error says that the collection has to be opened anew, or asked for
// elsewhere.
func isOver(err error) bool {
	for _, over := range []error{collection.ErrLocked, store.ErrReplaced, cdxserver.ErrNobody, errShut} {
		if errors.Is(err, over) {
			return true
		}
	}
	return false
}

// mayRepeat reports whether a request may begin anew. A recorder that was to fetch what is missing may
// have made it before it ended: what is not idempotent is not made twice (RFC 9110 section 9.2.2).
func (s *Source) mayRepeat(err error, head []byte) bool {
	if !s.Options.Fallback || !errors.Is(err, errTaken) {
		return true
	}
	request, err := http1.ParseRequest(head)
	return err == nil && request.Idempotent
}

// once answers a request by whoever can now.
func (s *Source) once(ctx context.Context, method, url string, head []byte, body io.Reader) (
	answer []byte, rest io.ReadCloser, err error) {
	who, err := s.who()
	if err == nil {
		answer, rest, err = who.Answer(ctx, method, url, head, body)
	}
	switch {
	case errors.Is(err, collection.ErrLocked):
		if refused := s.goBeside(ctx); refused != nil {
			err = refused
		}
	case errors.Is(err, store.ErrReplaced):
		s.leaveRest(who)
	case errors.Is(err, errShut):
		s.leaveBeside(who)
	}
	return answer, rest, err
}

// who returns who answers now.
func (s *Source) who() (answerer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.beside != nil && !s.beside.hasEnded():
		return s.beside, nil
	case s.beside != nil:
		return nil, errShut
	case s.Options.Fallback: // the files alone could not fetch what is missing
		return nil, collection.ErrLocked
	case s.rest != nil:
		return s.rest, nil
	}
	rest, err := openRest(s.held, s.Options, s.Missed)
	if err != nil {
		return nil, err
	}
	s.rest = rest
	return rest, nil
}

// leaveRest forgets an index that is not the collection's any more.
func (s *Source) leaveRest(who answerer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest != nil && who == answerer(s.rest) {
		s.past = append(s.past, s.rest.close())
		s.rest = nil
	}
}

// leaveBeside forgets a recorder that does not answer any more.
func (s *Source) leaveBeside(who answerer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.beside != nil && who == answerer(s.beside) {
		s.endBeside()
	}
}

func (s *Source) endBeside() {
	pid := s.beside.recorder.PID
	s.past = append(s.past, s.beside.close())
	s.beside = nil
	if s.Options.Fallback {
		s.went.Do(func() { close(s.gone) }) // what is in flight may find another recorder
		return
	}
	s.Say(fmt.Sprintf("process %d does not record any more: the files answer again", pid))
}

// fails counts a request without an answer. What is missing here is no answer that the proxy could
// fetch elsewhere.
func (s *Source) fails(err error) error {
	err = s.Wrong(err)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New(err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed.Number++; s.failed.First == nil {
		s.failed.First = err
	}
	return err
}

// Failures are those until now.
func (s *Source) Failures() Failures {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// Report is what became of all requests until now.
func (s *Source) Report() replay.Report {
	s.mu.Lock()
	all, rest, beside := slices.Clone(s.past), s.rest, s.beside
	s.mu.Unlock()
	if rest != nil {
		all = append(all, rest.Report())
	}
	if beside != nil {
		all = append(all, beside.report())
	}
	return joined(all)
}

// Recorder is the process that answers, 0 if it is this one.
func (s *Source) Recorder() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.beside == nil {
		return 0
	}
	return s.beside.recorder.PID
}

// Close ends it, once nothing is asked any more, and returns the last report.
func (s *Source) Close() replay.Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.beside != nil {
		s.past = append(s.past, s.beside.close())
		s.beside = nil
	}
	if s.rest != nil {
		s.past = append(s.past, s.rest.close())
		s.rest = nil
	}
	return joined(s.past)
}
