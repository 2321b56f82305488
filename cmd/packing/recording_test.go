package packing

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/pages"
	"warcorder/store/readback"
	"warcorder/store/selection"
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

// html is a response with a page.
func html(status, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s",
		status, len(body), body)
}

// get records the answer to a GET, a second behind the one before.
func (r *recording) get(url, response string, fields ...string) {
	r.t.Helper()
	x := r.Begin()
	r.now = r.now.Add(time.Second)
	x.URL, x.Method, x.Started = url, "GET", r.now
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	io.WriteString(&x.Request, "GET / HTTP/1.1\r\nHost: example.com\r\n"+strings.Join(append(fields, ""), "\r\n")+"\r\n")
	io.WriteString(&x.Response, response)
	x.Commit()
	if err := r.Settle(r.t.Context()); err != nil { // so that a revisit finds its original
		r.t.Fatal(err)
	}
}

// visit records a page that a browser has gone to.
func (r *recording) visit(url, response string) {
	r.t.Helper()
	r.get(url, response, "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Cookie: a=1; b=\"2\"")
}

// pack ends the recording, and returns a package of it.
func (r *recording) pack() *Package {
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
	source := selection.New(index, files, pages.New(index, files))
	source.TempDir = r.t.TempDir()
	return &Package{Source: source, Created: r.now, TempDir: source.TempDir, Software: "test"}
}

// packed is what a WACZ holds.
type packed struct {
	t       testing.TB
	entries map[string][]byte
}

func unpack(t testing.TB, wacz []byte) packed {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(wacz), int64(len(wacz)))
	if err != nil {
		t.Fatal(err)
	}
	p := packed{t, map[string][]byte{}}
	for _, f := range in.File {
		opened, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if p.entries[f.Name], err = io.ReadAll(opened); err != nil {
			t.Fatal(f.Name, err)
		}
	}
	return p
}

// line is what is read of a line of the index.
type line struct {
	URL, MIME, Filename, Offset, Length string
	Cookie                              string `json:"req.http:cookie"`

	header string // of the record at its place
}

// lines returns the index, after each line has been looked up: it leads to a member with a record
// of its URL. A revisit leads on to one whose original has a line too.
func (p packed) lines() (all []line) {
	p.t.Helper()
	var text []byte
	if text = p.entries["indexes/index.cdxj"]; text == nil {
		text = inflate(p.t, p.entries["indexes/index.cdx.gz"])
	}
	urls := map[string]bool{}
	for raw := range bytes.Lines(text) {
		_, fields, _ := strings.Cut(string(raw), " {")
		var l line
		if err := json.Unmarshal([]byte("{"+fields), &l); err != nil {
			p.t.Fatal(err)
		}
		offset, err := strconv.Atoi(l.Offset)
		length, err2 := strconv.Atoi(l.Length)
		if err != nil || err2 != nil {
			p.t.Fatal(err, err2)
		}
		record := inflate(p.t, p.entries["archive/"+l.Filename][offset:][:length])
		head, _, _ := bytes.Cut(record, []byte("\r\n\r\n"))
		l.header = string(head)
		if !strings.Contains(l.header, "WARC-Target-URI: "+l.URL+"\r\n") {
			p.t.Errorf("the line of %s leads to %q", l.URL, l.header)
		}
		if l.MIME != "warc/revisit" {
			urls[l.URL] = true
		}
		all = append(all, l)
	}
	for _, l := range all {
		if _, at, is := strings.Cut(l.header, "WARC-Refers-To-Target-URI: "); is && l.MIME == "warc/revisit" {
			if at, _, _ = strings.Cut(at, "\r\n"); !urls[at] {
				p.t.Errorf("%s is a revisit of %s, which is not there", l.URL, at)
			}
		}
	}
	return all
}

// urls are those of the index.
func (p packed) urls() (all []string) {
	p.t.Helper()
	for _, l := range p.lines() {
		all = append(all, l.URL)
	}
	return all
}

// requests returns how many request records the WARC files hold.
func (p packed) requests() (n int) {
	p.t.Helper()
	for name, content := range p.entries {
		if strings.HasPrefix(name, "archive/") {
			n += strings.Count(string(inflate(p.t, content)), "WARC-Type: request\r\n")
		}
	}
	return n
}

// pages returns a list of pages, without its head.
func (p packed) pages(name string) (all []map[string]any) {
	p.t.Helper()
	for i, raw := range slices.Collect(bytes.Lines(p.entries[name])) {
		var page map[string]any
		if err := json.Unmarshal(raw, &page); err != nil {
			p.t.Fatal(err)
		}
		if i > 0 {
			all = append(all, page)
		}
	}
	return all
}

func inflate(t testing.TB, members []byte) []byte {
	t.Helper()
	in, err := gzip.NewReader(bytes.NewReader(members))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
