package shared

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"warcorder/store"
)

const (
	// mostWaiting is how many originals may wait to be told of: 2.6 KiB each, at most.
	mostWaiting = 8192

	// atOnce is how many are told in one round trip, which may take telling.
	atOnce  = 256
	telling = time.Second

	// underWay is how long what was sent and not answered may come to the server after what it answers.
	underWay = 2 * time.Second

	// ending is how long all that waits may take, however slowly the server answers, once the recorder
	// ends.
	ending = 2 * time.Second
)

// publishing tells others what is on disk here, in one goroutine. An original that is not told of costs
// no more than that somebody stores it again. It tells of the withdrawn ones, too (withdrawing.go), so
// that nothing of what went is told behind them.
type publishing struct {
	line
	kind              byte
	who               string
	published, passed atomic.Int64
	withdrawn         *Withdrawn

	last time.Time // until when something is told once the line is to end; zero before that

	doubt bool      // something that was sent, and not answered, may still be under way
	sure  time.Time // until when that is so; zero if the server has not answered since

	wake chan struct{}

	mu      sync.Mutex
	waiting []published
}

// published is an original, and how long it is to be known; 0 is for good.
type published struct {
	original store.Original
	ttl      time.Duration
}

func newPublishing(a *address, kind byte, who string, w *Withdrawn) *publishing {
	p := &publishing{kind: kind, who: who, wake: make(chan struct{}, 1), withdrawn: w,
		doubt: true} // of a process that was killed
	p.line.client, p.line.serve = a.client(), p.tell
	p.line.probe = func(ctx context.Context, c *redis.Client) error {
		if err := p.withdrawFirst(); err != nil {
			return err
		}
		return c.Set(ctx, namespace+"probe", "", time.Second).Err()
	}
	p.line.what = "what is recorded here is not told to others"
	return p
}

// add lets an original be told of. If too many wait, the oldest is not told of.
func (p *publishing) add(one published) {
	p.mu.Lock()
	if len(p.waiting) >= mostWaiting {
		p.waiting = p.waiting[1:]
		p.passed.Add(1)
	}
	p.waiting = append(p.waiting, one)
	p.mu.Unlock()
	p.signal()
}

func (p *publishing) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// tell tells of what waits until that fails.
func (p *publishing) tell() error {
	for {
		if err := p.flush(); err != nil {
			return err
		}
		if err := p.withdraw(p.flush); err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if p.ctx.Err() != nil {
			return p.flush()
		}
		var again <-chan time.Time
		if p.doubt {
			again = time.After(underWay)
		}
		select {
		case <-p.wake:
		case <-again:
		case <-p.ctx.Done():
		}
	}
}

// flush tells of all that waits.
func (p *publishing) flush() error {
	for {
		some := p.take()
		if len(some) == 0 {
			return nil
		}
		if err := p.send(some); err != nil {
			p.passed.Add(int64(len(some)))
			return err
		}
		p.worked()
		p.published.Add(int64(len(some)))
	}
}

// take takes what is told of next.
func (p *publishing) take() (some []published) {
	p.mu.Lock()
	defer p.mu.Unlock()
	some = append(some, p.waiting[:min(len(p.waiting), atOnce)]...)
	if p.waiting = p.waiting[len(some):]; len(p.waiting) == 0 {
		p.waiting = nil
	}
	return some
}

// send tells of some originals. The latest one of a key counts, as in an index: dedup-for asks how old
// an original is. The time to live counts from here, and no question makes it longer: so it bounds how
// long a server that knows nothing of a removal can name what went.
func (p *publishing) send(some []published) error {
	ctx, cancel := context.WithDeadline(context.Background(), p.until(time.Now()))
	defer cancel()
	pipe := p.client.Pipeline()
	for i := range some {
		key := keyOf(p.kind, &some[i].original.Key)
		if value, ok := appendValue(nil, key, &some[i].original, p.who); ok {
			pipe.Set(ctx, key, value, some[i].ttl)
		}
	}
	_, err := pipe.Exec(ctx)
	if err != nil {
		p.doubt, p.sure = true, time.Time{}
	}
	return err
}

// until is when the server has to have answered what is told now. What is told once the line is to end has
// one time for all.
func (p *publishing) until(now time.Time) time.Time {
	if p.ctx.Err() == nil {
		return now.Add(telling)
	}
	if p.last.IsZero() {
		p.last = now.Add(ending)
	}
	if usual := now.Add(telling); usual.Before(p.last) {
		return usual
	}
	return p.last
}

// withdrawFirst takes back what went even if the server takes nothing more, for its memory is full, say.
// What waits is not told then.
func (p *publishing) withdrawFirst() error { return p.withdraw(p.drop) }

// drop tells of nothing that waits.
func (p *publishing) drop() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passed.Add(int64(len(p.waiting)))
	p.waiting = nil
	return nil
}
