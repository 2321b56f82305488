package lately

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/report"
)

// TestAnswersStay: however many gaps many pages have, and however busy the recorder is, what was answered
// once stays; a look costs no more than its budget; no page waits for another for ever; and what has come
// meanwhile is noticed.
func TestAnswersStay(t *testing.T) {
	const n, gaps, budget = 12, 20, 64
	r := startRecording(t)
	r.mostLooked = budget * busyLooked
	r.Recorder.Index().Busy = func() bool { return true }
	var all []store.Gap
	for page := range n {
		site := fmt.Sprintf("http://%d.example/", page)
		r.get(site, document, answer(200, html, "a page"))
		for gap := range gaps {
			all = append(all, store.Gap{Time: r.now.Add(time.Millisecond), Reason: recorder.GapUpstream,
				URL:   fmt.Sprint(site, gap),
				Visit: store.Visit{Traits: store.Told, Dest: store.DestLeaf, Referer: store.HashURL(site)}})
		}
	}
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Index().AddGaps(all, nil); err != nil {
		t.Fatal(err)
	}
	first := askFor[list](r, r.list, nil).Pages
	for _, page := range first {
		if page.Whole || page.Lacks+page.Pending < gaps {
			t.Errorf("at the first look %+v", page)
		}
	}
	r.newest()
	r.now = r.now.Add(2 * time.Minute) // what was there is settled
	for look := range 2 * n * gaps / (budget / againOf) {
		site := fmt.Sprintf("http://%d.example/", look%n)
		r.get(fmt.Sprint(site, "more", look), "Sec-Fetch-Dest: image\r\nReferer: "+site+"\r\n", answer(200, "", "x"))
		if look == 0 {
			r.get("http://3.example/7", image, answer(200, "", "it came"))
		}
		if err := r.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		spent := r.judging.spent
		for _, page := range askFor[list](r, r.list, nil).Pages {
			if !strings.Contains(page.URL, "/3.") && (page.Lacks != gaps || page.Pending > 0) || page.Lacks < gaps-1 {
				t.Fatalf("at look %d %+v", look, page)
			}
		}
		if spent = r.judging.spent - spent; spent > budget {
			t.Fatalf("at look %d %d are looked at", look, spent)
		}
	}
	if got := r.newest().Pages[n-1-3]; got.Lacks != gaps-1 {
		t.Errorf("one has come: %+v", got)
	}
	r.agrees()
}

// TestStaleReport: a report that was made before something broke does not make a page whole again.
func TestStaleReport(t *testing.T) {
	const site = "http://site.example/"
	r := startRecording(t)
	r.get(site, document, answer(200, html, "a page"))
	id := r.newest().Pages[0].ID
	if one := r.one(id); !one.Page.Whole {
		t.Fatalf("%+v", one)
	}
	known, _ := r.details.reports.Get(id)
	known.took = time.Hour // and so it is good for long
	r.GapOf(recorder.GapUpstream, site+"none", "refused", []byte(requestHead(image)))
	for range 2 {
		if one := r.one(id); one.Page.Whole || one.Page.Lacks != 1 || len(one.Gaps) != 1 {
			t.Errorf("%+v", one)
		}
	}
}

// TestBodies: an exchange has type and size of what came, a revisit too, and its host without a port, as the
// events have.
func TestBodies(t *testing.T) {
	const site = "http://site.example:8080/"
	body := strings.Repeat("the same each time ", 100)
	r := startRecording(t)
	r.get(site, document, answer(200, html, "a page"))
	for _, name := range []string{"a", "b"} {
		r.get(site+name, "Sec-Fetch-Dest: style\r\nReferer: "+site+"\r\n",
			answer(200, "Content-Type: text/css; charset=x\r\n", body))
		if err := r.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		all := r.one(r.newest().Pages[0].ID).Exchanges
		if len(all) != 3 || all[1].Stored != "response" || all[2].Stored != "revisit" {
			t.Fatalf("%+v", all)
		}
		for _, x := range all[1:] {
			if x.MIME != "text/css" || x.Size == nil || *x.Size != int64(len(body)) || x.Host != "site.example" {
				t.Errorf("%+v", x)
			}
		}
	}
}

// TestPanic: a panic of a look is an error of who has asked, told once, and ends nothing.
func TestPanic(t *testing.T) {
	r := startRecording(t)
	r.get("http://site.example/", document, answer(200, html, "a page"))
	told := 0
	r.Broke = func(any) { told++ }
	follower, breaks := r.follower, true
	gaps := r.Lately.Gaps
	r.follower = r.pages.Follow(func(limit int) (store.Gaps, error) {
		if breaks {
			panic("broken")
		}
		return gaps(limit)
	})
	defer func() { r.follower = follower }()
	for range 3 {
		if _, err := r.look(t.Context()); !errors.Is(err, errBroke) || told != 1 {
			t.Fatal(err, told)
		}
		r.last.at = time.Time{}
	}
	if _, err := r.look(t.Context()); !errors.Is(err, errBroke) || time.Until(r.last.at) < healing/2 {
		t.Error(err, r.last.at)
	}
	res, err := http.Get(r.list)
	if err != nil || res.StatusCode != http.StatusInternalServerError {
		t.Fatal(res, err)
	}
	res.Body.Close()
	breaks, r.last.at = false, time.Time{}
	if got := r.newest().Pages; len(got) != 1 || !got[0].Whole {
		t.Errorf("%+v", got)
	}
}

// TestWords: opposite causes are not in one sentence.
func TestWords(t *testing.T) {
	reasons := reasonsOf([]store.Gap{{URL: "a", Reason: recorder.GapUpstream}, {URL: "b", Reason: recorder.GapWrite},
		{URL: "c", Reason: recorder.GapBlocked}, {URL: "d", Reason: recorder.GapRefused}})
	seen := map[string]bool{}
	for _, f := range []report.Finding{{Kind: report.Failed, URL: "a"}, {Kind: report.Failed, URL: "b"},
		{Kind: report.Refused, URL: "c"}, {Kind: report.Refused, URL: "d"}, {Kind: report.Cut, URL: "b"}} {
		seen[wordsOf(&f, reasons)] = true
	}
	if len(seen) != 5 || seen[""] {
		t.Errorf("%v", seen)
	}
	for _, kind := range report.Kinds {
		if words[kind] == "" {
			t.Errorf("%s has no words", kind)
		}
	}
}
