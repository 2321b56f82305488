package admin

import (
	"net/http"
	"slices"
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
// it began with.
type Current struct{ atomic.Pointer[Admin] }

// ServeHTTP answers a request.
func (c *Current) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.Load().ServeHTTP(w, r) }
