//go:build faults && linux

package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/raced"
	"warcorder/store/collection"
	"warcorder/store/fault"
)

// TestWriteError: an I/O error in the middle of a write, a sync that fails, and an index that
// cannot be written.
func TestWriteError(t *testing.T) {
	for _, faults := range []string{
		"fail warc-write 40-42",
		"fail warc-sync 6-7",
		"fail warc-create 3-4",
		"fail warc-created 3-4",
		"fail warc-rename 2-3",
		"fail warc-write 30-30,fail warc-truncate 1-3",
		"fail index-add-file 3-4",
		"fail index-commit 6-7",
		"fail spill 3-7", // four are of clients at most, and then of who looks whether it works again
	} {
		t.Run(faults, func(t *testing.T) {
			t.Parallel() // each waits for the recorder's pauses most of the time
			d := newOnDisk(t, t.TempDir(), "--min-free-space", "0", "--warc-max-size", "3MB")
			d.begin(faults)
			d.untilRefused(4, "input/output error")
			d.checkWhole()
			d.untilOn()
			d.end()
		})
	}
}

// TestSlowDisk: a disk on which every write and sync takes 100 ms slows clients, and what waits
// takes no more memory than it may.
func TestSlowDisk(t *testing.T) {
	d := newOnDisk(t, t.TempDir(), "--min-free-space", "0", "--queue-size", "16MB")
	d.kind = func(n int64) (method, path string, body []byte) { // which deflate
		return "GET", fmt.Sprintf("/text/%d/%d", n, 100<<10+n*7919%(900<<10)), nil
	}
	d.begin("slow warc-write 100ms,slow warc-sync 100ms,slow spill 100ms")
	began := time.Now()
	d.run(32, func() bool {
		if queued := d.r.status().Queued; queued > 16e6 {
			t.Errorf("%d bytes wait", queued)
		}
		return d.serial.Load() >= 400 || time.Since(began) > patience
	})
	took := time.Since(began)
	peak := peakMemory(t, d.r.cmd.Process.Pid)
	d.end()
	var bytes int64
	for n := range d.serial.Load() {
		_, path, _ := d.kind(n + 1)
		bytes += int64(len(content(path)))
	}
	t.Logf("%d MB of %d exchanges in %v, at most %d MB in memory", bytes>>20, d.kept.got.len(),
		took.Round(time.Second), peak>>20)
	captures := 0
	for url := range d.indexed {
		if !strings.HasPrefix(url, "urn:") { // the origin's certificates
			captures++
		}
	}
	if int64(d.kept.got.len()) != d.serial.Load() || captures != d.kept.got.len() {
		t.Errorf("%d asked, %d received, %d captures", d.serial.Load(), d.kept.got.len(), captures)
	}
	if bytes < 200<<20 {
		t.Errorf("only %d bytes: no test of the queue", bytes)
	}
	if peak > 150<<20 && !raced.Enabled {
		t.Errorf("%d MB in memory", peak>>20)
	}
}

// TestSlowDiskReplayed: what a client has had is replayed at once also where each transaction of the
// index takes a second: it is waited for, and no miss.
func TestSlowDiskReplayed(t *testing.T) {
	origin, _, _ := countedPages(t)
	dir := t.TempDir()
	record := command(dir, "record", "--listen", "127.0.0.1:0", "--replay-listen", "127.0.0.1:0", "--log", "json")
	record.Env = append(record.Env, fault.Variable+"=slow index-commit 1s")
	rec := startCommand(t, dir, "recording", record)
	who, err := collection.Dir(filepath.Join(dir, "collections", "default")).Running()
	if err != nil {
		t.Fatal(err)
	}
	rec.address = who.Addresses[0]
	second := &program{t: t, address: who.Replay}
	for n := range 5 {
		page := fmt.Sprint(origin, "/", n)
		want := rec.fetch(page)
		if _, body := second.get(page); body != want {
			t.Errorf("%q, want %q", body, want)
		}
	}
	if code := rec.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, rec.stderr)
	}
}

// peakMemory is the most memory that a process has had at any time.
func peakMemory(t *testing.T, pid int) (peak int64) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "\nVmHWM:")
	if _, err := fmt.Sscanf(after, "%d kB", &peak); err != nil {
		t.Fatal(err)
	}
	return peak << 10
}
