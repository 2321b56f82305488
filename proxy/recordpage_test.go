package proxy

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"warcorder/store"
)

// post asks for a record, and returns the answer.
func (h *house) post(query url.Values, contentType string,
	body io.Reader) (status int, answer string) {
	h.t.Helper()
	r, err := http.NewRequest("POST", "http://"+h.address+"/record?"+query.Encode(), body)
	if err != nil {
		h.t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	transport := &http.Transport{Proxy: nil, DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	res, err := transport.RoundTrip(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// someRecord is the query of a record that can be written.
var someRecord = url.Values{"type": {"resource"}, "uri": {"urn:x"}}

// TestRecordPage writes records of each kind, which are in the index when the answer comes.
func TestRecordPage(t *testing.T) {
	h := newHouse(t, config())
	var ids []string
	for _, c := range []struct {
		query       url.Values
		contentType string
		body        string
	}{
		{url.Values{"type": {"resource"}, "uri": {"screenshot:https://example.com/?a=b&c"},
			"date": {"2020-02-03T05:05:06.5+01:00"}},
			"image/png", "a picture"},
		{url.Values{"type": {"metadata"}, "uri": {"https://example.com/ä"},
			"refers-to": {"urn:uuid:8d7cb6ee-5f0a-4b8f-a3ee-4d3b6d7c0001"}, "concurrent-to": {"<urn:uuid:2>"}},
			"application/json; charset=utf-8", "{}"},
		{url.Values{"type": {"conversion"}, "uri": {"urn:text:1"}, "refers-to": {"<urn:uuid:1>"}},
			"text/plain", strings.Repeat("long ", 1<<20)},
	} {
		status, answer := h.post(c.query, c.contentType, strings.NewReader(c.body))
		var written struct {
			RecordID, Date, File string
			Offset               *int64
		}
		if err := json.Unmarshal([]byte(answer), &written); err != nil || status != 201 ||
			written.File == "" || written.Offset == nil ||
			!strings.HasPrefix(written.RecordID, "<urn:uuid:") {
			t.Fatalf("%d %s %v", status, answer, err)
		}
		if date, err := time.Parse(time.RFC3339, written.Date); err != nil ||
			c.query.Has("date") && written.Date != "2020-02-03T04:05:06.500000Z" ||
			!c.query.Has("date") && time.Since(date) > time.Minute {
			t.Errorf("date %s", written.Date)
		}
		ids = append(ids, written.RecordID)
		found := 0
		if err := h.rec.Index().Captures(store.Query{URL: c.query.Get("uri")}, func(capture *store.Capture) bool {
			found++
			if capture.File != written.File || capture.Offset != *written.Offset {
				t.Errorf("%+v, answered %s", capture.Location, answer)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{true: 0, false: 1}[c.query.Get("type") == "conversion"]; found != want {
			t.Errorf("%s: %d captures, want %d", c.query.Get("uri"), found, want)
		}
	}
	all := h.records()
	if len(all) != 3 {
		t.Fatal(all)
	}
	for i, want := range []map[string]string{
		{"WARC-Type": "resource", "WARC-Target-URI": "screenshot:https://example.com/?a=b&c",
			"Content-Type": "image/png", "WARC-Refers-To": ""},
		{"WARC-Type": "metadata", "WARC-Target-URI": "https://example.com/%C3%A4",
			"Content-Type":       "application/json; charset=utf-8",
			"WARC-Refers-To":     "<urn:uuid:8d7cb6ee-5f0a-4b8f-a3ee-4d3b6d7c0001>",
			"WARC-Concurrent-To": "<urn:uuid:2>"},
		{"WARC-Type": "conversion", "WARC-Refers-To": "<urn:uuid:1>"},
	} {
		want["WARC-Record-ID"] = ids[i]
		for _, r := range all {
			if r.header.Get("WARC-Record-ID") != ids[i] {
				continue
			}
			for name, value := range want {
				if got := r.header.Get(name); got != value {
					t.Errorf("%s: %q, want %q", name, got, value)
				}
			}
			delete(want, "WARC-Record-ID")
		}
		if len(want) == 0 || want["WARC-Record-ID"] != "" {
			t.Errorf("%s is not in the files", ids[i])
		}
	}
}

func TestRecordPageRefuses(t *testing.T) {
	cfg := config()
	cfg.MaxBodySize = 1000
	h := newHouse(t, cfg)
	// of no known length
	chunked := func(n int) io.Reader { return io.MultiReader(strings.NewReader(strings.Repeat("x", n))) }
	for name, c := range map[string]struct {
		query       string
		contentType string
		body        io.Reader
		status      int
		says        string
	}{
		"good":       {"type=resource&uri=urn:x", "text/plain", strings.NewReader("x"), 201, ""},
		"just small": {"type=resource&uri=urn:x", "text/plain", chunked(1000), 201, ""},
		"too long": {"type=resource&uri=urn:x", "text/plain",
			strings.NewReader(strings.Repeat("x", 1001)), 413, "max-body-size, 1000 bytes"},
		"too long later": {"type=resource&uri=urn:x", "text/plain", chunked(1001), 413,
			"max-body-size, 1000 bytes"},
		"type": {"type=warcinfo&uri=urn:x", "text/plain", nil, 400,
			"none of resource, metadata, conversion"},
		"no type":         {"uri=urn:x", "text/plain", nil, 400, "none of resource, metadata, conversion"},
		"no uri":          {"type=resource", "text/plain", nil, 400, "not absolute"},
		"uri":             {"type=resource&uri=a+b", "text/plain", nil, 400, "not absolute"},
		"space in uri":    {"type=resource&uri=urn:a+b", "text/plain", nil, 400, "%XX"},
		"no content type": {"type=resource&uri=urn:x", "", nil, 400, "content type"},
		"date":            {"type=resource&uri=urn:x&date=2020", "text/plain", nil, 400, "2006-01-02T15:04:05Z"},
		"twice":           {"type=resource&uri=urn:x&uri=urn:y", "text/plain", nil, 400, "uri is there twice"},
		"unknown": {"type=resource&uri=urn:x&refersto=urn:y", "text/plain", nil, 400,
			`no parameter \"refersto\"`},
		"malformed": {"type=resource&uri=urn:%zz", "text/plain", nil, 400, "malformed"},
		"refers": {"type=resource&uri=urn:x&refers-to=urn:y", "text/plain", nil, 400,
			"refers to no other"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.body == nil {
				c.body = strings.NewReader("x")
			}
			r, err := http.NewRequest("POST", "http://"+h.address+"/record?"+c.query, c.body)
			if err != nil {
				t.Fatal(err)
			}
			if c.contentType != "" {
				r.Header.Set("Content-Type", c.contentType)
			}
			res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			answer, _ := io.ReadAll(res.Body)
			if !json.Valid(answer) {
				t.Errorf("it is no JSON: %s", answer)
			}
			if res.StatusCode != c.status || !strings.Contains(string(answer), c.says) {
				t.Errorf("%d %s, want %d %s", res.StatusCode, answer, c.status, c.says)
			}
		})
	}
	client := h.dial()
	// and no body
	client.send(
		"POST /record?type=resource&uri=urn:x HTTP/1.1\r\nHost: localhost\r\nContent-Type: " +
			"text/plain\r\nContent-Length: 1001\r\n\r\n")
	if head := client.readHead(); !strings.HasPrefix(head, "HTTP/1.1 413 ") {
		t.Errorf("%q", head)
	}
	client.conn.Close()
	if n := len(h.records()); n != 2 {
		t.Errorf("%d records", n)
	}
}

// TestRecordPageNotRecording: while nothing can be recorded, nothing is taken.
func TestRecordPageNotRecording(t *testing.T) {
	cfg := recorderConfig
	cfg.MinFreeSpace = 1 << 62
	h := newHouseOn(t, config(), cfg, "127.0.0.1:0")
	if status, answer := h.post(someRecord, "text/plain", strings.NewReader("x")); status != 503 ||
		!strings.Contains(answer, "min-free-space") {
		t.Errorf("%d %s", status, answer)
	}
}

// slowly gives a piece whenever time has passed.
type slowly struct {
	pieces int
	every  time.Duration
}

func (s *slowly) Read(p []byte) (int, error) {
	if s.pieces == 0 {
		return 0, io.EOF
	}
	s.pieces--
	<-time.After(s.every)
	return copy(p, "a piece\n"), nil
}

// TestRecordPageSlow: an upload may take longer than any timeout as long as it goes on, and not
// when it stops.
func TestRecordPageSlow(t *testing.T) {
	cfg := config()
	cfg.Timeout.Header, cfg.Timeout.Idle = 150*time.Millisecond, 600*time.Millisecond
	h := newHouse(t, cfg)
	query := url.Values{"type": {"resource"}, "uri": {"urn:x"}}
	if status, answer := h.post(query, "text/plain", &slowly{8, 100 * time.Millisecond}); status != 201 {
		t.Errorf("%d %s", status, answer)
	}
	client := h.dial()
	client.send(
		"POST /record?" + query.Encode() + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " +
			"text/plain\r\nContent-Length: 10\r\n\r\nhalf")
	if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 408 ") ||
		!strings.Contains(got, "timeout-idle") {
		t.Errorf("%q", got)
	}
	client = h.dial()
	client.send(
		"POST /record?" + query.Encode() + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " +
			"text/plain\r\nContent-Length: 10\r\n\r\nhalf")
	client.conn.Close()
	all := h.records()
	if len(all) != 1 || string(all[0].block) != strings.Repeat("a piece\n", 8) {
		t.Errorf("%d records", len(all))
	}
}

// TestRecordPageWaits: the answer may come later than any timeout.
func TestRecordPageWaits(t *testing.T) {
	cfg, recording := config(), recorderConfig
	cfg.Timeout.Header, cfg.Timeout.Idle = 100*time.Millisecond, 100*time.Millisecond
	recording.CommitInterval = 500 * time.Millisecond
	h := newHouseOn(t, cfg, recording, "127.0.0.1:0")
	for range 2 { // the second one waits for others
		if status, answer := h.post(someRecord, "text/plain", strings.NewReader("x")); status != 201 {
			t.Errorf("%d %s", status, answer)
		}
	}
}

// endless repeats a text.
type endless struct{ text []byte }

func (e endless) Read(p []byte) (int, error) {
	for n := 0; n < len(p); {
		n += copy(p[n:], e.text)
	}
	return len(p), nil
}

// TestRecordPageStreams: a body of any size takes no memory.
func TestRecordPageStreams(t *testing.T) {
	const size = 100 << 20
	h := newHouse(t, config())
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	status, answer := h.post(url.Values{"type": {"resource"}, "uri": {"urn:x"}}, "text/plain",
		io.LimitReader(endless{bytes.Repeat([]byte("text "), 1000)}, size))
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; status != 201 || grown > 16<<20 {
		t.Errorf("%d %s: %d MB were taken for a record of %d MB", status, answer, grown>>20, size>>20)
	}
	h.close()
	files, _ := filepath.Glob(filepath.Join(h.dir, "archive", "*.warc.gz"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	if all := readWARC(t, files[0]); len(all) != 1 || len(all[0].block) != size {
		t.Errorf("%d records", len(all))
	}
}

// TestCertificates: what an origin has sent to prove who it is, is recorded with the first response
// that came with it; a resumed session changes nothing.
func TestCertificates(t *testing.T) {
	o := newOrigin(t, true, func(p *peer) {
		p.readHead()
		p.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx")
	})
	h := newHouse(t, config())
	for range 3 {
		client := h.tunnel(o.address, true)
		client.send("GET / HTTP/1.1\r\nHost: " + o.address + "\r\n\r\n")
		if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 200") {
			t.Fatalf("%q", got)
		}
		if err := h.rec.Settle(t.Context()); err != nil { // the next one is written behind it
			t.Fatal(err)
		}
	}
	all := h.records()
	resources := of(all, "resource")
	if len(resources) != 1 || len(of(all, "response")) != 3 {
		t.Fatalf("%d resources", len(resources))
	}
	want := pem.EncodeToMemory(
		&pem.Block{Type: "CERTIFICATE", Bytes: originCertificate().Certificate[0]})
	r := resources[0]
	if !bytes.Equal(r.block, want) || r.header.Get("WARC-IP-Address") != "127.0.0.1" ||
		r.header.Get("WARC-Concurrent-To") != of(all, "response")[0].header.Get("WARC-Record-ID") {
		t.Errorf("%v %s", r.header, r.block)
	}
	for _, m := range of(all, "metadata") {
		if !strings.Contains(string(m.block), "unverifiedCertificate: ") {
			t.Errorf("%s", m.block)
		}
	}
	if n := len(of(all, "metadata")); n != 3 {
		t.Errorf("%d verdicts", n)
	}
}
