package cmd

import (
	"fmt"
	"strings"
	"testing"

	redis "warcorder/recorder/shared/server"
)

// showDedupShared shows that what another recorder has is not stored again, and that by default it is.
func showDedupShared(t *testing.T, b *keyBench) {
	site := newSite(t).plain.URL
	s := redis.Start(t)
	file := "dedup-shared: " + s.URL()
	other := b.record(t, file)
	other.revisits(t, site+"/bytes/5003")
	other.published(t)
	var got string
	for range 3 { // which may be busy: the server has 50 ms for its answer, and what is not asked is stored
		var state struct{ DedupShared struct{ Failed, Passed int } }
		r := b.record(t, file)
		r.connected(t)
		got = fmt.Sprint(r.revisits(t, site+"/bytes/5003", site+"/bytes/6003"))
		if r.state(t, &state); state.DedupShared.Failed+state.DedupShared.Passed == 0 {
			break
		}
		t.Logf("it was not asked in time: %s", r.own(t, "/status"))
	}
	if got != "[true false]" {
		t.Errorf("revisits are %s", got)
	}
	if got := fmt.Sprint(b.plain.revisits(t, site+"/bytes/5003")); got != "[false]" {
		t.Errorf("by default revisits are %s", got)
	}
}

// showDedupTTL shows by what the server says how long an original is kept.
func showDedupTTL(t *testing.T, b *keyBench) {
	site := newSite(t).plain.URL
	for file, want := range map[string]string{"": "-1", "\ndedup-ttl: 20h": "719"} {
		s := redis.Start(t)
		r := b.record(t, "dedup-shared: "+s.URL()+file)
		r.revisits(t, site+"/bytes/5003")
		r.published(t)
		got := s.Do("EVAL", "return redis.call('PTTL', redis.call('KEYS', 'warcorder:1:a*')[1])", "0")
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: it is kept for %s ms, want %s…", file, got, want)
		}
	}
}

// connected waits until the server is asked.
func (r *keyed) connected(t *testing.T) {
	t.Helper()
	eventually(t, "the server is asked", func() bool {
		var state struct{ DedupShared struct{ Up bool } }
		r.state(t, &state)
		return state.DedupShared.Up
	})
}

// published waits until other recorders are told of an original.
func (r *keyed) published(t *testing.T) {
	t.Helper()
	eventually(t, "others are told of an original", func() bool {
		var state struct{ DedupShared struct{ Published int } }
		r.state(t, &state)
		return state.DedupShared.Published > 0
	})
}
