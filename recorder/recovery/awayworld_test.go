package recovery_test

import (
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/holdings/awaytest"
	"warcorder/store/objects/gateway"
	"warcorder/store/verify"
)

// awayWorld is a collection of three finished files, of which the first two are away.
type awayWorld struct {
	t       testing.TB
	storage *gateway.Server
	dir     collection.Dir
	names   []string // of the files, in their order
	lines   string   // of the index, when all was well
}

const largeBody = 5000

// newAwayWorld records it. The second file has a revisit of what is in the first one.
func newAwayWorld(t *testing.T) *awayWorld {
	t.Helper()
	w := &awayWorld{t: t, storage: gateway.Start(t), dir: collection.Dir(t.TempDir())}
	w.record(0, 3, func(r *recorder.Recorder) {
		w.names = finished(t, r)
		for _, name := range w.names[:2] {
			awaytest.Send(t, w.dir, r.Index(), name)
		}
	})
	w.lines = w.exported()
	for _, want := range []string{"warc/revisit", w.names[0], w.names[1], w.names[2]} {
		if !strings.Contains(w.lines, want) {
			t.Fatalf("no %s in %s", want, w.lines)
		}
	}
	return w
}

// record records files of two exchanges each, numbered from first on.
func (w *awayWorld) record(first, n int, then func(*recorder.Recorder)) {
	w.t.Helper()
	cfg := recorder.Default()
	cfg.MinFreeSpace, cfg.Dedup.MinSize = 0, 100
	r, err := recorder.Open(cfg, w.dir, zerolog.Nop())
	if err != nil {
		w.t.Fatal(err)
	}
	for i := first; i < first+n; i++ {
		commit(r, fmt.Sprintf("http://example.com/same/%d", i), strings.Repeat("same ", largeBody/5))
		commit(r, fmt.Sprintf("http://example.com/own/%d", i), fmt.Sprintf("body %d", i))
		if _, err := r.Rotate(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
	then(r)
	if err := r.Close(); err != nil {
		w.t.Fatal(err)
	}
}

func commit(r *recorder.Recorder, url, body string) {
	x := r.Begin()
	x.URL, x.Method, x.Started = url, "GET", time.Now()
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	io.WriteString(&x.Request, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
	fmt.Fprintf(&x.Response, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	x.Commit()
}

// finished are the names of the finished files with captures, sorted.
func finished(t testing.TB, r *recorder.Recorder) (names []string) {
	t.Helper()
	files, err := r.Index().Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Sealed && f.Committed > 0 {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}

// exported is the CDXJ of the collection.
func (w *awayWorld) exported() string { w.t.Helper(); return exportedOf(w.t, w.dir) }

func exportedOf(t testing.TB, dir collection.Dir) string {
	t.Helper()
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	var lines strings.Builder
	if _, err := index.Export(&lines, store.Query{All: true}, nil); err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

// linesOfFiles are those of some files alone.
func (w *awayWorld) linesOfFiles(names ...string) (lines string) {
	for line := range strings.Lines(w.lines) {
		if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(line, name) }) {
			lines += line
		}
	}
	return lines
}

// loseIndex removes the index, as a broken disk would.
func (w *awayWorld) loseIndex() { w.t.Helper(); w.must(os.Remove(w.dir.Index())) }

func (w *awayWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// down lets nobody answer where the storage was; up brings it back.
func (w *awayWorld) down() {
	gateway.Use(w.t, "http://127.0.0.1:1")
	w.t.Setenv("AWS_MAX_ATTEMPTS", "1")
}

func (w *awayWorld) up() { gateway.Use(w.t, w.storage.Endpoint); w.t.Setenv("AWS_MAX_ATTEMPTS", "") }

// open recovers the collection as a recorder would that begins, and closes it.
func (w *awayWorld) open() (recovery.Found, error) { return closed(w.dir, recovery.Open) }

// repair does what warcorder recover does.
func (w *awayWorld) repair() (recovery.Found, error) { return closed(w.dir, recovery.Repair) }

func (w *awayWorld) rebuild() (recovery.Found, error) {
	return recovery.Rebuild(recovery.Config{}, w.dir, zerolog.Nop())
}

type opener func(recovery.Config, collection.Dir, zerolog.Logger) (recovery.Opened, error)

func closed(dir collection.Dir, open opener) (recovery.Found, error) {
	opened, err := open(recovery.Config{}, dir, zerolog.Nop())
	if err == nil {
		if err = opened.Index.Close(); err == nil {
			err = opened.Unlock()
		}
	}
	return opened.Found, err
}

// everything is what the collection and the bucket have on disk, but for the index: nothing of it may
// change or go.
func (w *awayWorld) everything() map[string]string {
	w.t.Helper()
	all := make(map[string]string)
	for _, folder := range []string{w.dir.Archive(), filepath.Dir(w.dir.AwayNote("x")), w.storage.Dir} {
		w.must(filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			all[path] = string(content)
			return err
		}))
	}
	return all
}

// unchanged checks that nothing of what there was has changed or gone.
func (w *awayWorld) unchanged(before map[string]string) {
	w.t.Helper()
	if after := w.everything(); !maps.Equal(before, after) {
		w.t.Errorf("on disk there were\n%q\nand there are\n%q", slices.Sorted(maps.Keys(before)),
			slices.Sorted(maps.Keys(after)))
	}
}

// whole checks that the index is what it was, that what is away is known to be, and that the referee
// finds nothing wrong, here and in the bucket.
func (w *awayWorld) whole() {
	w.t.Helper()
	if got := w.exported(); got != w.lines {
		w.t.Errorf("the index has\n%s\nand had\n%s", got, w.lines)
	}
	w.away(w.names[:2]...)
	if found := w.verified(true); len(found.all) > 0 || found.Away != 2 || found.Files != 3 {
		w.t.Errorf("%+v: %+v", found.Summary, found.all)
	}
}

// away checks which files the index knows to be away.
func (w *awayWorld) away(want ...string) {
	w.t.Helper()
	index, err := store.OpenReadOnly(w.dir.Index())
	w.must(err)
	defer index.Close()
	files, err := index.Files()
	w.must(err)
	var away []string
	for _, f := range files {
		if f.IsAway() {
			away = append(away, f.Name)
		}
		note := new(store.Remote)
		if err := w.dir.ReadNote(w.dir.AwayNote(f.Name), note); f.IsAway() && (err != nil || !note.IsSame(f.Remote)) {
			w.t.Errorf("%s: the index has %+v, the note %+v, %v", f.Name, f.Remote, note, err)
		}
	}
	if slices.Sort(away); !slices.Equal(away, want) {
		w.t.Errorf("away are %q, and not %q", away, want)
	}
}

// verification is what the referee has found.
type verification struct {
	verify.Summary
	all []verify.Finding
}

func (w *awayWorld) verified(remote bool) (v verification) {
	w.t.Helper()
	c := verify.Checker{Remote: remote, Report: func(f verify.Finding) { v.all = append(v.all, f) }}
	var err error
	v.Summary, err = c.Collection(w.dir)
	w.must(err)
	return v
}
