//go:build faults

package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
)

// panicking is a recorder with a fault of its own, and clients that ask it one thing after another.
type panicking struct {
	*recording
	t      *testing.T
	dir    string // of the collections
	ca     string
	site   *site
	client *client
	urls   []string // that clients got whole
}

func newPanicking(t *testing.T, faults string, flags ...string) *panicking {
	t.Helper()
	p := &panicking{t: t, dir: t.TempDir(), ca: filepath.Join(t.TempDir(), "ca"), site: newSite(t)}
	p.recording = launch(t, p.dir, p.ca, faults,
		append([]string{"--min-free-space", "0", "--index-interval", "5ms"}, flags...)...)
	p.client = &client{proxy: p.address, trust: trustOf(t, p.ca), got: newReceived()}
	t.Cleanup(p.client.close)
	return p
}

// ask asks for something of that many bytes that has not been asked for. It reports whether it
// came.
func (p *panicking) ask(size int) bool {
	url := fmt.Sprintf("%s/bytes/%d/%d", p.site.secure.URL, len(p.urls), size)
	status, _, err := p.client.fetch("GET", url, nil)
	if err == nil && status == 200 {
		p.urls = append(p.urls, url)
	}
	return err == nil && status == 200
}

// settled waits until all that was asked for is in the index, or named in the list of gaps. It
// returns the latter's URLs.
func (p *panicking) settled() (lost map[string]bool) {
	p.t.Helper()
	eventually(p.t, "each exchange is in the index or a gap", func() bool {
		_, lines, err := p.get("/export")
		if err != nil {
			return false
		}
		lost = p.gaps()
		for _, url := range p.urls {
			if lost[url] == strings.Contains(lines, fmt.Sprintf("%q", url)) {
				return false
			}
		}
		return true
	})
	return lost
}

// gaps are the URLs of the gaps "write".
func (p *panicking) gaps() map[string]bool {
	p.t.Helper()
	_, body, err := p.get("/gaps")
	var gaps store.Gaps
	if err != nil || json.Unmarshal([]byte(body), &gaps) != nil {
		p.t.Fatalf("/gaps: %s, %v", body, err)
	}
	urls := map[string]bool{}
	for _, g := range gaps.Latest {
		// a chain shares the fate of its exchange
		if g.Reason == recorder.GapWrite && !strings.HasPrefix(g.URL, "urn:") {
			urls[g.URL] = true
		}
	}
	return urls
}

// TestPanics lets steps of the recorder panic: what is concerned is recorded all the same or a gap
// with its URL, the log has the stack, all else is recorded, and the end is clean.
func TestPanics(t *testing.T) {
	for _, c := range []struct {
		faults string
		size   int
		lost   int
	}{
		{"panic record 3-3", 1000, 1},
		{"panic record 1-4", 1000, 4},
		{"panic record 3-3", 2 << 20, 1},
		{"panic warc-create 1-1", 1000, 0},
		{"panic warc-write 3-3", 1000, 0},
		{"panic warc-write 3-4", 1000, 1},
		{"panic warc-write 9-9", 2 << 20, 1},
		{"panic warc-sync 3-3", 1000, 0},
		{"panic warc-synced 3-4", 1000, 1},
		{"panic warc-rename 1-1", 30000, 0},
		{"panic warc-renamed 1-1", 30000, 0},
		{"panic index-add-file 1-1", 1000, 0},
		{"panic index-committed 5-5", 1000, 0},
	} {
		t.Run(fmt.Sprint(c.faults, ", ", c.size), func(t *testing.T) {
			p := newPanicking(t, c.faults, "--warc-max-size", "200kB")
			for range 15 {
				if !p.ask(c.size) {
					t.Errorf("it does not record any more: %s", p.tail())
				}
				p.settled() // so that it comes to every point again and again
			}
			lost := p.settled()
			if len(lost) != c.lost {
				t.Errorf("%d gaps, want %d: %v", len(lost), c.lost, lost)
			}
			caught := p.lines("a fault of warcorder's own was caught: all else goes on")
			if len(caught) == 0 || !strings.Contains(caught[0].text, "goroutine ") ||
				!strings.Contains(caught[0].text, "store/fault") {
				t.Errorf("the log has no stack: %s", p.tail())
			}
			p.client.close()
			p.end()
		})
	}
}

// TestPanicInTheIndex: an index that breaks in the middle of a transaction can only be opened anew,
// so the recorder stops, with an error. What clients got is in the files, and the next start puts
// it into the index.
func TestPanicInTheIndex(t *testing.T) {
	p := newPanicking(t, "panic index-commit 6-6")
	eventually(t, "it has ended", func() bool {
		p.ask(1000)
		return p.hasEnded()
	})
	code, noise := p.cmd.ProcessState.ExitCode(), p.noise()
	if code != 1 || !strings.Contains(noise, "start it again, which repairs the index") {
		t.Errorf("exit code %d: %s", code, noise)
	}
	p.recording = launch(t, p.dir, p.ca, "")
	if lost := p.settled(); len(lost) > 0 {
		t.Errorf("lost: %v", lost)
	}
	if _, body, err := p.get("/gaps"); err != nil || !strings.Contains(body, recovery.GapCrash) {
		t.Errorf(
			"the index does not know that the last recorder has ended, and the list does not tell: %s, %v",
			body, err)
	}
	p.end()
}

// end ends the recorder, which must leave a collection that is as it must be.
func (p *panicking) end() {
	p.t.Helper()
	p.cmd.Process.Signal(os.Interrupt)
	p.wait()
	checked := launchCommand(p.t, p.dir, p.ca, "", "verify", "--json")
	if !checked.cmd.ProcessState.Success() {
		p.t.Errorf("verify: %v, %s", checked.cmd.ProcessState, checked.tail())
	}
}

// TestFivePanics: what breaks five times within a minute stops, with an error, and cleanly.
func TestFivePanics(t *testing.T) {
	p := newPanicking(t, "panic record 3-1000")
	eventually(t, "it has ended", func() bool {
		p.ask(1000)
		return p.hasEnded()
	})
	code, noise := p.cmd.ProcessState.ExitCode(), p.noise()
	if code != 1 || !strings.Contains(noise, "warcorder broke 5 times within a minute") {
		t.Errorf("exit code %d: %s", code, noise)
	}
	for _, pattern := range []string{"default/archive/*.open", "default/recorder.json"} {
		if left, _ := filepath.Glob(filepath.Join(p.dir, pattern)); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
	p.recording = launch(t, p.dir, p.ca, "")
	defer p.stop()
	lost := p.settled()
	if len(lost) < 5 || len(lost) != len(p.urls)-2 {
		t.Errorf("%d gaps of %d exchanges", len(lost), len(p.urls))
	}
	if _, body, err := p.get("/gaps"); err != nil || strings.Contains(body, recovery.GapCrash) {
		t.Errorf("a clean end, and the next start says: %s, %v", body, err)
	}
}
