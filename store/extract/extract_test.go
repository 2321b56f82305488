package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
	"warcorder/store/pages"
	"warcorder/store/readback"
	"warcorder/store/scratch"
	"warcorder/store/selection"
)

// site is a collection at rest: revisits across URLs and files, a 304, parts and what was posted.
func site(t testing.TB) (*selection.Source, collection.Dir) {
	t.Helper()
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval = time.Millisecond, time.Millisecond
	cfg.MinFreeSpace = 0
	dir := collection.Dir(t.TempDir())
	r, err := recorder.Open(cfg, dir, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	send := func(url, response string) {
		now = now.Add(time.Second)
		x := r.Begin()
		x.URL, x.Method, x.Started = url, "GET", now
		x.RemoteIP = netip.MustParseAddr("192.0.2.1")
		io.WriteString(&x.Request, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
		io.WriteString(&x.Response, response)
		x.Commit()
		if err := r.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("the same body ", 1000)
	ok := func(body string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Type: text/html\r\n"+
			"Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	part := "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Range: bytes 0-1/14000\r\n" +
		"Content-Length: 2\r\n\r\nth"
	send("https://example.com/a", ok(long))
	send("https://example.com/a", part)
	send("https://example.com/part", part)
	if _, err := r.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	send("https://example.com/b", ok(long))
	send("https://example.com/b", "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n")
	send("https://example.com/c", ok("c"))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, dir), dir
}

func open(t testing.TB, dir collection.Dir) *selection.Source {
	t.Helper()
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		t.Fatal(err)
	}
	files := readback.New(dir, index)
	t.Cleanup(func() { files.Close(); index.Close() })
	return selection.New(index, files, pages.New(index, files))
}

// names are those in a directory.
func namesIn(t testing.TB, dir string) (names []string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range left {
		names = append(names, one.Name())
	}
	return names
}

// TestWrite: the lines of an extract are those that an export of it writes.
func TestWrite(t *testing.T) {
	source, _ := site(t)
	for _, test := range []struct {
		name    string
		sel     selection.Selection
		options Options
		files   int
	}{
		{"all", selection.Selection{}, Options{}, 2},
		{"all, without revisits", selection.Selection{}, Options{NoRevisits: true}, 1},
		{"a URL", selection.Selection{URL: "https://example.com/b"}, Options{}, 1},
		{"a part whose whole is not selected", selection.Selection{URL: "https://example.com/a",
			From: "20260501120002"}, Options{}, 1},
		{"in short files", selection.Selection{}, Options{Size: 800}, 8},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "new", "out")
			test.options.Collection = "default"
			done, err := Write(t.Context(), source, test.sel, dir, test.options)
			if err != nil {
				t.Fatal(err)
			}
			paths, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
			if err != nil || len(paths) != test.files || len(namesIn(t, dir)) != test.files+1 {
				t.Errorf("%v, %v; %+v", namesIn(t, dir), err, done)
			}
			lines, err := os.ReadFile(filepath.Join(dir, IndexName))
			if err != nil || int64(bytes.Count(lines, []byte("\n"))) != done.Lines {
				t.Errorf("%d lines, %v, in\n%s", done.Lines, err, lines)
			}
			again := collection.Dir(t.TempDir())
			_, err = recovery.Add(recovery.Config{Mode: collection.DefaultMode}, again, paths, true, zerolog.Nop())
			if err != nil {
				t.Fatal(err)
			}
			index, err := store.OpenReadOnly(again.Index())
			if err != nil {
				t.Fatal(err)
			}
			defer index.Close()
			var want bytes.Buffer
			exported, err := index.Export(&want, store.Query{}, nil)
			if err != nil || want.String() != string(lines) || exported.LeftOut != done.LeftOut {
				t.Errorf("the lines are\n%s\nan export of the extract has\n%s\n%+v, %v", lines, want.String(),
					done, err)
			}
		})
	}
}

// TestNothing: where nothing is selected nothing is written.
func TestNothing(t *testing.T) {
	source, _ := site(t)
	dir := filepath.Join(t.TempDir(), "out")
	for _, sel := range []selection.Selection{
		{URL: "https://example.com/none"}, {Page: "https://example.com/none"}, {Files: []string{"x.warc"}},
	} {
		_, err := Write(t.Context(), source, sel, dir, Options{Collection: "default"})
		if _, gone := os.Stat(dir); !errors.Is(err, ErrNothing) || !os.IsNotExist(gone) {
			t.Errorf("%+v: %v; %v", sel, err, gone)
		}
	}
}

// TestTaken: what is there already is not touched.
func TestTaken(t *testing.T) {
	source, from := site(t)
	name := namesIn(t, from.Archive())[1]
	for _, taken := range []string{IndexName, name} {
		dir := t.TempDir()
		path := filepath.Join(dir, taken)
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Write(t.Context(), source, selection.Selection{}, dir, Options{Collection: "default"})
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Error(err)
		}
		if got, _ := os.ReadFile(path); string(got) != "mine" || len(namesIn(t, dir)) != 1 {
			t.Errorf("%s is %q, beside %v", taken, got, namesIn(t, dir))
		}
	}
}

// TestInterrupted: what is cancelled leaves nothing, and what was killed is replaced.
func TestInterrupted(t *testing.T) {
	source, _ := site(t)
	dir := filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	options := Options{Collection: "default", Size: 800, Progress: func(int64, int64) { cancel() }}
	_, err := Write(ctx, source, selection.Selection{}, dir, options)
	if _, gone := os.Stat(dir); !errors.Is(err, context.Canceled) || !os.IsNotExist(gone) {
		t.Errorf("%v; %v", err, gone)
	}
	// As a process leaves it that is killed while it gives the files their names.
	if err := os.MkdirAll(filepath.Join(dir, "warcorder-extract-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		noteName:    `{"pid":999999999,"names":["a.warc.gz","b.warc.gz","index.cdxj","../mine"]}`,
		"a.warc.gz": "half", IndexName: "half", "mine.warc.gz": "mine", "../mine": "mine",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	options.Progress = nil
	options.Size = 0
	if _, err := Write(t.Context(), source, selection.Selection{}, dir, options); err != nil {
		t.Fatal(err)
	}
	names := strings.Join(namesIn(t, dir), " ")
	if strings.Contains(names, "a.warc.gz") || strings.Contains(names, "extract") ||
		!strings.Contains(names, "mine.warc.gz") || len(namesIn(t, dir)) != 4 {
		t.Error(names)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "../mine")); string(got) != "mine" {
		t.Error("a file of another directory was removed")
	}
}

// TestPublishDurably: at each sync of the directory the disk has what a power cut may leave: the note
// before any file has its name, all files beside it, and in the end no note.
func TestPublishDurably(t *testing.T) {
	var had []string
	w := &writer{dir: t.TempDir(), names: []string{"a.warc.gz", IndexName}}
	w.syncDir = func(dir string) error {
		had = append(had, strings.Join(namesIn(t, dir), " "))
		return nil
	}
	var err error
	if w.folder, err = scratch.MakeFolderIn(t.TempDir(), "extract"); err != nil {
		t.Fatal(err)
	}
	for _, name := range w.names {
		if err := os.WriteFile(filepath.Join(w.folder.Path, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err = errors.Join(w.publish(), w.folder.Remove())
	all := "a.warc.gz " + IndexName
	if want := []string{noteName, noteName + " " + all, all}; err != nil || !slices.Equal(had, want) {
		t.Errorf("%q, want %q, %v", had, want, err)
	}
}
