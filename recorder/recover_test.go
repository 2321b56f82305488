package recorder

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// crashed is a WARC file as a crash may leave it.
type crashed struct {
	name  string          // final base name
	bytes []byte          // of the file
	all   []store.Capture // in the order of the file
	// where the exchanges begin, with a capture or without; the first one begins where the warcinfo
	// record ends
	starts []int64

	indexes   map[int64][]byte // index.bolt, by how far it goes, without the zeros at its end
	indexSize int64            // with them
}

// crash records exchanges of all kinds into one file.
func crash(t *testing.T) *crashed {
	t.Helper()
	c := open(t, t.TempDir(), Config{})
	c.get("http://example.com/1")
	c.commit(
		"http://example.com/2?a[]=ä",
		"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\na=b",
		page(404, "image/png", "", randomBytes(1000)),
	)
	c.commit("http://example.com/3", exampleRequest, "HTTP/1.1 200 OK\nContent-Type: té\xe9xt/x\n\nx")
	x := c.begin("http://example.com/fault", exampleRequest, "")
	x.Fault = "connection refused"
	x.Commit()
	x = c.begin("http://example.com/4", exampleRequest, exampleResponse)
	x.Unverified = "expired"
	x.Commit()
	x = c.begin("http://example.com/5", exampleRequest, "HTTP/1.1 200 OK\r\nContent-Ty")
	x.Truncated = "disconnect"
	x.Commit()
	c.commit(
		"http://example.com/6",
		"HEAD / HTTP/1.1\r\n\r\n",
		"HTTP/1.1 301 Moved\r\nContent-Length: 5\r\n\r\n",
	)
	c.close()
	return readCrashed(t, c.dir)
}

func readCrashed(t *testing.T, dir string) *crashed {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	if len(names) != 1 {
		t.Fatal(names)
	}
	content, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	c := &crashed{
		name:    filepath.Base(names[0]),
		bytes:   content,
		all:     captures(t, dir),
		indexes: make(map[int64][]byte),
	}
	slices.SortFunc(c.all, func(a, b store.Capture) int { return int(a.Offset - b.Offset) })
	r, err := warc.NewReader(bytes.NewReader(content), c.name, 0)
	if err != nil {
		t.Fatal(err)
	}
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return c
		}
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type() == "response" ||
			rec.Type() == "request" && rec.Header.Get("WARC-Concurrent-To") == "" {
			c.starts = append(c.starts, rec.Offset)
		}
	}
}

