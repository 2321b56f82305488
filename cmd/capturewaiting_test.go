//go:build unix

package cmd

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestCaptureWaits: while a capture waits for the whole of something it says so, once; with --quiet it does
// not.
func TestCaptureWaits(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{false, true} {
		b := installChromium(t)
		release := make(chan struct{})
		let := sync.OnceFunc(func() { close(release) })
		var asked atomic.Int32
		origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/held.png" {
				w.Header().Set("Content-Type", "text/html")
				io.WriteString(w, "needs http://site.example/held.png")
				return
			}
			w.Header().Set("Content-Type", "image/png")
			w.Header().Set("Content-Length", "10")
			if asked.Add(1) == 1 {
				io.WriteString(w, "torn")
				return
			}
			if quiet { // nothing tells that nothing is said
				time.AfterFunc(2*toldAfter, let)
			}
			<-release
			io.WriteString(w, "0123456789")
		}))
		t.Cleanup(origin.Close)
		t.Cleanup(let)
		b.parent = origin.URL
		args := []string{"--complete", "auto", "http://site.example/"}
		if quiet {
			args = append(args, "--quiet")
		}
		cmd := b.captureLine(args...)
		errs, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stuck := time.AfterFunc(patience, let)
		defer stuck.Stop()
		said := 0
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			if strings.Contains(lines.Text(), "waiting for what came in part: 1 whole to come") {
				said++
				let()
			}
		}
		cmd.Wait()
		b.isClean()
		if said != 1 && !quiet || said > 0 && quiet || asked.Load() != 2 {
			t.Errorf("quiet %t: it was said %d times, and asked for %d times", quiet, said, asked.Load())
		}
	}
}
