package recorder

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/proxy/raced"
	"warcorder/recorder/recovery"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// TestRecoverEveryByte cuts a file at every byte of its last exchange, and of its warcinfo record,
// and coarsely elsewhere; the index ends before that exchange, or nowhere.
func TestRecoverEveryByte(t *testing.T) {
	t.Parallel()
	c := crash(t)
	last, size := c.starts[len(c.starts)-1], int64(len(c.bytes))
	type cut struct{ size, committed int64 }
	cuts := []cut{{size, size}, {size, 0}, {size, -1}}
	for at := last; at <= size; at += int64(raced.Every(1)) {
		cuts = append(cuts, cut{at, last})
	}
	for at := int64(0); at < last; at += int64(raced.Every(97)) {
		cuts = append(cuts, cut{at, -1})
	}
	for _, start := range c.starts {
		cuts = append(cuts, cut{start - 1, -1}, cut{start, -1}, cut{start + 1, -1}, cut{size, start})
	}
	for _, at := range cuts {
		if at.committed >= 0 && c.indexes[at.committed] == nil {
			c.makeIndex(t, at.committed)
		}
	}
	var next atomic.Int64 // several at once, since they wait for the disk
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := next.Add(1) - 1; n < int64(len(cuts)); n = next.Add(1) - 1 {
				c.recoverAt(t, cuts[n].size, cuts[n].committed)
			}
		})
	}
	all.Wait()
}

// TestRecoverSameExport drops the index of a collection, and finds the same lines in the one that
// recovery makes from the files.
func TestRecoverSameExport(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir(), Config{})
	for i := range 1500 {
		c.commit(fmt.Sprintf("http://example.com/%d?q=%c", i%700, 'a'+i%26),
			[]string{exampleRequest, "PATCH / HTTP/1.1\r\n\r\nx"}[i%2],
			page(200+i%300, fmt.Sprintf("text/x-%d; a=b", i%50), "", "hello"))
	}
	c.commit("http://example.com/large", exampleRequest,
		page(200, "video/mp4", "", randomBytes(2<<20)))
	c.close()
	want := export(t, c.dir)
	if strings.Count(want, "\n") != 1501 {
		t.Fatalf("%d lines", strings.Count(want, "\n"))
	}
	reopenWithoutIndex(t, c.dir, Config{})
	if got := export(t, c.dir); got != want {
		t.Errorf("the export differs: %d and %d bytes", len(got), len(want))
	}
	checkIndex(t, c.dir, readBack(t, c.dir))
}

// TestRecoverStates begins at every state in which a recovery, or the finishing of a file, can be
// interrupted, and at files that people have touched.
func TestRecoverStates(t *testing.T) {
	c := crash(t)
	size := int64(len(c.bytes))
	middle := c.starts[len(c.starts)/2]
	for _, test := range []struct {
		name            string
		size, committed int64
		change          func(t *testing.T, path string) // path of the file, final
		log             string
		untouched       bool
	}{
		{"renamed, not sealed", size, size, renamed, "", false},
		{"renamed, not indexed to the end", size, middle, renamed, "", false},
		{"copy made, not cut", size - 5, middle, func(t *testing.T, path string) {
			write(t, path+collection.TornSuffix, c.bytes[c.exchangesEnd(t, size-5):size-5])
		}, `"level":"warn"`, false},
		{"half a copy made", size - 5, middle, func(t *testing.T, path string) {
			write(t, path+collection.TornSuffix+collection.CopyingSuffix,
				c.bytes[c.exchangesEnd(t, size-5):size-50])
		}, `"level":"warn"`, false},
		{"nothing written", 0, 0, func(t *testing.T, path string) {}, "", false},
		{"never created", 0, 0, removed, "", false},
		{"created, not known to the index", 0, -1, func(t *testing.T, path string) {}, "", false},
		{"removed", size, size, removed, "a WARC file is missing", true},
		{"shorter than committed", middle - 1, middle, func(t *testing.T, path string) {},
			"a WARC file is shorter than the index says", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			c.restore(t, dir, test.size, test.committed)
			path := filepath.Join(dir, "archive", c.name)
			test.change(t, path)
			for range 2 { // a second recovery finds nothing to do, but for what it cannot mend
				log := recoverOnly(t, dir)
				if test.log != "" && log.count(test.log, c.name) != 1 ||
					test.log == "" && log.count(`"level":"error"`)+log.count(`"level":"warn"`) > 0 {
					t.Errorf("in the log: %s", &log.b)
				}
				if !test.untouched {
					test.log = ""
				}
			}
			if !test.untouched {
				c.checkRecovered(t, dir, test.size)
				return
			}
			if content, err := os.ReadFile(path + warc.OpenSuffix); err == nil &&
				!bytes.Equal(content, c.bytes[:test.size]) {
				t.Error("the file has changed")
			}
			if got := captures(t, dir); len(got) != len(c.before(test.committed)) {
				t.Errorf("%d captures", len(got))
			}
		})
	}
}

