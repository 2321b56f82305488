//go:build unix

package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
)

// TestFarewell: at its end a recorder says to a person what it has captured, what not and why, and
// what to do next; to programs it says the same figures in one line.
func TestFarewell(t *testing.T) {
	site := newSite(t)
	for _, form := range []string{"text", "json"} {
		path := filepath.Join(t.TempDir(), "log")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		p := recordUnread(t, file, "--log", form, "--no-record", "localhost")
		file.Close()
		for range 3 {
			p.fetch(site.plain.URL + "/text/1/9000")
		}
		p.fetch("http://127.0.0.1:1/unreached")
		p.fetch(strings.Replace(site.plain.URL, "127.0.0.1", "localhost", 1) + "/text/1/9000")
		p.end(syscall.SIGINT)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if form == "json" {
			checkEnded(t, string(b))
			continue
		}
		_, said, found := strings.Cut(string(b), "3 exchanges in ")
		if !found {
			t.Fatalf("%s", b)
		}
		for _, want := range []string{"3 captures (2 revisits), ", filepath.Join("default", "archive"),
			"1 gap        upstream: no answer, or a certificate that is not valid\n", " http://127.0.0.1:1/unreached\n",
			"1 exchange passed", " gaps --dir ", " replay URL --dir ", " export --dir "} {
			if !strings.Contains(said, want) {
				t.Errorf("no %q in %s", want, said)
			}
		}
	}
}

// checkEnded: the last line of the log has the figures.
func checkEnded(t *testing.T, log string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(log), "\n")
	var ended struct {
		Message                             string
		Exchanges, Captures, Revisits, Lost int
		Bytes                               int64
		Seconds                             float64
		Gaps                                map[string]int
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &ended); err != nil {
		t.Fatal(err, log)
	}
	if ended.Message != "ended" || ended.Exchanges != 3 || ended.Captures != 3 || ended.Revisits != 2 ||
		ended.Bytes == 0 || ended.Seconds <= 0 || ended.Gaps["upstream"] != 1 ||
		ended.Gaps["unrecorded"] != 1 {
		t.Errorf("%+v", ended)
	}
}

// TestFarewellBetween: of a recorder that goes on only what came between two states is told, and of
// its gaps the newer ones.
func TestFarewellBetween(t *testing.T) {
	site := newSite(t)
	p := startRecording(t)
	p.fetch(site.plain.URL + "/text/1/1000")
	p.fetch("http://127.0.0.1:1/before")
	var before, after status
	if err := p.recorder().Work(t.Context(), settlePath, &before); err != nil {
		t.Fatal(err)
	}
	p.fetch(site.plain.URL + "/text/2/1000")
	p.fetch("http://127.0.0.1:1/after")
	if err := p.recorder().Work(t.Context(), settlePath, &after); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	farewell(&said, collection.Dir(filepath.Join(p.dir, "collections", "default")), "", before, after)
	if got := said.String(); !strings.HasPrefix(got, "1 exchange in ") ||
		!strings.Contains(got, "/after\n") || strings.Contains(got, "/before") {
		t.Errorf("%s", got)
	}
}

// TestSummaryHostile: the URLs of gaps, which a page chooses, neither move the cursor nor are wider
// than their place; of each reason three are shown, and each reason has its words.
func TestSummaryHostile(t *testing.T) {
	s := summary{dir: "/c/news", took: 1e6 * time.Hour, captures: 1 << 50, revisits: 1 << 50,
		exchanges: 1 << 50, bytes: 1 << 62, gaps: map[string]int64{}}
	var latest []store.Gap
	for _, reason := range recorder.GapReasons {
		if gapWords[reason] == "" {
			t.Errorf("%s has no words", reason)
		}
		s.gaps[reason] = 1 << 40
		for i := range 10 {
			latest = append(latest, store.Gap{Time: time.Now(), Reason: reason,
				URL: fmt.Sprintf("http://%d/\x1b[2J\u202e\u0301%s", i, strings.Repeat("ｗ", 1<<10))})
		}
	}
	s.choose(latest, time.Time{})
	if len(s.some) != someGaps*len(recorder.GapReasons) {
		t.Errorf("%d gaps are shown", len(s.some))
	}
	for line := range strings.Lines(s.text()) {
		if utf8.RuneCountInString(line) > screen+1 && !strings.Contains(line, " --dir ") {
			t.Errorf("too wide: %q", line)
		}
		if strings.ContainsFunc(line, func(r rune) bool {
			return r != '\n' && r != '…' && (r < ' ' || r > '~')
		}) {
			t.Errorf("%q", line)
		}
	}
}

