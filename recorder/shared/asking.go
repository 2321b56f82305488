package shared

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/redis/go-redis/v9"

	"warcorder/store"
)

const (
	// patience is how long who asks waits for an answer, however many questions wait before it, unless
	// Config says otherwise.
	patience = 50 * time.Millisecond

	// mostKeys is how many keys are asked for at once.
	mostKeys = 512

	// mostKnown is how many originals are remembered that were found, and keptFor how long.
	mostKnown = 8192
	keptFor   = time.Minute
)

// asking finds out what others have. One goroutine asks: what has gathered while an answer was under
// way is the next question.
type asking struct {
	line
	kind      byte
	patience  time.Duration
	questions chan *question
	since     atomic.Int64 // nanoseconds of when the question that is under way was asked; 0: none is

	mu    sync.Mutex
	known *simplelru.LRU[store.OriginalKey, sight] // that were found
}

// sight is an original, and when it was found.
type sight struct {
	original store.Original
	at       time.Time
}

// question is what somebody wants to know.
type question struct {
	keys  []store.OriginalKey
	found []*store.Original // nil: there is none
	done  chan struct{}     // closed when found is there
	err   error
}

func newAsking(a *address, kind byte, patience time.Duration) *asking {
	known, err := simplelru.NewLRU[store.OriginalKey, sight](mostKnown, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	s := &asking{kind: kind, patience: patience, questions: make(chan *question, 64), known: known}
	s.line.client, s.line.serve = a.client(), s.answer
	s.line.probe = func(ctx context.Context, c *redis.Client) error {
		_, err := c.MGet(ctx, keyOf(kind, &store.OriginalKey{}), keyOf(kind, &store.OriginalKey{1}),
			keyOf(kind, &store.OriginalKey{2})).Result() // of several slots, in a cluster
		return err
	}
	s.line.what = "what others have is stored in full"
	return s
}

// recall returns what is known of a key.
func (s *asking) recall(key store.OriginalKey, now time.Time) *store.Original {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen, ok := s.known.Get(key)
	if !ok || now.Sub(seen.at) >= keptFor {
		return nil
	}
	return &seen.original
}

// forget forgets what is known of a key.
func (s *asking) forget(key store.OriginalKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known.Remove(key)
}

// mayAsk reports whether an answer may come in time.
func (s *asking) mayAsk(now time.Time) bool {
	since := s.since.Load()
	return s.up.Load() && (since == 0 || now.UnixNano()-since < int64(s.patience))
}

// ask asks for keys. asked is false if that was not tried.
func (s *asking) ask(keys []store.OriginalKey) (found []*store.Original, asked bool, err error) {
	q := &question{keys: append([]store.OriginalKey(nil), keys...), done: make(chan struct{})}
	select {
	case s.questions <- q:
	default:
		return nil, false, nil
	}
	timer := time.NewTimer(s.patience)
	defer timer.Stop()
	select {
	case <-q.done:
		return q.found, true, q.err
	case <-timer.C:
		return nil, true, context.DeadlineExceeded
	}
}

// answer answers questions until the server does not.
func (s *asking) answer() error {
	for {
		select {
		case q := <-s.questions:
			if err := s.round(q); err != nil {
				s.refuse(err)
				return err
			}
			s.worked()
		case <-s.ctx.Done():
			return nil
		}
	}
}

// round asks one question, with those that wait.
func (s *asking) round(first *question) error {
	all, n := []*question{first}, len(first.keys)
	for n < mostKeys {
		select {
		case q := <-s.questions:
			all, n = append(all, q), n+len(q.keys)
			continue
		default:
		}
		break
	}
	keys := make([]string, 0, n)
	for _, q := range all {
		for i := range q.keys {
			keys = append(keys, keyOf(s.kind, &q.keys[i]))
		}
	}
	values, err := s.values(keys)
	now := time.Now()
	for _, q := range all {
		if q.err = err; err == nil {
			q.found = s.originals(keys[:len(q.keys)], values[:len(q.keys)], now)
			keys, values = keys[len(q.keys):], values[len(q.keys):]
		}
		close(q.done)
	}
	return err
}

// values asks the server.
func (s *asking) values(keys []string) ([]any, error) {
	now := time.Now()
	s.since.Store(now.UnixNano())
	defer s.since.Store(0)
	ctx, cancel := context.WithDeadline(context.Background(), now.Add(s.patience))
	defer cancel()
	values, err := s.client.MGet(ctx, keys...).Result()
	if err == nil && len(values) != len(keys) {
		return nil, errAnswer
	}
	return values, err
}

// originals reads values, and remembers what they say.
func (s *asking) originals(keys []string, values []any, now time.Time) []*store.Original {
	found := make([]*store.Original, len(keys))
	for i, value := range values {
		text, _ := value.(string)
		o, ok := decode(keys[i], text)
		if !ok {
			continue
		}
		found[i] = &o
		s.mu.Lock()
		s.known.Add(o.Key, sight{o, now})
		s.mu.Unlock()
	}
	return found
}

// refuse answers who waits that there is no answer.
func (s *asking) refuse(err error) {
	for {
		select {
		case q := <-s.questions:
			q.err = err
			close(q.done)
		default:
			return
		}
	}
}
