package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// commitKeys say when what is recorded is on disk and in the index, for whom, and for how long.
func commitKeys() []keyRow {
	return []keyRow{
		{key: "commit-interval", shows: showCommitInterval},
		{key: "index-interval", shows: showIndexInterval},
		{key: "commit-size", shows: showCommitSize},
		{key: "sync", shownBy: "keys_faults_test.go: TestSyncKey"},
		{key: "min-free-space", shows: showMinFreeSpace},
		{key: "archive-mode", shows: showArchiveMode},
		{key: "keep-for", shows: showKeepFor},
		{key: "queue-size", shownBy: "keys_faults_test.go: TestQueueSizeKey"},
	}
}

func showCommitInterval(t *testing.T, b *keyBench) {
	r := b.record(t, "commit-interval: 2s")
	began := time.Now()
	r.fetch(b.pages.URL+"/first").wants(t, 200, "")
	r.captured(t, b.pages.URL+"/first") // it is on disk
	for n := range 3 {
		r.fetch(fmt.Sprintf("%s/more/%d", b.pages.URL, n)).wants(t, 200, "")
	}
	if took := time.Since(began); took < time.Second && len(r.lines("capture")) != 1 {
		t.Errorf("%d captures after %v", len(r.lines("capture")), took)
	}
	for n := range 3 {
		r.captured(t, fmt.Sprintf("%s/more/%d", b.pages.URL, n))
	}
	if took := time.Since(began); took < 2*time.Second || len(r.lines("capture")) != 4 {
		t.Errorf("%d captures after %v", len(r.lines("capture")), took)
	}
	for n := range 3 {
		b.recordsOne(t, "", fmt.Sprint("/interval/", n))
	}
}

func showIndexInterval(t *testing.T, b *keyBench) {
	var state struct{ Totals struct{ Captures int } }
	r := b.recordsOne(t, "index-interval: 1h", "/waits")
	if r.state(t, &state); state.Totals.Captures != 0 {
		t.Errorf("%d captures are in the index", state.Totals.Captures)
	}
	if lines := r.indexed(t, "/waits"); len(lines) != 1 { // whoever reads it sees what is on disk
		t.Errorf("%q", lines)
	}
	byDefault := b.recordsOne(t, "index-interval: 1s", "/waits")
	eventually(t, "a capture is in the index", func() bool {
		byDefault.state(t, &state)
		return state.Totals.Captures == 1
	})
}

func showCommitSize(t *testing.T, b *keyBench) {
	site := newSite(t).plain
	for file, most := range map[string]int{"": 8e6, "commit-size: 1MB": 1e6} {
		const size = 400_000 // of one exchange
		r := b.record(t, file+"\ncommit-interval: 1h\nindex-interval: 1s")
		target := func(n int) string { return fmt.Sprintf("%s/bytes/%d/%d", site.URL, n, size) }
		r.fetch(target(0)).wants(t, 200, "") // nothing has been committed yet: at once
		r.captured(t, target(0))
		last := 0
		for ; last*size < most; last++ {
			if captures := len(r.lines("capture")); captures != 1 {
				t.Errorf("%q: %d captures, and only %d bytes have come", file, captures, last*size)
			}
			r.fetch(target(last+1)).wants(t, 200, "")
		}
		r.captured(t, target(last)) // an hour before its time
	}
}

func showMinFreeSpace(t *testing.T, b *keyBench) {
	r := b.record(t, "min-free-space: 1000000TB")
	r.fetch(b.pages.URL).wants(t, 503, "min-free-space")
	if s := r.status(); s.Recording || !strings.Contains(s.Reason, "min-free-space") {
		t.Errorf("%+v", s)
	}
	for file, want := range map[string]int64{"min-free-space: 0": 0, "": 1 << 30} {
		var state struct{ Disk struct{ MinFree int64 } }
		one := b.recordsOne(t, file, "/free")
		if one.state(t, &state); state.Disk.MinFree != want {
			t.Errorf("%q: %d bytes are to be free, want %d", file, state.Disk.MinFree, want)
		}
	}
}

func showArchiveMode(t *testing.T, b *keyBench) {
	if runtime.GOOS == "windows" {
		t.Skip("has no modes")
	}
	for file, want := range map[string]os.FileMode{"": 0o600, "archive-mode: 0640": 0o640,
		"archive-mode: 0664": 0o664} {
		r := b.recordsOne(t, file, "/mode")
		dir := want | want&0o444>>2 // entered by whoever may read
		for name, mode := range map[string]os.FileMode{
			"archive": dir, "archive/*": want, "index.bolt": want, "recorder.json": want,
			"recorder.token": 0o600,
		} {
			paths, _ := filepath.Glob(filepath.Join(r.dir, name))
			for _, path := range paths {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
					t.Errorf("%q: %s is %v, want %v, %v", file, name, info.Mode(), mode, err)
				}
			}
			if len(paths) == 0 {
				t.Errorf("no %s", name)
			}
		}
	}
}

// showKeepFor does not wait for an hour: that a recorder looks again then is not shown.
func showKeepFor(t *testing.T, b *keyBench) {
	home, old := t.TempDir(), time.Now().Add(-100*24*time.Hour)
	oldCapture(t, home, old)
	theirs := filepath.Join(t.TempDir(), "theirs.warc")
	record := "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://example.com/old/theirs>\r\n" +
		"WARC-Date: " + old.UTC().Format("2006-01-02T15:04:05Z") +
		"\r\nContent-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\r\n\r\n"
	if err := os.WriteFile(theirs, []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	collections := filepath.Join(home, "collections")
	out, err := homeCommand(home, "index", theirs, "--dir", collections).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		file string
		left int
	}{{"", 2}, {"keep-for: 101d", 2}, {"keep-for: 99d", 1}} {
		r := b.recordIn(t, collections, "", c.file)
		if c.left == 1 {
			r.says(t, "removed what is older than keep-for", "")
		}
		lines := r.indexed(t, "example.com/old")
		if len(lines) != c.left || !strings.Contains(strings.Join(lines, ""), "/old/theirs") {
			t.Errorf("%q: %q", c.file, lines)
		}
		r.stop()
		if got := r.records(t, "response", "example.com/old\r\n"); len(got) != c.left-1 { // for good
			t.Errorf("%q: %d responses are in the files", c.file, len(got))
		}
	}
}