// TestFarewellSee: the command that shows what was recorded names the page that was opened.
func TestFarewellSee(t *testing.T) {
	for page, want := range map[string]string{
		"":                       " replay URL --dir /c\n",
		"https://a.test/":        " replay https://a.test/ --dir /c\n",
		"https://me:pw@a.test/":  " replay https://a.test/ --dir /c\n",
		"https://a.test/?a&$(b)": " replay 'https://a.test/?a&$(b)' --dir /c\n",
	} {
		s := summary{dir: "/c/default", page: page, captures: 1}
		if text := s.text(); !strings.Contains(text, want) {
			t.Errorf("%q: %s", page, text)
		}
	}
}

// TestFarewellBeside: captures that are of no exchange are told neutrally, and only if there are some.
func TestFarewellBeside(t *testing.T) {
	const line = "\n  of them      3 captures of no exchange: certificates, pictures, texts\n"
	for captures, want := range map[int64]bool{2: false, 5: true} {
		s := summary{dir: "/c/default", captures: captures, exchanges: 2}
		if text := s.text(); strings.Contains(text, line) != want || strings.Contains(text, "of no exchange") != want {
			t.Errorf("%d: %s", captures, text)
		}
	}
}

// TestGreeting: what a person is told at the start fits 80 columns but for paths, its addresses
// answer, and its commands work as they stand.
func TestGreeting(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "log")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	p := recordUnread(t, file, "--log", "text")
	file.Close()
	var greeting string
	eventually(t, "it greets", func() bool {
		b, _ := os.ReadFile(path)
		greeting = string(b)
		return strings.Contains(greeting, "Stop with Ctrl-C.\n")
	})
	lines := strings.Split(strings.TrimSpace(greeting), "\n")
	if len(lines) > 10 || !slices.Contains(lines, "  status  http://"+p.address+"/status") ||
		!strings.Contains(greeting, "  proxy   http://"+p.address+" ") ||
		!strings.Contains(greeting, "  trust   http://"+p.address+"/trust ") {
		t.Errorf("%s", greeting)
	}
	if !slices.Contains(lines, "  see it  http://"+p.address+"/") || !strings.Contains(p.page("/"), "live/app.js") {
		t.Errorf("no live page: %s", greeting)
	}
	if p.status("/status") != 200 || p.status("/trust") != 200 {
		t.Error("an address that it tells does not answer")
	}
	commands := 0
	for _, line := range lines {
		if len(line) > screen && !strings.Contains(line, p.dir) {
			t.Errorf("too wide: %s", line)
		}
		command, found := strings.CutPrefix(line, strings.Repeat(" ", 10)+"curl ")
		if !found {
			continue
		}
		commands++
		// the origin is one of ours, for there may be no other
		command = strings.Replace(command, "http://example.org/", newSite(t).plain.URL+"/text/1/10", 1)
		if out, err := exec.Command("sh", "-c", curl+" --silent "+command).CombinedOutput(); err != nil ||
			len(out) != 10 {
			t.Errorf("%s: %v: %s", command, err, out)
		}
	}
	if commands != 1 {
		t.Errorf("%d commands of curl in %s", commands, greeting)
	}
}

// TestCommandFor: the command that is shown names what is not usual, in one word each.
func TestCommandFor(t *testing.T) {
	here, err := filepath.Abs("collections")
	if err != nil {
		t.Fatal(err)
	}
	program := startedAs(os.Args[0])
	for dir, want := range map[string]string{
		filepath.Join(here, "default"):      " export",
		filepath.Join(here, "it's news"):    ` export --collection 'it'\''s news'`,
		"/my films/default":                 " export --dir '/my films'",
		filepath.Join("/c", "$(date)", "x"): " export --collection x --dir '/c/$(date)'",
	} {
		if got := commandFor(collection.Dir(dir), "export"); got != program+want {
			t.Errorf("%s: %s, want %s", dir, got, program+want)
		}
	}
}
