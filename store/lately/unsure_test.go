package lately

import (
	"net/url"
	"testing"
	"time"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/pages"
)

// one asks for a page.
func (r *recording) one(id string) detail {
	r.t.Helper()
	return askFor[detail](r, r.page, url.Values{"id": {id}})
}

// TestUnfollowedPage: a page that no follower has, since it is of before a pause of an hour, lacks what its
// report finds, gaps too; and is not whole for a moment before that.
func TestUnfollowedPage(t *testing.T) {
	const site = "http://site.example/"
	r := startRecording(t)
	now := r.now
	r.now = now.Add(-5 * time.Hour)
	r.get(site, document, answer(200, html, "of before"))
	before := r.now
	r.now = now.Add(-time.Second)
	r.get("http://other.example/", document, answer(200, html, "of now"))
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	gap := store.Gap{Time: before.Add(time.Second), Reason: recorder.GapUpstream, URL: site + "none", Detail: "refused",
		Visit: store.Visit{Traits: store.Told, Dest: store.DestLeaf, Referer: store.HashURL(site)}}
	if err := r.Index().AddGaps([]store.Gap{gap}, nil); err != nil {
		t.Fatal(err)
	}
	var id string
	for page, err := range pages.New(r.Index(), r.files).All(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		if page.URL == site {
			id = page.ID
		}
	}
	for range 2 {
		if one := r.one(id); one.Page.Whole || one.Page.Lacks != 1 || len(one.Gaps) != 1 || len(one.Lacks) != 1 ||
			one.Lacks[0].Detail != "refused" {
			t.Errorf("%+v", one)
		}
	}
	r.agrees()
}

// TestUnsure: a page is not whole while something goes on that may be its, nor where recording was paused
// meanwhile and something has passed, nor where a recorder has broken off; others are.
func TestUnsure(t *testing.T) {
	const site = "http://site.example/"
	r := startRecording(t)
	r.Lately.GoingOn = r.Recorder.GoingOn
	r.Lately.Paused = func() *pages.Span {
		if since, passed, paused := r.Recorder.Paused(); paused && passed > 0 {
			return &pages.Span{From: since, Until: time.Now(), Reason: recorder.GapPaused}
		}
		return nil
	}
	now := time.Now()
	r.now = now.Add(-10 * time.Minute)
	r.get(site+"before", document, answer(200, html, "of before"))
	r.now = now.Add(-time.Second)
	r.get(site, document, answer(200, html, "of now"))
	is := func(when string, loading int, unsure string) {
		t.Helper()
		got := r.newest().Pages
		one := r.one(got[0].ID).Page
		for _, p := range []Page{got[0], one} {
			if p.Whole != (loading == 0 && unsure == "") || p.Loading != loading || p.Unsure != unsure ||
				!p.Open || p.Lacks != 0 {
				t.Errorf("%s: %+v", when, p)
			}
		}
		if p := got[1]; !p.Whole || p.Open || p.Loading > 0 || p.Unsure != "" {
			t.Errorf("%s the page of before is %+v", when, p)
		}
	}
	is("at first", 0, "")
	x := r.Begin()
	is("while something hangs", 1, "")
	x.Discard()
	is("when that is over", 0, "")
	r.TellPaused(true)
	is("while nothing passes", 0, "")
	r.TellPaused(false)
	is("when nothing has passed", 0, "")
	r.TellPaused(true)
	r.GapsMore(recorder.GapUnrecorded, 1)
	is("while nothing passes but what is never recorded", 0, "")
	passed := r.Begin()
	passed.Passes(true)
	is("while something passes", 0, unsurePaused)
	passed.Discard()
	r.TellPaused(false)
	is("when something has passed", 0, unsurePaused)
	again := New(r.Lately.Source)
	defer again.Close()
	got, err := again.list(t.Context(), ask{limit: 9})
	if err != nil || got.Pages[0].Unsure != unsurePaused || got.Pages[1].Unsure != "" {
		t.Errorf("after a restart %+v, %v", got, err)
	}
	crash := store.Gap{Time: time.Now(), Until: time.Now().Add(time.Second), Reason: recovery.GapCrash}
	if err := r.Index().AddGaps([]store.Gap{crash}, nil); err != nil {
		t.Fatal(err)
	}
	is("after a crash", 0, unsureCrash)
}

// TestLoose: what went on, and came so late that nobody knows yet where it belongs, may belong to any page of
// its time; until that is known.
func TestLoose(t *testing.T) {
	at := func(n int) time.Time { return time.Unix(1e9+int64(n), 0) }
	before := unsure{going: []time.Time{at(1), at(5), at(9)}, loose: []time.Time{at(3)}}
	now := unsure{going: []time.Time{at(5)}}
	now.loosen(&before, &pages.Latest{Late: true})
	if len(now.loose) != 3 || within(now.loose, at(1), at(2)) != 1 || within(now.loose, at(4), at(8)) != 0 ||
		within(now.loose, at(3).Add(time.Millisecond), at(20)) != 2 {
		t.Errorf("%v", now.loose)
	}
	now = unsure{}
	if now.loosen(&before, &pages.Latest{}); now.loose != nil {
		t.Errorf("%v", now.loose)
	}
	v := view{Latest: new(pages.Latest), unsure: unsure{loose: []time.Time{at(3)}}}
	told := Page{Whole: true}
	v.doubt(&told, &pages.Followed{Kept: pages.Kept{Last: at(4)}})
	if told.Whole || told.Pending != 1 {
		t.Errorf("%+v", told)
	}
}

// TestPausedLater: a page that had all when the pause began is whole; a crash so soon after it is another thing.
func TestPausedLater(t *testing.T) {
	const site = "http://site.example/"
	r := startRecording(t)
	r.now = time.Now().Add(-20 * time.Second)
	r.get(site, document, answer(200, html, "of before"))
	r.get(site+"a.png", image, answer(200, "", "whole"))
	r.TellPaused(true)
	passed := r.Begin()
	passed.Passes(true)
	passed.Discard()
	r.TellPaused(false)
	if p := r.newest().Pages[0]; !p.Whole || p.Unsure != "" {
		t.Errorf("%+v", p)
	}
	crash := store.Gap{Time: time.Now(), Until: time.Now().Add(time.Second), Reason: recovery.GapCrash}
	if err := r.Index().AddGaps([]store.Gap{crash}, nil); err != nil {
		t.Fatal(err)
	}
	if p := r.newest().Pages[0]; p.Whole || p.Unsure != unsureCrash {
		t.Errorf("after a crash %+v", p)
	}
}

// TestFlood: of more gaps than are listed nobody knows whose they are: no page of that time is whole.
func TestFlood(t *testing.T) {
	const site, waiting = "http://site.example/", 1000
	r := startRecording(t)
	r.now = time.Now().Add(-10 * time.Minute)
	r.get(site+"before", document, answer(200, html, "of before"))
	r.now = time.Now().Add(-time.Second)
	r.get(site, document, answer(200, html, "of now"))
	of := []byte(requestHead(image))
	for range waiting {
		r.GapOf(recorder.GapUpstream, "http://none.example/", "of no page", []byte(requestHead(document)))
	}
	r.GapOf(recorder.GapUpstream, site+"lost", "which nobody knows", of)
	got := r.newest().Pages
	if one := r.one(got[0].ID).Page; got[0].Whole || one.Whole || one.Unsure != unsureGaps || one.Lacks != 0 {
		t.Errorf("%+v", one)
	}
	if !got[1].Whole || got[1].Unsure != "" {
		t.Errorf("the page of before is %+v", got[1])
	}
}
