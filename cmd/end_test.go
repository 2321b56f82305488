//go:build faults && linux

package cmd

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"warcorder/store"
)

// endsWithin is what SIGTERM takes at most, and as long again for a machine that has much else to
// do.
const endsWithin = 20 * time.Second

// streams is an origin of bodies of any size, of which no two are the same.
func streams(t *testing.T) *httptest.Server {
	block := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(block)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(r.URL.Query().Get("size"))
		w.Header().Set("Content-Length", strconv.Itoa(size))
		io.WriteString(w, r.URL.Path)
		for left := size - len(r.URL.Path); left > 0; left -= len(block) {
			w.Write(block[:min(left, len(block))])
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// terminate sends SIGTERM and returns how long the end took.
func (r *recording) terminate() time.Duration {
	r.t.Helper()
	began := time.Now()
	r.cmd.Process.Signal(syscall.SIGTERM)
	r.wait()
	return time.Since(began)
}

// TestEndsInTime: SIGTERM while ten finished bodies wait for their records ends within the time
// that is said; the next start records what was left, and no gap says that anything is missing.
func TestEndsInTime(t *testing.T) {
	size, faults := 20<<20, "slow warc-write 20ms"
	if os.Getenv("CI_LONG") != "" {
		size, faults = 1<<30, ""
	}
	origin := streams(t)
	collections, ca := t.TempDir(), filepath.Join(t.TempDir(), "ca")
	flags := []string{"--min-free-space", "0", "--shutdown-timeout", "1s", "--dedup", "off"}
	r := launch(t, collections, ca, faults, flags...)
	proxy, _ := url.Parse("http://" + r.address)
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
	var all sync.WaitGroup
	for n := range 10 {
		all.Go(func() {
			res, err := client.Get(fmt.Sprintf("%s/%d?size=%d", origin.URL, n, size))
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			if came, err := io.Copy(io.Discard, res.Body); err != nil || came != int64(size) {
				t.Errorf("%d bytes, %v", came, err)
			}
		})
	}
	all.Wait()
	waiting, peak := r.status().Large, peakMemory(t, r.cmd.Process.Pid)
	took := r.terminate()
	if took > endsWithin || r.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("%v, %v: %s", took, r.cmd.ProcessState, r.tail())
	}
	left, _ := filepath.Glob(filepath.Join(collections, "default", "spill", "*.response"))
	t.Logf("%d of 10 waited, %v to the end, %d left; at most %d MB in memory", waiting, took,
		len(left), peak>>20)
	if len(left) == 0 {
		t.Error("nothing was left: no test of the end")
	}
	began := time.Now()
	r = launch(t, collections, ca, "", flags...)
	if r.address == "" {
		t.Fatal(r.tail())
	}
	t.Logf("the next start took %v", time.Since(began))
	r.stop()
	index, err := store.OpenReadOnly(filepath.Join(collections, "default", "index.bolt"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	captures := 0
	if err := index.Captures(store.Query{}, func(c *store.Capture) bool {
		if captures++; c.Length < int64(size) {
			t.Errorf("%+v", c)
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	gaps, err := index.Gaps(0)
	if captures != 10 || err != nil || len(gaps.Latest) > 0 {
		t.Errorf("%d captures; gaps: %v, %v", captures, gaps, err)
	}
}

// TestEndsOnStalledDisk: a disk that does not answer keeps nobody from ending the recorder. The
// next start has what lay in spill/, and says that the end was none.
func TestEndsOnStalledDisk(t *testing.T) {
	origin := streams(t)
	collections, ca := t.TempDir(), filepath.Join(t.TempDir(), "ca")
	flags := []string{"--min-free-space", "0", "--shutdown-timeout", "1s"}
	r := launch(t, collections, ca, "slow warc-write 1h", flags...)
	proxy, _ := url.Parse("http://" + r.address)
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
	for _, size := range []int{1000, 3 << 20} {
		res, err := client.Get(fmt.Sprintf("%s/?size=%d", origin.URL, size))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	if took := r.terminate(); took > endsWithin || r.cmd.ProcessState.ExitCode() != 1 ||
		!strings.Contains(r.tail(), "the disk does not answer") {
		t.Errorf("%v, %v: %s", took, r.cmd.ProcessState, r.tail())
	}
	r = launch(t, collections, ca, "", flags...)
	if r.address == "" {
		t.Fatal(r.tail())
	}
	if _, lines, err := r.get("/export"); err != nil || strings.Count(lines, "\n") != 1 ||
		!strings.Contains(lines, "size=3145728") {
		t.Errorf("%v: %s", err, lines)
	}
	if _, gaps, err := r.get("/gaps"); err != nil || !strings.Contains(gaps, `"crash": 1`) ||
		!strings.Contains(gaps, `"write": 1`) {
		t.Errorf("%v: %s", err, gaps)
	}
	r.stop()
}
