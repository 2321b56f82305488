//go:build faults && linux

package cmd

import (
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// isSilent waits until the watchdog has heard nothing for so long.
func (n *notified) isSilent(of string, within time.Duration) {
	n.t.Helper()
	quiet := time.NewTimer(within)
	for deadline := time.After(patience); ; {
		select {
		case word := <-n.words:
			if strings.Contains(word, of) {
				quiet.Reset(within)
			}
		case <-quiet.C:
			return
		case <-deadline:
			n.t.Fatalf("it still says %s", of)
		}
	}
}

// TestWatchdog: a service manager's watchdog hears of a recorder that is idle or cannot record, and
// nothing of one whose write, sync or transaction does not return: it is to be started anew.
func TestWatchdog(t *testing.T) {
	const watchdog = 800 * time.Millisecond
	for _, c := range []struct {
		name, faults string
		stuck, ready bool
	}{
		{"a write that does not return", "slow warc-write 1h", true, true},
		{"a sync that does not return", "slow warc-sync 1h", true, true},
		{"a slow disk", "slow warc-sync 200ms", false, true},
		{"a full disk", "full warc-sync 1", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := listenForWords(t, watchdog)
			collections, ca := t.TempDir(), filepath.Join(t.TempDir(), "ca")
			r := launch(t, collections, ca, c.faults, "--min-free-space", "0", "--shutdown-timeout", "0s")
			if r.address == "" {
				t.Fatal(r.tail())
			}
			n.until("READY=1")
			n.until("WATCHDOG=1")
			proxy, _ := url.Parse("http://" + r.address)
			client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
			res, err := client.Get(streams(t).URL + "/?size=1000")
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, res.Body)
			res.Body.Close()
			if c.stuck {
				n.isSilent("WATCHDOG=1", watchdog)
				r.kill()
				return
			}
			if !c.ready {
				said := n.until("STATUS=cannot record")
				if last := said[len(said)-1]; !strings.Contains(last, "no space left") {
					t.Errorf("%q", last)
				}
			}
			for range 10 { // more than twice what the watchdog waits
				n.until("WATCHDOG=1")
			}
			check := command(collections, "status", "--check")
			check.Args[len(check.Args)-1] = collections // of --dir
			out, err := check.CombinedOutput()
			if (err == nil) != c.ready || !c.ready && !strings.Contains(string(out), "no space left") {
				t.Errorf("status --check: %v, %s", err, out)
			}
			if (r.status().code == http.StatusOK) != c.ready {
				t.Errorf("%+v", r.status())
			}
			r.kill()
		})
	}
}
