package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"warcorder/store/report"
)

// TestReport: what is wrong with the pages is told while a collection is recorded, over HTTP, at
// rest and after rebuild; each time the same.
func TestReport(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/", "/whole":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<title>Page</title>")
		case "/busy":
			w.WriteHeader(http.StatusTooManyRequests)
		case "/zstd":
			w.Header().Set("Content-Encoding", "zstd")
			fmt.Fprint(w, "\x28\xb5\x2f\xfd")
		case "/none":
			panic(http.ErrAbortHandler)
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "half")
		}
	}))
	defer site.Close()
	p := startRecording(t, "--complete", "never")
	p.visits(site.URL, "/whole page", "/ page", "/busy image from=/", "/zstd script from=/",
		"/none image from=/", "/cut image from=/")
	if err := p.recorder().Work(t.Context(), settlePath, new(status)); err != nil {
		t.Fatal(err)
	}
	beside, stderr, code := p.run("report", "--json")
	lines := strings.SplitAfter(beside, "\n")
	if code != 1 || stderr != "" || len(lines) != 4 {
		t.Fatalf("%d %s%s", code, stderr, beside)
	}
	var whole, page, last report.Line
	for i, line := range []*report.Line{&whole, &page, &last} {
		if err := json.Unmarshal([]byte(lines[i]), line); err != nil {
			t.Fatal(err)
		}
	}
	if !whole.Whole || page.Whole || page.URL != site.URL+"/" || page.Resources != 3 ||
		last.Total.Pages != 2 || last.Total.Whole != 1 || len(last.Total.Elsewhere.Findings) != 0 {
		t.Errorf("%s", beside)
	}
	var kinds []string
	for _, f := range page.Findings {
		kinds = append(kinds, string(f.Kind)+" "+strings.TrimPrefix(f.URL, site.URL))
	}
	if got := strings.Join(kinds, ", "); got != "failed /none, cut /cut, tooMany /busy, coding /zstd" {
		t.Errorf("found: %s", got)
	}
	if body, err := p.recorder().Read("/pages/report"); string(body) != beside || err != nil {
		t.Errorf("/pages/report: %v %s, want %s", err, body, beside)
	}
	if status := p.status("/pages/report?from=x"); status != 400 {
		t.Errorf("a time that is none: %d", status)
	}
	if p.stop() != 0 {
		t.Fatal(p.stderr)
	}
	if atRest, _, code := p.run("report", "--json"); atRest != beside || code != 1 {
		t.Errorf("at rest: %s, want %s", atRest, beside)
	}
	text, stderr, code := p.run("report", "--page", site.URL+"/")
	if code != 1 || stderr != "" || strings.Count(text, "\n") != 9 || strings.Contains(text, ".)") ||
		!strings.Contains(text, "3 resources: 1 failed, 1 cut, 1 tooMany, 1 coding\n") ||
		!strings.Contains(text, "  answered 429: visit it again later, and slower\n    "+site.URL+"/busy\n") {
		t.Errorf("%d %s%s", code, stderr, text)
	}
	if text, _, code := p.run("report", "--page", site.URL+"/whole"); code != 0 ||
		!strings.HasSuffix(text, "/whole  0 resources: whole\n") {
		t.Errorf("%d %s", code, text)
	}
	if _, stderr, code := p.run("report", "--page", site.URL+"/nowhere"); code != 1 ||
		!strings.Contains(stderr, "report: there is no such page: ") || !strings.Contains(stderr, " pages --dir ") {
		t.Errorf("no such page: %d %s", code, stderr)
	}
}

// TestToDo: of each kind that a report has it is said what to do.
func TestToDo(t *testing.T) {
	for _, kind := range report.Kinds {
		if toDo[kind] == "" {
			t.Errorf("%s", kind)
		}
	}
}
