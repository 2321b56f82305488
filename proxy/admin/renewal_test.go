package admin

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"warcorder/proxy/hosts"
)

// TestRenewed: the pages that were added are there for the new readers, the new token counts and the
// old one does not, and a cookie does as long as who may read and change is the same.
func TestRenewed(t *testing.T) {
	a := newAdmin(t, "", func(*http.Request) {})
	cookie := cookieFor(t, a, stranger, ours)
	var current Current
	current.Store(a)
	byToken := func(token string) int {
		r := newRequest("GET /export", stranger, ours, "", nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		current.ServeHTTP(w, r)
		return w.Code
	}
	byCookie := func() int {
		r := newRequest("GET /export", stranger, ours, "", typed())
		r.AddCookie(cookie)
		w := httptest.NewRecorder()
		current.ServeHTTP(w, r)
		return w.Code
	}
	same := a.cfg
	for _, c := range []struct {
		name                     string
		change                   func(*Config)
		bare, old, other, cookie int
	}{
		{"the same", func(*Config) {}, 401, 200, 401, 200},
		{"another authority", func(cfg *Config) { cfg.CA.Name = "other" }, 401, 200, 401, 200},
		{"another token", func(cfg *Config) { cfg.Tokens = []string{"third"} }, 401, 401, 200, 401},
		{"readers", func(cfg *Config) { cfg.Readers = hosts.Words("@any") }, 200, 200, 200, 200},
	} {
		cfg := same
		c.change(&cfg)
		current.Store(a.Renewed(cfg))
		if got := [4]int{byToken(""), byToken(secret), byToken("third"), byCookie()}; got !=
			[4]int{c.bare, c.old, c.other, c.cookie} {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	again := current.Load().Renewed(same).Renewed(same)
	if len(again.added) != len(a.added) || again.facts.Recorder != a.facts.Recorder {
		t.Errorf("%d pages, and there were %d", len(again.added), len(a.added))
	}
}