// captures are the captures of a collection that is closed.
func captures(t *testing.T, dir string) []store.Capture {
	t.Helper()
	index, err := store.OpenReadOnly(filepath.Join(dir, "index.bolt"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	var all []store.Capture
	if err := index.Captures(store.Query{}, func(c *store.Capture) bool {
		all = append(all, *c)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// restore makes a collection in which the file has size bytes, under its name while it was written,
// and the index ends at committed, or knows nothing of the file if that is negative.
func (c *crashed) restore(t *testing.T, dir string, size, committed int64) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "archive"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "archive", c.name+warc.OpenSuffix), c.bytes[:size])
	if committed < 0 {
		return
	}
	if c.indexes[committed] == nil {
		c.makeIndex(t, committed)
	}
	path := filepath.Join(dir, "index.bolt")
	write(t, path, c.indexes[committed])
	if err := os.Truncate(path, c.indexSize); err != nil { // most of it is a hole
		t.Fatal(err)
	}
}

// makeIndex makes the index that ends at committed.
func (c *crashed) makeIndex(t *testing.T, committed int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.bolt")
	index, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := index.AddFile(c.name)
	if err != nil {
		t.Fatal(err)
	}
	file.Committed = committed
	if err := index.Commit(c.before(committed), []store.File{file}); err != nil {
		t.Fatal(err)
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c.indexSize = int64(len(content))
	c.indexes[committed] = bytes.TrimRight(content, "\x00")
}

// before are the captures of exchanges that begin before offset.
func (c *crashed) before(offset int64) []store.Capture {
	n := 0
	for n < len(c.all) && c.all[n].Offset < offset {
		n++
	}
	return c.all[:n]
}

// exchangesEnd is the end of the last exchange that is whole in the first size bytes. An exchange
// with a metadata record is whole without it if it has a response.
func (c *crashed) exchangesEnd(t *testing.T, size int64) int64 {
	t.Helper()
	r, err := warc.NewReader(bytes.NewReader(c.bytes[:size]), c.name, 0)
	if err != nil {
		t.Fatal(err)
	}
	var end int64
	for {
		rec, err := r.Next()
		if err != nil {
			return end
		}
		kind, named := rec.Type(), rec.Header.Get("WARC-Concurrent-To") != ""
		if err := rec.Close(); err != nil {
			return end
		}
		if kind == "warcinfo" || kind == "metadata" || kind == "request" && named {
			end = rec.Offset + rec.Length
		}
	}
}

// checkRecovered checks what a recovery of the first size bytes has left.
func (c *crashed) checkRecovered(t *testing.T, dir string, size int64) {
	t.Helper()
	end := c.exchangesEnd(t, size)
	want := c.before(end)
	got := captures(t, dir)
	slices.SortFunc(got, func(a, b store.Capture) int { return int(a.Offset - b.Offset) })
	if !slices.Equal(got, want) {
		t.Errorf("cut at %d: captures\n%+v\nwant\n%+v", size, got, want)
	}
	kept, err := os.ReadFile(filepath.Join(dir, "archive", c.name))
	if end == 0 && os.IsNotExist(err) {
		err = nil
	}
	if err != nil || !bytes.Equal(kept, c.bytes[:end]) {
		t.Errorf("cut at %d: %v, %d bytes kept, want %d", size, err, len(kept), end)
	}
	torn, err := os.ReadFile(filepath.Join(dir, "archive", c.name+collection.TornSuffix))
	if end == size && os.IsNotExist(err) {
		err = nil
	}
	if err != nil || !bytes.Equal(torn, c.bytes[end:size]) {
		t.Errorf("cut at %d: %v, %d bytes in the copy, want %d", size, err, len(torn), size-end)
	}
	if _, err := os.Stat(filepath.Join(dir, "archive", c.name+warc.OpenSuffix)); !os.IsNotExist(err) {
		t.Errorf("cut at %d: the file still has its name from before: %v", size, err)
	}
}

// recoverAt recovers the first size bytes with an index that ends at committed.
func (c *crashed) recoverAt(t *testing.T, size, committed int64) {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	c.restore(t, dir, size, committed)
	recoverOnly(t, dir)
	c.checkRecovered(t, dir, size)
	index, err := store.OpenReadOnly(filepath.Join(dir, "index.bolt"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	files, err := index.Files()
	if err != nil || size > 0 &&
		(len(files) != 1 || !files[0].Sealed || files[0].Committed != c.exchangesEnd(t, size)) {
		t.Errorf("cut at %d: %+v, %v", size, files, err)
	}
}

// recoverOnly recovers a collection and leaves it closed. It returns the log.
func recoverOnly(t *testing.T, dir string) *logBuffer {
	t.Helper()
	log := new(logBuffer)
	if _, err := recovered(Config{}, dir, zerolog.New(log), nil); err != nil {
		t.Error(err)
	}
	return log
}

// TestRecoverEveryByte cuts a file at every byte of its last exchange, and of its warcinfo record,
// and coarsely elsewhere; the index ends before that exchange, or nowhere.
func TestRecoverEveryByte(t *testing.T) {
	c := crash(t)
	last, size := c.starts[len(c.starts)-1], int64(len(c.bytes))
	type cut struct{ size, committed int64 }
	cuts := []cut{{size, size}, {size, 0}, {size, -1}}
	for at := last; at <= size; at++ {
		cuts = append(cuts, cut{at, last})
	}
	for at := int64(0); at < last; at += 97 {
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
	c := open(t, t.TempDir(), Config{})
	for i := range 1500 {
		c.commit(
			fmt.Sprintf("http://example.com/%d?q=%c", i%700, 'a'+i%26),
			[]string{exampleRequest, "PATCH / HTTP/1.1\r\n\r\nx"}[i%2],
			page(200+i%300, fmt.Sprintf("text/x-%d; a=b", i%50), "", "hello"),
		)
	}
	c.commit(
		"http://example.com/large",
		exampleRequest,
		page(200, "video/mp4", "", randomBytes(2<<20)),
	)
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

// reopenWithoutIndex lets recovery make the index anew from the files.
func reopenWithoutIndex(t *testing.T, dir string, cfg Config) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "index.bolt")); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	for _, name := range names {
		if err := os.Rename(name, name+warc.OpenSuffix); err != nil {
			t.Fatal(err)
		}
	}
	open(t, dir, cfg).close()
}

func export(t *testing.T, dir string) string {
	t.Helper()
	return exportOf(t, dir, store.Query{})
}

func exportOf(t *testing.T, dir string, query store.Query) string {
	t.Helper()
	index, err := store.OpenReadOnly(filepath.Join(dir, "index.bolt"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	var lines strings.Builder
	if _, err := index.Export(&lines, query, nil); err != nil {
		t.Fatal(err)
	}
	return lines.String()
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
			write(t, path+collection.TornSuffix+collection.CopyingSuffix, c.bytes[c.exchangesEnd(t, size-5):size-50])
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

func renamed(t *testing.T, path string) {
	t.Helper()
	if err := os.Rename(path+warc.OpenSuffix, path); err != nil {
		t.Fatal(err)
	}
}

func removed(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path + warc.OpenSuffix); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
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

// TestNewName: a file never takes the name of another, also when the clock shows the same time as
// at an earlier start. The clock of a bubble always begins at the same.
func TestNewName(t *testing.T) {
	dir := t.TempDir()
	archive := filepath.Join(dir, "archive")
	rec := func(url string) (names []string) {
		synctest.Test(t, func(t *testing.T) {
			c := open(t, dir, Config{})
			c.get(url)
			c.close()
		})
		names, _ = filepath.Glob(filepath.Join(archive, "*"))
		return names
	}
	first := rec("http://example.com/1")
	if names := rec("http://example.com/2"); len(names) != 2 {
		t.Fatalf("%v, then %v", first, names)
	}
	if err := os.Remove(first[0]); err != nil { // the index knows it
		t.Fatal(err)
	}
	if names := rec("http://example.com/3"); len(names) != 2 || slices.Contains(names, first[0]) {
		t.Errorf("%v was removed, then there are %v", first, names)
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(archive, 0o700)); err != nil {
		t.Fatal(err)
	}
	write(t, first[0]+collection.TornSuffix, []byte("kept"))
	if names := rec("http://example.com/4"); len(names) != 2 || slices.Contains(names, first[0]) {
		t.Errorf("a copy was left of %v, then there are %v", first, names)
	}
}

// TestRecoverInterrupted: wherever a recovery that puts each capture into the index by itself is
// interrupted, the next one finds the same.
func TestRecoverInterrupted(t *testing.T) {
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
