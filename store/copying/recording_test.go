package copying

import (
	"bytes"
	"errors"
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
	"warcorder/store/pages"
	"warcorder/store/readback"
	"warcorder/store/selection"
	"warcorder/store/verify"
	"warcorder/store/warc"
)

// recording is a real recorder in a directory of its own.
type recording struct {
	*recorder.Recorder
	t   testing.TB
	dir collection.Dir
	now time.Time // of the last exchange
}

func begin(t testing.TB, change func(*recorder.Config)) *recording {
	t.Helper()
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval = time.Millisecond, time.Millisecond
	cfg.MinFreeSpace = 0
	if change != nil {
		change(&cfg)
	}
	r := &recording{t: t, dir: collection.Dir(t.TempDir())}
	r.now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	var err error
	if r.Recorder, err = recorder.Open(cfg, r.dir, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Recorder.Close() })
	return r
}

// send records an exchange, a second behind the one before.
func (r *recording) send(method, url, body, response string) {
	r.t.Helper()
	x := r.Begin()
	r.now = r.now.Add(time.Second)
	x.URL, x.Method, x.Started = url, method, r.now
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	head := ""
	if body != "" {
		head = fmt.Sprintf("Content-Type: text/plain\r\nContent-Length: %d\r\n", len(body))
	}
	if strings.HasPrefix(response, "HTTP/1.1 304 ") {
		head += "If-None-Match: \"1\"\r\n"
	}
	io.WriteString(&x.Request, method+" / HTTP/1.1\r\nHost: example.com\r\n"+head+"\r\n"+body)
	io.WriteString(&x.Response, response)
	x.Commit()
	if err := r.Settle(r.t.Context()); err != nil { // so that a revisit finds its original
		r.t.Fatal(err)
	}
}

// answer is a response with a body.
func answer(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"+
		"Content-Length: %d\r\n\r\n%s", len(body), body)
}

// site records exchanges in several files, with revisits of other URLs in other files.
func site(t testing.TB, change func(*recorder.Config)) *recording {
	r := begin(t, change)
	rotate := func() {
		if _, err := r.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("the same body ", 1000)
	chunked := "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n" +
		fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(long)/2, long[:len(long)/2])
	r.send("GET", "https://example.com/a", "", answer(long))
	r.send("GET", "https://example.com/chunked", "", chunked)
	r.send("POST", "https://example.com/c", strings.Repeat("posted ", 1000), answer("posted"))
	rotate()
	r.send("GET", "https://example.com/b", "", answer(long)) // a revisit of /a
	r.send("GET", "https://example.com/chunked", "", chunked)
	r.send("GET", "https://example.com/d", "", answer("d"))
	r.send("GET", "https://example.com/empty", "", "HTTP/1.1 204 No Content\r\n\r\n")
	rotate()
	r.send("GET", "https://example.com/a", "", answer(long))
	tagged := "ETag: \"1\"\r\n\r\n"
	r.send("GET", "https://tagged.example/", "", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n"+tagged+"tagged")
	r.send("GET", "https://tagged.example/", "", "HTTP/1.1 304 Not Modified\r\n"+tagged)
	r.send("GET", "https://other.example/", "", answer(strings.Repeat("big", 1<<20)))
	r.send("GET", "https://example.com/big", "", answer(strings.Repeat("big", 1<<20)))
	return r
}

// opened reads a collection that is at rest.
type opened struct {
	dir    collection.Dir
	index  *store.Bolt
	files  *readback.Files
	source *selection.Source
}

func open(t testing.TB, dir collection.Dir) *opened {
	t.Helper()
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		t.Fatal(err)
	}
	o := &opened{dir: dir, index: index, files: readback.New(dir, index)}
	t.Cleanup(func() { o.files.Close(); o.index.Close() })
	o.source = selection.New(index, o.files, pages.New(index, o.files))
	o.source.TempDir = t.TempDir()
	return o
}

func (r *recording) rest() *opened {
	r.t.Helper()
	if err := r.Recorder.Close(); err != nil {
		r.t.Fatal(err)
	}
	return open(r.t, r.dir)
}

// copied is what a plan has become.
type copied struct {
	dir    string
	report Report
	lines  []string // of the captures, sorted
	needed int
}

