package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/store/outbackcdx/outbackcdxtest"
)

// pushKeys say who is given the index meanwhile.
func pushKeys() []keyRow {
	return []keyRow{
		{key: "push", shows: showPush},
		{key: "push-every", shows: showPushEvery},
	}
}

func showPush(t *testing.T, b *keyBench) {
	server := outbackcdxtest.New()
	t.Cleanup(server.Close)
	dir := filepath.Join(t.TempDir(), "table")
	r := b.record(t, "push: ['outbackcdx="+server.Collection()+"', 'parquet="+dir+"']\npush-every: 1s")
	site := newSite(t).plain.URL
	r.fetch(site + "/bytes/100")
	eventually(t, "both have it", func() bool {
		if _, err := os.Stat(dir); err != nil {
			return false
		}
		return len(tableOf(t, dir)) == 1
	})
	eventually(t, "both are said to have it", func() bool {
		var state struct {
			Push []struct {
				To    string
				Up    bool
				Lines int
			}
		}
		r.state(t, &state)
		return len(state.Push) == 2 && state.Push[0].Up && state.Push[1].Up && state.Push[1].Lines == 1 &&
			state.Push[1].To == "parquet="+dir
	})
	const twice = "outbackcdx=http://a/b"
	for wrong, want := range map[string]string{
		"push: [solr=http://a]":                          "push: number 1: this is no feed",
		"push: ['" + twice + "', '" + twice + "/']":      "twice",
		"push: ['outbackcdx=http://***@a/b']":            "which config show writes",
		"push: ['parquet=s3://key:secret@bucket/table']": "s3://BUCKET/PREFIX",
	} {
		if said := b.refused(t, wrong); !strings.Contains(said, want) || strings.Contains(said, "secret@") {
			t.Errorf("%s: %s", wrong, said)
		}
	}
	if body := b.plain.own(t, "/status"); strings.Contains(body, `"push"`) {
		t.Errorf("by default: %s", body)
	}
}

func showPushEvery(t *testing.T, b *keyBench) {
	slow, quick := outbackcdxtest.New(), outbackcdxtest.New()
	t.Cleanup(slow.Close)
	t.Cleanup(quick.Close)
	site := newSite(t).plain.URL
	byDefault := b.record(t, "push: ['outbackcdx="+slow.Collection()+"']")
	often := b.record(t, "push: ['outbackcdx="+quick.Collection()+"']\npush-every: 1s")
	byDefault.fetch(site + "/bytes/100")
	began := time.Now()
	for i := range 3 {
		before := quick.Asked()
		often.fetch(site + "/bytes/10" + string(rune('0'+i)))
		eventually(t, "a round", func() bool { return quick.Asked() > before })
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("three rounds in %v", took)
	}
	if n := slow.Asked(); n > 1 {
		t.Errorf("by default %d rounds in %v", n, time.Since(began))
	}
	if said := b.refused(t, "push-every: 1ms"); !strings.Contains(said, "1s or more") {
		t.Error(said)
	}
}
