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
	r := b.record(t, file)
	if got := fmt.Sprint(r.revisits(t, site+"/bytes/5003", site+"/bytes/6003")); got != "[true false]" {
		t.Errorf("revisits are %s: %s", got, r.own(t, "/status"))
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

// published waits until other recorders are told of an original.
func (r *keyed) published(t *testing.T) {
	t.Helper()
	eventually(t, "others are told of an original", func() bool {
		var state struct{ DedupShared struct{ Published int } }
		r.state(t, &state)
		return state.DedupShared.Published > 0
	})
}
