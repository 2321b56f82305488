package cmd

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warcorder/store/replay"
)

// TestReplaySummary: what is missing has its reason, and of the nearest capture the address and all of
// the time, however long addresses are, on lines that a terminal has room for.
func TestReplaySummary(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 30, 0, 0, time.Local)
	long := "https://a.test/" + strings.Repeat("path/", 40)
	run := replayRun{replayCommand: &replayCommand{}, dir: "/c/default"}
	text := run.summary(time.Second, &replay.Report{Missed: 2, Documents: []replay.Document{{
		Missed: 2,
		Misses: []replay.Miss{
			{Method: "GET", URL: long, Why: "not captured", Nearest: &replay.Nearest{URL: long + "x", Time: at}},
			{Method: "GET", URL: "https://a.test/", Why: "cut short"},
		},
	}}})
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(line) - 1; n > screen {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"not captured\n", "nearest https://a.test/", " of 2026-05-01 12:30\n", "cut short\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "--report") {
		t.Errorf("there is no more to tell:\n%s", text)
	}
}

// TestReplayShows: what is shown fits on its line, behind its label.
func TestReplayShows(t *testing.T) {
	var run replayRun
	run.options.Fallback = true
	run.options.At = time.Date(2013, 7, 2, 11, 59, 59, 5e8, time.UTC)
	if got := run.shows(); len(got) > screen-10 || !strings.Contains(got, "2013-07-02 11:59:59 UTC") {
		t.Error(got)
	}
}

// TestReplaySummaryNext: of what was not captured the command is told that records it, and of what
// cannot be read, or was fetched, it is not.
func TestReplaySummaryNext(t *testing.T) {
	of := func(why string) *replay.Report {
		return &replay.Report{Missed: 1, Documents: []replay.Document{{Missed: 1,
			Misses: []replay.Miss{{Method: "GET", URL: "https://a.test/", Why: why}}}}}
	}
	run := replayRun{replayCommand: &replayCommand{}, dir: "/c/default"}
	for _, c := range []struct {
		report   *replay.Report
		page     string
		fallback bool
		want     string
	}{
		{of("not captured"), "", false, " browser URL --dir /c\n"},
		{of("not captured"), "https://a.test/?a&$(b)", false, " browser 'https://a.test/?a&$(b)' --dir /c\n"},
		{of("not captured"), "https://a.test/", true, ""},
		{of("damaged"), "https://a.test/", false, ""},
		{of("redirect to itself"), "https://a.test/", false, ""},
		{&replay.Report{Missed: 3, Unlisted: 3}, "https://a.test/", false, " browser https://a.test/ "},
		{&replay.Report{Answered: 3}, "https://a.test/", false, ""},
	} {
		run.page, run.options.Fallback = c.page, c.fallback
		text := run.summary(time.Second, c.report)
		if _, next, found := strings.Cut(text, "  record it "); found != (c.want != "") ||
			!strings.Contains(next, c.want) {
			t.Errorf("%+v:\n%s", c, text)
		}
	}
}
