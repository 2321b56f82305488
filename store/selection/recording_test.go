package selection

import (
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/pages"
	"warcorder/store/readback"
)

// recording is a real recorder in a directory of its own.
type recording struct {
	*recorder.Recorder
	t   testing.TB
	dir collection.Dir
	now time.Time // of the last exchange
}

func record(t testing.TB, change func(*recorder.Config)) *recording {
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

// page is a response with a body.
func page(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body)
}

// get records the answer to a GET, a second behind the one before.
func (r *recording) get(url, response string) { r.send("GET", url, "", response) }

// send records an exchange.
func (r *recording) send(method, url, body, response string) {
	r.t.Helper()
	r.commit(method, url, body, response)
	if err := r.Settle(r.t.Context()); err != nil { // so that a revisit finds its original
		r.t.Fatal(err)
	}
}

// write records the answer to a GET, on disk and not in the index.
func (r *recording) write(url, response string) {
	r.t.Helper()
	r.commit("GET", url, "", response)
	if all, err := r.OnDiskWithin(r.t.Context(), time.Minute); !all || err != nil {
		r.t.Fatal(all, err)
	}
}

// commit records an exchange, and waits for nothing.
func (r *recording) commit(method, url, body, response string) {
	r.t.Helper()
	x := r.Begin()
	r.now = r.now.Add(time.Second)
	x.URL, x.Method, x.Started = url, method, r.now
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	kind := ""
	if body != "" {
		kind = fmt.Sprintf("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n",
			len(body))
	}
	io.WriteString(&x.Request, method+" / HTTP/1.1\r\nHost: example.com\r\n"+kind+"\r\n"+body)
	io.WriteString(&x.Response, response)
	x.Commit()
}

// source ends the recording, and reads what it has left.
func (r *recording) source() *Source {
	r.t.Helper()
	if err := r.Recorder.Close(); err != nil {
		r.t.Fatal(err)
	}
	index, err := store.OpenReadOnly(r.dir.Index())
	if err != nil {
		r.t.Fatal(err)
	}
	files := readback.New(r.dir, index)
	r.t.Cleanup(func() { files.Close(); index.Close() })
	s := New(index, files, pages.New(index, files))
	s.TempDir = r.t.TempDir()
	return s
}

// all returns what a selection gives.
func all(t testing.TB, s *Source, sel Selection) (all []Chosen) {
	t.Helper()
	for c, err := range s.Captures(t.Context(), sel) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// short says what captures are, in a line each: the method if it is no GET, the URL's path and, of
// an original that was not selected, "needed".
func short(all []Chosen) string {
	var b strings.Builder
	for _, c := range all {
		if c.Method != "" && c.Method != "GET" {
			b.WriteString(c.Method + " ")
		}
		b.WriteString(strings.TrimPrefix(c.URL, "https://example.com"))
		if c.IsRevisit() {
			b.WriteString(" revisit")
		}
		if c.Needed {
			b.WriteString(" needed")
		}
		b.WriteString("\n")
	}
	return b.String()
}