// TestRecoverGarbage puts bytes behind a whole file that are no record: they go to the copy.
func TestRecoverGarbage(t *testing.T) {
	c := crash(t)
	size := len(c.bytes)
	for name, tail := range map[string]string{
		"zeros": string(make([]byte, 5000)), "text": "hello", "a gzip header": "\x1f\x8b\x08",
		"half of a second warcinfo": string(c.bytes[:100]),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			longer := *c
			longer.bytes = append(slices.Clip(c.bytes), tail...)
			longer.restore(t, dir, int64(len(longer.bytes)), c.starts[1])
			recoverOnly(t, dir)
			longer.checkRecovered(t, dir, int64(len(longer.bytes)))
			torn, err := os.ReadFile(filepath.Join(dir, "archive", c.name+collection.TornSuffix))
			if err != nil || string(torn) != tail {
				t.Errorf("the copy: %v, %d bytes", err, len(torn))
			}
			if kept, _ := os.ReadFile(filepath.Join(dir, "archive", c.name)); len(kept) != size {
				t.Errorf("%d bytes kept, want %d", len(kept), size)
			}
		})
	}
}

// TestRecoverKilled kills recorders at work. What they had said is in the index must be there, and
// index and files agree after the next start.
func TestRecoverKilled(t *testing.T) {
	if dir := os.Getenv("RECORDER_TEST_KILL"); dir != "" {
		recordForever(t, dir)
		return
	}
	dir := t.TempDir()
	said := make(map[string]bool)
	for round := range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRecoverKilled$")
		cmd.Env = append(os.Environ(), "RECORDER_TEST_KILL="+dir,
			fmt.Sprint("RECORDER_TEST_ROUND=", round))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n < 100*(round+1) && lines.Scan(); n++ {
			if _, url, ok := strings.Cut(lines.Text(), `"url":"`); ok {
				url, _, _ = strings.Cut(url, `"`)
				said[url] = true
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
	again := open(t, dir, Config{})
	urls := again.urls()
	again.close()
	for _, url := range urls {
		delete(said, url)
	}
	if len(said) > 0 || len(urls) < 500 {
		t.Errorf("%d captures; in the log, but not among them: %v", len(urls), said)
	}
	torn, _ := filepath.Glob(filepath.Join(dir, "archive", "*"+collection.TornSuffix))
	for _, name := range torn {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	records := readBack(t, dir)
	checkIndex(t, dir, records)
	if n := checkRevisits(t, records); n == 0 {
		t.Error("no revisits")
	}
}

// recordForever records until it is killed; its log is its standard output.
func recordForever(t *testing.T, dir string) {
	r, err := Open(Config{CommitInterval: time.Millisecond, WARCMaxSize: 50_000}, collection.Dir(dir),
		zerolog.New(os.Stdout))
	if err != nil {
		t.Fatal(err)
	}
	c := &recording{Recorder: r, t: t, dir: dir}
	for i := 0; ; i++ {
		url := fmt.Sprintf("http://example.com/%s/%d", os.Getenv("RECORDER_TEST_ROUND"), i)
		if i%3 > 0 {
			c.get(url)
			continue
		}
		c.commit(url, exampleRequest,
			page(200, "text/html", "", strings.Repeat(fmt.Sprint("the same for some, ", i/20), 200)))
	}
}

// TestRecoverInterrupted: wherever a recovery that puts each capture into the index by itself is
// interrupted, the next one finds the same.
func TestRecoverInterrupted(t *testing.T) {
	t.Parallel()
	c := crash(t)
	for _, suffix := range []string{warc.OpenSuffix, ""} {
		dir := t.TempDir()
		c.restore(t, dir, int64(len(c.bytes)), 0)
		if suffix == "" {
			renamed(t, filepath.Join(dir, "archive", c.name))
		}
		var snapshots []string
		opened, err := recovery.Open(recovery.Config{Group: 1, Progress: func(string, int64, int64) {
			snapshot := t.TempDir()
			if err := os.CopyFS(snapshot, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			snapshots = append(snapshots, snapshot)
		}}, collection.Dir(dir), zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(opened.Index.Close(), opened.Unlock()); err != nil {
			t.Fatal(err)
		}
		if len(snapshots) < 10 {
			t.Fatalf("%d snapshots", len(snapshots))
		}
		for _, snapshot := range snapshots {
			found, err := recovered(Config{}, snapshot, zerolog.Nop(), nil)
			if err != nil || found.Cut > 0 || len(found.Damaged) > 0 {
				t.Errorf("%q: %+v, %v", suffix, found, err)
			}
			c.checkRecovered(t, snapshot, int64(len(c.bytes)))
		}
	}
}
