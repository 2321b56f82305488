//go:build unix

package cmd

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"warcorder/cmd/removing"
)

// removes asks for a removal, and waits for what becomes of it.
func (p *person) removes(form url.Values) removeJob {
	p.t.Helper()
	var accepted struct{ Job string }
	p.does(202, liveRemovePath, form, &accepted)
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		var list struct{ Jobs []removeJob }
		p.sees(removalsPath, &list)
		for _, j := range list.Jobs {
			if j.ID == accepted.Job && j.Ended != nil {
				return j
			}
		}
	}
	p.t.Fatalf("%v does not come to its end", form)
	return removeJob{}
}

// TestLiveRemove: a page that was recorded just now is removed from the live page, as it was shown; what
// comes for it in between is shown again before it goes. Then nobody is told of it any more.
func TestLiveRemove(t *testing.T) {
	t.Parallel()
	site, p, one := opensVisited(t, "/secret page", "/secret/style style from=/secret")
	listed := one.seesPages(1)[0]
	page := url.Values{"page": {listed.ID}}
	with := func(more string) url.Values {
		form, _ := url.ParseQuery(page.Encode() + "&" + more)
		return form
	}
	one.refusedRemovals(with)

	look := one.removes(with("dry-run=true"))
	if look.State != removing.Done || look.Result.Captures != 2 || look.Result.Waiting != 0 || look.Result.Done ||
		!look.DryRun || look.Page != listed.ID {
		t.Fatalf("%+v %+v", look, look.Result)
	}
	p.visits(site, "/secret/late style from=/secret")
	p.settle()
	again := one.removes(with("plan=" + look.Result.Fingerprint))
	if again.Result == nil || !again.Result.Changed || again.Result.Done || again.Result.Captures != 3 {
		t.Fatalf("%+v %+v", again, again.Result)
	}
	done := one.removes(with("reason=asked&plan=" + again.Result.Fingerprint))
	if done.Result == nil || !done.Result.Done || done.Result.Captures != 3 {
		t.Fatalf("%+v %+v", done, done.Result)
	}
	if lines := p.page("/export"); strings.Contains(lines, "/secret") {
		t.Errorf("it is there still: %s", lines)
	}
	for _, path := range []string{removalsPath, livePagesPath, capturesPath} {
		if said := one.reads(path); strings.Contains(said, "/secret") {
			t.Errorf("%s: %s", path, said)
		}
	}
	next, _ := p.curlEvents("?since=0")
	for e := (event{}); e.Kind != "removed"; {
		var ok bool
		if e, ok = next(); !ok || strings.Contains(e.URL, "/secret") {
			t.Fatalf("it is told still, or never that it went: %+v", e)
		}
	}
	p.visits(site, "/other page")
	p.settle()
	if all := one.removes(url.Values{"url": {site + "/other"}, "all": {"true"}}); all.Result == nil ||
		!all.Result.Done {
		t.Errorf("%+v", all)
	}
	if p.stop() != 0 {
		t.Error(p.stderr)
	}
	if log := p.stderr.String(); !strings.Contains(log, `"client":"127.0.0.1:`) {
		t.Errorf("the log does not say who has asked: %s", log)
	}
}

// reads is what a page tells.
func (p *person) reads(path string) string {
	p.t.Helper()
	return p.told(p.ask("GET", path, "cors", nil), 200, path, nil)
}

// refusedRemovals asks for what is none, and as those who may not.
func (p *person) refusedRemovals(with func(string) url.Values) {
	p.t.Helper()
	for form, why := range map[string]string{
		"": "dry-run", "plan=x&all=true": "dry-run", "plan=x&dry-run=true": "dry-run", "all=false": "dry-run",
		"all=true&all=true": "dry-run", "dry-run=yes": "true or false", "what=x&dry-run=true": "what",
		"url=x&url=y&all=true": "once",
	} {
		if said := p.does(400, liveRemovePath, with(form), nil); !strings.Contains(said, why) {
			p.t.Errorf("%q: %s", form, said)
		}
	}
	p.does(400, liveRemovePath, url.Values{"all": {"true"}}, nil)
	p.does(404, stopRemovePath, url.Values{"job": {"9"}}, nil)
	stranger := &person{t: p.t, at: p.at}
	for _, path := range []string{liveRemovePath, stopRemovePath} {
		if res := stranger.ask("POST", path, "cors", with("all=true")); res.StatusCode < 400 {
			p.t.Errorf("who has no cookie removes: %s", res.Status)
		}
		for name, value := range map[string]string{"Origin": "http://other.example", "Sec-Fetch-Site": "cross-site"} {
			r, _ := http.NewRequest("POST", p.at+path, strings.NewReader(with("all=true").Encode()))
			r.Header = http.Header{"User-Agent": {"Mozilla/5.0"}, "Sec-Fetch-Site": {"same-origin"},
				"Origin": {p.at}, "Content-Type": {"application/x-www-form-urlencoded"}}
			r.Header.Set(name, value)
			r.AddCookie(p.cookie)
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				p.t.Fatal(err)
			}
			if res.Body.Close(); res.StatusCode != 403 {
				p.t.Errorf("a form of another site, by %s: %s", name, res.Status)
			}
		}
	}
	var list struct{ Jobs []removeJob }
	if p.sees(removalsPath, &list); len(list.Jobs) != 0 {
		p.t.Errorf("there are %+v", list.Jobs)
	}
}