// copyTo copies a selection into a directory.
func (o *opened) copyTo(t testing.TB, sel selection.Selection, options Options) (*copied, error) {
	t.Helper()
	c := &copied{dir: t.TempDir()}
	options.Name = func(n int) string { return fmt.Sprintf("part-%d.warc.gz", n) }
	plan, err := Make(t.Context(), o.source, sel, options)
	if err != nil {
		return nil, err
	}
	defer plan.Close()
	var before store.Location
	c.report, err = plan.Copy(t.Context(), Into{
		Open: func(name string, size int64) (io.WriteCloser, error) {
			return os.OpenFile(filepath.Join(c.dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		},
		Placed: func(one *selection.Chosen, at store.Location) error {
			if at.File == before.File && at.Offset < before.Offset+before.Length {
				t.Errorf("%v comes behind %v", at, before)
			}
			before = at
			if one.Needed {
				c.needed++
			}
			one.Location = at
			c.lines = append(c.lines, string(one.AppendCDXJ(nil)))
			return nil
		},
	})
	slices.Sort(c.lines)
	return c, err
}

// mustCopy is copyTo for what must be copied.
func (o *opened) mustCopy(t testing.TB, sel selection.Selection, options Options) *copied {
	t.Helper()
	c, err := o.copyTo(t, sel, options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// reopened is again for files that are judged first.
func (c *copied) reopened(t testing.TB) *opened {
	t.Helper()
	judged(t, c.paths(t))
	return c.again(t)
}

func (c *copied) paths(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(c.dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// judged lets the referee judge files.
func judged(t testing.TB, paths []string) {
	t.Helper()
	judge := verify.Checker{Report: func(f verify.Finding) {
		if !f.Note {
			t.Errorf("%+v", f)
		}
	}}
	if _, err := judge.Files(paths); err != nil {
		t.Fatal(err)
	}
}

// again is a collection of the files of a copy alone: the index that is made of them has the lines
// that the copy has told.
func (c *copied) again(t testing.TB) *opened {
	t.Helper()
	paths := c.paths(t)
	if len(paths) == 0 {
		return nil
	}
	dir := collection.Dir(t.TempDir())
	_, err := recovery.Add(recovery.Config{Mode: collection.DefaultMode}, dir, paths, true, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	o := open(t, dir)
	var lines bytes.Buffer
	if _, err := o.index.Export(&lines, store.Query{All: true}, nil); err != nil {
		t.Fatal(err)
	}
	if want := strings.Join(append(slices.Clone(c.lines), ""), "\n"); lines.String() != want {
		t.Errorf("the index of the copy has\n%s\nand the copy has told\n%s", lines.String(), want)
	}
	return o
}

// shown is what a reader sees of the captures that a query selects, by their URL and time.
func (o *opened) shown(t testing.TB, sel selection.Selection, all bool) map[string]string {
	t.Helper()
	shown := map[string]string{}
	for c, err := range o.source.Captures(t.Context(), sel) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Needed && !all {
			continue
		}
		text := ""
		response, err := o.files.Response(&c.Capture)
		if err != nil {
			text = "it cannot be shown"
		} else {
			body, err := io.ReadAll(response.Body)
			if err = errors.Join(err, response.Close()); err != nil {
				t.Errorf("%s: %v", c.URL, err)
			}
			text = string(response.Head) + string(body)
		}
		if request, err := o.files.Request(&c.Capture); err == nil {
			body, err := io.ReadAll(request.Body)
			if err = errors.Join(err, request.Close()); err != nil {
				t.Errorf("%s: %v", c.URL, err)
			}
			text = string(request.Head) + string(body) + text
		}
		shown[c.Method+c.URL+c.Time.String()] = text
	}
	return shown
}

// records are the members of all files in a directory, by their record IDs.
func records(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		reader, err := warc.Open(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		for {
			r, err := reader.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			id := r.Header.Get("WARC-Record-ID")
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if _, twice := all[id]; twice && r.Type() != "warcinfo" {
				t.Errorf("%s is there twice", id)
			}
			all[id] = string(text[r.Offset:][:r.Length])
		}
		reader.Close()
	}
	return all
}

// sameTexts compares what is shown.
func sameTexts(t testing.TB, got, want map[string]string) {
	t.Helper()
	for key, text := range want {
		if got[key] != text {
			t.Errorf("%s: shown as\n%.300q\nwant\n%.300q", key, got[key], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}
