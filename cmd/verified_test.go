package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestLastVerify: status tells what verify has found, of a recorder that runs and of a collection at
// rest; what verify has not left is told, and not believed.
func TestLastVerify(t *testing.T) {
	origin := newPages(t)
	p := startRecording(t)
	p.fetch(origin.URL + "/1")
	if out := p.statusText(); !strings.Contains(out, "verified     never\n") {
		t.Errorf("%s", out)
	}
	if out, errs, code := p.run("verify"); code != 0 {
		t.Fatal(out, errs)
	}
	eventually(t, "the recorder tells of it", func() bool {
		var now status
		if err := json.Unmarshal([]byte(p.page("/status")), &now); err != nil {
			t.Fatal(err)
		}
		last := now.LastVerify
		return last != nil && last.OK && !last.Indexed && last.Problems == 0
	})
	p.stop()
	if out, errs, code := p.run("verify"); code != 0 {
		t.Fatal(out, errs)
	}
	if last := p.restingState().LastVerify; !last.OK || !last.Indexed || last.Files != 1 ||
		last.Captures != 1 || time.Since(last.Time) > time.Hour {
		t.Errorf("%+v", last)
	}
	dir := filepath.Join(p.dir, "collections", "default")
	names, _ := filepath.Glob(filepath.Join(dir, "archive", "*"))
	if err := os.Truncate(names[0], 100); err != nil {
		t.Fatal(err)
	}
	if out, _, code := p.run("verify", names[0]); code != 1 {
		t.Fatal(out)
	}
	if last := p.restingState().LastVerify; !last.OK {
		t.Errorf("of a file alone: %+v", last)
	}
	if out, _, code := p.run("verify"); code != 1 {
		t.Fatal(out)
	}
	last := p.restingState().LastVerify
	if last.OK || last.Problems == 0 || !strings.HasPrefix(last.First, filepath.Base(names[0])+":") ||
		!strings.Contains(p.statusText(), " in 1 file") {
		t.Errorf("%+v\n%s", last, p.statusText())
	}
	foreign := filepath.Join(dir, "verified.json")
	if err := os.WriteFile(foreign, []byte(`{"ok":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if last := p.restingState().LastVerify; last.OK || !strings.Contains(last.Words, "is not what verify leaves") {
		t.Errorf("%+v", last)
	}
}

// TestLastVerifyWhole: what a verify has not looked at is told too, however narrow the screen is.
func TestLastVerifyWhole(t *testing.T) {
	const words = "nothing wrong in 2 files, 4.3 kB; the index was not compared"
	last := &lastVerify{Time: time.Now(), OK: true, Words: words}
	for _, text := range []string{status{LastVerify: last}.text(), resting{LastVerify: last}.text()} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), words) ||
			!strings.Contains(text, "\n  verified     2") {
			t.Errorf("%s", text)
		}
		for line := range strings.Lines(text) {
			if len(strings.TrimSuffix(line, "\n")) > screen {
				t.Errorf("too wide: %q", line)
			}
		}
	}
}

// TestLookout: however many ask, there is one look at a time, and a look that does not end is not
// waited for.
func TestLookout(t *testing.T) {
	var looks atomic.Int32
	end := make(chan struct{})
	l := lookout[int]{interval: time.Hour, patience: time.Minute, look: func() int {
		<-end
		return int(looks.Add(1))
	}}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if n := l.now(); n != 1 {
				t.Errorf("it is %d", n)
			}
		})
	}
	close(end)
	all.Wait()
	if n := looks.Load(); n != 1 {
		t.Errorf("%d looks", n)
	}
	held := make(chan struct{})
	defer close(held)
	l = lookout[int]{found: 7, patience: time.Millisecond, look: func() int { <-held; return 8 }}
	if n := l.now(); n != 7 {
		t.Errorf("it is %d", n)
	}
}
