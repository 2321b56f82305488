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

// TestRenewedEnds: an answer that goes on ends when whoever has it would get it no more, and no
// other.
func TestRenewedEnds(t *testing.T) {
	for _, c := range []struct {
		name, token string
		change      func(*Config)
		ends        bool
	}{
		{"a reader who is none any more", "", func(*Config) {}, true},
		{"a reader still", "",
			func(cfg *Config) { cfg.Readers = hosts.Words("@any") }, false},
		{"a token that is none any more", secret,
			func(cfg *Config) { cfg.Tokens = []string{"third"} }, true},
		{"a token that counts still", secret,
			func(cfg *Config) { cfg.Tokens = append(cfg.Tokens, "third") }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := newAdmin(t, "", func(*http.Request) {}).cfg
			later := cfg
			cfg.Readers = hosts.Words("@any")
			if c.token != "" {
				cfg.Readers = later.Readers
			}
			c.change(&later)
			a := New(cfg)
			going, release, ended := make(chan struct{}), make(chan struct{}), make(chan bool)
			a.Add(Page{Pattern: "GET /long", Handler: http.HandlerFunc(
				func(_ http.ResponseWriter, r *http.Request) {
					close(going)
					<-release
					ended <- r.Context().Err() != nil
				})})
			var current Current
			current.Store(a)
			r := newRequest("GET /long", stranger, ours, "", nil)
			if c.token != "" {
				r.Header.Set("Authorization", "Bearer "+c.token)
			}
			go current.ServeHTTP(httptest.NewRecorder(), r)
			<-going
			current.Store(a.Renewed(later))
			close(release)
			if got := <-ended; got != c.ends {
				t.Errorf("it has ended: %v", got)
			}
		})
	}
}
