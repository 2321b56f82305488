package cmd

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"warcorder/cmd/visiting"
	"warcorder/store/report"
)

// TestCaptureReports: a report goes to the page that was visited then. Of a recorder that others use,
// only what has a page's URL does.
func TestCaptureReports(t *testing.T) {
	begin := time.Date(2026, 5, 1, 12, 0, 0, 700e6, time.UTC)
	const a, b, c = "http://a.example/", "http://b.example/", "http://c.example/"
	for name, one := range map[string]struct {
		own     bool
		visits  string // seconds after the beginning at which each page begins
		reports string // the URLs and seconds of those that come
		want    string // which of them each page has
	}{
		"each its own":           {true, "a0 b1.1", "a0 b1", "a0|b1"},
		"a page twice":           {true, "a0 a5", "a0 a5", "a0|a5"},
		"twice in one second":    {true, "a0 a0.2", "a0 a0", "a0|a0"},
		"the whole came later":   {true, "a0 b5", "a0 b5 a9", "a0,a9|b5"},
		"before the first":       {true, "a5 b6", "a0 b6", "|b6"},
		"it has gone on":         {true, "a0 b5", "a0 c1 b5", "a0,c1|b5"},
		"it has gone on to b":    {true, "a0 b5", "b1 b5", "b1|b5"},
		"somebody else's":        {false, "a0 b5", "a0 c1 b5", "a0|b5"},
		"the URL of neither":     {true, "a0", "c99", ""},
		"nothing came of either": {true, "a0 b5", "", "|"},
	} {
		one, urls := one, map[byte]string{'a': a, 'b': b, 'c': c}
		k := capturing{at: &inUse{own: one.own}}
		at := func(word string) time.Time {
			d, err := time.ParseDuration(word[1:] + "s")
			if err != nil {
				t.Fatal(err)
			}
			return begin.Add(d)
		}
		for _, word := range strings.Fields(one.visits) {
			v := &visiting.Visit{URL: urls[word[0]], At: at(word)}
			k.pages = append(k.pages, seenPage{Visit: v, till: v.At.Add(2 * time.Second)})
		}
		for _, word := range strings.Fields(one.reports) {
			line, _ := json.Marshal(report.Line{Report: &report.Report{ID: word, URL: urls[word[0]],
				Time: at(word).Format(time.RFC3339)}})
			if err := k.take(line); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, page := range k.pages {
			var ids []string
			for _, r := range page.reports {
				ids = append(ids, r.ID)
			}
			got = append(got, strings.Join(ids, ","))
		}
		if got := strings.Join(got, "|"); got != one.want {
			t.Errorf("%s: %s, want %s", name, got, one.want)
		}
	}
}

// TestCaptureElsewhere: what belongs to no page is told, and is an error, where it is nobody else's.
func TestCaptureElsewhere(t *testing.T) {
	line, _ := json.Marshal(report.Line{Total: &report.Total{Elsewhere: &report.Wrong{
		Counts: map[report.Kind]int{report.Failed: 1}}}})
	for _, own := range []bool{true, false} {
		k := capturing{captureCommand: &captureCommand{}, at: &inUse{own: own},
			frontier: visiting.NewFrontier(nil, 0, 1, false)}
		if err := k.take(line); err != nil {
			t.Fatal(err)
		}
		k.claim()
		if err := k.outcome(nil); (err != nil) != own {
			t.Errorf("own %v: %v", own, err)
		}
	}
}

// TestCaptureClaims: what is wrong with the URL of a page is told under it, though it is no page in the
// report, as a download is none; the latest page of that URL has it. Beside a recorder that others use,
// that is all that is told.
func TestCaptureClaims(t *testing.T) {
	for _, own := range []bool{true, false} {
		testCaptureClaims(t, own)
	}
}

func testCaptureClaims(t *testing.T, own bool) {
	begin := time.Date(2026, 5, 1, 12, 0, 0, 700e6, time.UTC)
	const zip, other = "http://a.example/a.zip", "http://a.example/other"
	k := capturing{captureCommand: &captureCommand{}, at: &inUse{own: own},
		frontier: visiting.NewFrontier(nil, 0, 1, false)}
	for i, url := range []string{zip, zip, "http://a.example/"} {
		v := &visiting.Visit{URL: url, At: begin.Add(time.Duration(i) * time.Minute)}
		k.pages = append(k.pages, seenPage{Visit: v, till: v.At})
	}
	finding := func(kind report.Kind, url string, after time.Duration) report.Finding {
		return report.Finding{Kind: kind, URL: url, Time: begin.Add(after).Format(time.RFC3339)}
	}
	line, _ := json.Marshal(report.Line{Total: &report.Total{Elsewhere: &report.Wrong{
		Counts: map[report.Kind]int{report.Failed: 1, report.Cut: 2}, Findings: []report.Finding{
			finding(report.Failed, zip, 0), finding(report.Cut, zip, 90*time.Second),
			finding(report.Cut, other, 90*time.Second)}}}})
	if err := k.take(line); err != nil {
		t.Fatal(err)
	}
	k.claim()
	for i, want := range []report.Kind{report.Failed, report.Cut, ""} {
		page := &k.pages[i]
		if want == "" && page.isWhole() {
			continue
		}
		if len(page.reports) != 1 || page.isWhole() || page.reports[0].Findings[0].Kind != want {
			t.Errorf("page %d: %+v", i, page.reports)
		}
	}
	left := k.elsewhere.Wrong
	if !own {
		if left != nil {
			t.Errorf("%+v", left)
		}
		return
	}
	if len(left.Findings) != 1 || left.Findings[0].URL != other || len(left.Counts) != 1 ||
		left.Counts[report.Cut] != 1 || !k.elsewhere.isAny() {
		t.Errorf("%+v", left)
	}
}

// TestCaptureLed: where the URL that was given has led to another one, both are told.
func TestCaptureLed(t *testing.T) {
	for given, want := range map[string]string{
		"http://a.example":           "http://a.example/  ",
		"http://a.example/#/route":   "http://a.example/  ",
		"http://a.example/r":         "http://a.example/ (from http://a.example/r)  ",
		"https://a.example/":         "http://a.example/ (from https://a.example/)  ",
		"http://a.example/r\x1b[31m": "http://a.example/ (from http://a.example/r%1B[31m)  ",
	} {
		var text strings.Builder
		out := bufio.NewWriter(&text)
		page := seenPage{given: given, Visit: &visiting.Visit{URL: "http://a.example/", Status: 200}}
		page.print(out)
		if out.Flush() != nil || !strings.HasPrefix(text.String(), "whole    200  "+want) {
			t.Errorf("%q: %q, want %q", given, text.String(), want)
		}
	}
}

// TestChatterOfAPage: what a browser has asked for by itself makes no page lack anything, of what a recorder
// that others use says is its.
func TestChatterOfAPage(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	line := func(urls ...string) []byte {
		l := report.Line{Report: &report.Report{URL: "http://site.example/", Time: at.Format(time.RFC3339),
			Wrong: report.Wrong{Counts: map[report.Kind]int{report.Failed: len(urls)}}}}
		for _, url := range urls {
			l.Findings = append(l.Findings, report.Finding{Kind: report.Failed, URL: url})
		}
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, test := range []struct {
		urls  []string
		whole bool
	}{
		{[]string{"http://update.googleapis.com/service?x", "https://A.GVT1.com:8443/y"}, true},
		{[]string{"http://update.googleapis.com/service?x", "http://site.example/picture"}, false},
		{[]string{"http://update.googleapis.com.site.example/"}, false},
	} {
		c := capturing{at: &inUse{}, pages: []seenPage{{Visit: &visiting.Visit{
			URL: "http://site.example/", At: at}}}}
		if err := c.take(line(test.urls...)); err != nil {
			t.Fatal(err)
		}
		if page := &c.pages[0]; page.isWhole() != test.whole || len(page.reports) != 1 {
			t.Errorf("%v: whole is %v, %+v", test.urls, page.isWhole(), page.reports)
		}
	}
}
