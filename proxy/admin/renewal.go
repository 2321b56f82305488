package admin

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
)

// Renewed are the same pages by another Config: for other readers, with other tokens or another
// authority. Cookies go on counting as long as who may read and change is the same; else whoever has
// one loads the live page again. State, Ready and Asked stay as New was given them.
func (a *Admin) Renewed(cfg Config) *Admin {
	was := a.cfg
	cfg.State, cfg.Ready, cfg.Asked = was.State, was.Ready, was.Asked
	other := New(cfg)
	other.facts.Recorder = a.facts.Recorder
	if cfg.admits(&was) {
		other.proofs.secret = a.proofs.secret
	}
	for _, page := range a.added {
		other.Add(page)
	}
	other.trees = a.trees
	return other
}

// admits reports whether the same may read and change as by another Config.
func (c *Config) admits(other *Config) bool {
	if (c.Live == nil) != (other.Live == nil) {
		return false
	}
	same := c.Readers.String() == other.Readers.String() && slices.Equal(c.Tokens, other.Tokens)
	return same && (c.Live == nil || c.Live.Control.String() == other.Live.Control.String())
}

// Current is the handler of the pages that count now. An answer that has begun goes on by those that
// it began with, but ends if whoever has it would get it no more.
type Current struct {
	now atomic.Pointer[Admin]

	mu      sync.Mutex
	answers map[*http.Request]context.CancelFunc // that go on
}

// Load returns the pages that count now; nil if there are none yet.
func (c *Current) Load() *Admin { return c.now.Load() }

// Store lets other pages count from now on.
func (c *Current) Store(a *Admin) {
	c.now.Store(a)
	c.mu.Lock()
	defer c.mu.Unlock()
	for r, end := range c.answers {
		if a.bars(r) {
			end()
		}
	}
}

// ServeHTTP answers a request.
func (c *Current) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, end := context.WithCancel(r.Context())
	defer end()
	c.mu.Lock()
	if c.answers == nil {
		c.answers = map[*http.Request]context.CancelFunc{}
	}
	c.answers[r] = end
	c.mu.Unlock()
	defer c.forget(r)
	c.Load().ServeHTTP(w, r.WithContext(ctx)) // a copy, which Store does not look at
}

func (c *Current) forget(r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.answers, r)
}

// bars reports whether a request would be refused.
func (a *Admin) bars(r *http.Request) bool {
	given, asked := a.shown(r)
	return a.isWrong(&asked) || a.refuse(asked.r, a.page(&asked), given) != nil
}
