package recorder

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
)

// TestExtra writes records of every kind and size, reads them back with gowarc and looks them up as
// soon as Write has returned.
func TestExtra(t *testing.T) {
	date := time.Date(2020, 2, 3, 4, 5, 6, 789_000_000, time.UTC)
	big := randomText(3 << 20)
	for _, test := range []struct {
		name    string
		change  func(*Extra)
		block   string
		want    map[string]string // header fields
		without []string
		url     string // in the index; "" if it is not there
		mime    string
	}{
		{"resource", func(e *Extra) {
			e.Date, e.RemoteIP, e.ConcurrentTo = date, netip.MustParseAddr("2001:db8::1"), "<urn:uuid:1>"
		}, "x",
			map[string]string{"WARC-Type": "resource", "WARC-Date": "2020-02-03T04:05:06.789000Z",
				"WARC-IP-Address": "2001:db8::1", "WARC-Concurrent-To": "<urn:uuid:1>", "Content-Length": "1"},
			[]string{"WARC-Refers-To"}, "urn:x:A", "text/plain"},
		{"of a page", func(e *Extra) { e.URI = "http://u:p@example.com/a b#f" }, "",
			map[string]string{"WARC-Target-URI": "http://example.com/a%20b", "Content-Length": "0"},
			[]string{"WARC-IP-Address", "WARC-Concurrent-To"}, "http://example.com/a%20b", "text/plain"},
		{"screenshot",
			func(e *Extra) { e.URI, e.ContentType = "screenshot:https://example.com/", "image/png" }, big,
			map[string]string{"Content-Length": fmt.Sprint(len(big))},
			nil, "screenshot:https://example.com/", "image/png"},
		{"metadata",
			func(e *Extra) {
				e.Type, e.ContentType, e.RefersTo = record.Metadata, "application/json", "<urn:uuid:2>"
			}, "{}",
			map[string]string{"WARC-Refers-To": "<urn:uuid:2>"}, []string{"WARC-Payload-Digest"},
			"urn:x:A", "application/json"},
		{"metadata of the usual type", func(e *Extra) {
			e.Type, e.ContentType = record.Metadata, "application/warc-fields"
			e.ConcurrentTo = "<urn:uuid:3>"
		}, "a: b\r\n",
			map[string]string{"WARC-Concurrent-To": "<urn:uuid:3>"}, []string{"WARC-Payload-Digest"},
			"", ""},
		{"conversion", func(e *Extra) { e.Type, e.RefersTo = record.Conversion, "<urn:uuid:4>" }, "text",
			map[string]string{"WARC-Type": "conversion"}, nil, "", ""},
		{"large conversion", func(e *Extra) { e.Type = record.Conversion }, big,
			map[string]string{"WARC-Type": "conversion"}, nil, "", ""},
		{"large metadata", func(e *Extra) { e.Type = record.Metadata }, big, nil,
			[]string{"WARC-Payload-Digest"}, "urn:x:A", "text/plain"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := open(t, t.TempDir(), Config{})
			e := c.extra(record.Resource, "urn:x:A", "text/plain; charset=utf-8", test.block)
			test.change(e)
			kind := e.ContentType
			before := time.Now()
			written := c.write(e)
			found := 0
			c.Index().Captures(store.Query{}, func(capture *store.Capture) bool {
				found++
				if capture.URL != test.url || capture.MIME != test.mime ||
					capture.Location != written.Location && capture.Length == 0 || capture.Status != 0 ||
					!strings.HasPrefix(capture.Digest, "sha1:") {
					t.Errorf("%+v", capture)
				}
				return true
			})
			if want := min(len(test.url), 1); found != want {
				t.Errorf("%d captures when Write had returned, want %d", found, want)
			}
			if status := c.Status(); status.Exchanges != 0 || status.Queued != 0 {
				t.Errorf("%+v", status)
			}
			c.close()
			records := readBack(t, c.dir)
			if len(records) != 2 {
				t.Fatal(records)
			}
			r := records[1]
			if r.block != test.block || r.faults != "" || r.offset != written.Offset ||
				r.file != written.File || r.get("WARC-Record-ID") != written.RecordID ||
				r.get("Content-Type") != kind {
				t.Errorf("%d bytes, %s %v; it was written to %+v", len(r.block), r.faults, r.header, written)
			}
			for name, want := range test.want {
				if got := r.get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			for _, name := range test.without {
				if r.header.Has(name) {
					t.Errorf("%s: %q", name, r.get(name))
				}
			}
			if r.get("WARC-Type") != record.Metadata &&
				r.get("WARC-Payload-Digest") != r.get("WARC-Block-Digest") {
				t.Errorf("digests %v", r.header)
			}
			if got, err := time.Parse(time.RFC3339, r.get("WARC-Date")); err != nil ||
				test.want["WARC-Date"] == "" &&
					(got.Before(before.Truncate(time.Microsecond)) || got.After(time.Now())) {
				t.Errorf("date %v, %v", got, err)
			}
		})
	}
}

func TestExtraRefused(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	const types = "resource, metadata, conversion"
	for name, test := range map[string]struct {
		change func(*Extra)
		want   string // "" if it is good
	}{
		"good":                   {func(*Extra) {}, ""},
		"response":               {func(e *Extra) { e.Type = "response" }, types},
		"warcinfo":               {func(e *Extra) { e.Type = "warcinfo" }, types},
		"no type":                {func(e *Extra) { e.Type = "" }, types},
		"no URI":                 {func(e *Extra) { e.URI = "" }, "not absolute"},
		"path":                   {func(e *Extra) { e.URI = "/a:b" }, "not absolute"},
		"scheme alone":           {func(e *Extra) { e.URI = "urn:" }, "not absolute"},
		"space":                  {func(e *Extra) { e.URI = "urn:a b" }, "%XX"},
		"line break":             {func(e *Extra) { e.URI = "urn:a\r\nWARC-Type: response" }, "%XX"},
		"no ASCII":               {func(e *Extra) { e.URI = "urn:ä" }, "ASCII"},
		"brackets":               {func(e *Extra) { e.URI = "<urn:a>" }, "not absolute"},
		"http without host":      {func(e *Extra) { e.URI = "http:///a" }, "host"},
		"http without slashes":   {func(e *Extra) { e.URI = "http:example.com" }, "host"},
		"http with a port alone": {func(e *Extra) { e.URI = "https://:80/" }, "host"},
		"http with a name alone": {func(e *Extra) { e.URI = "https://user@/" }, "host"},
		"http, made good":        {func(e *Extra) { e.URI = "HTTP://example.com/ä<\n>" }, ""},
		"http, query alone":      {func(e *Extra) { e.URI = "http://example.com?a" }, ""},
		"no content type":        {func(e *Extra) { e.ContentType = "" }, "content type"},
		"content type, lines": {func(e *Extra) {
			e.ContentType = "a/b\r\nWARC-Type: response"
		}, "content type"},
		"content type, no UTF-8": {func(e *Extra) { e.ContentType = "a/\xff" }, "content type"},
		"resource that refers":   {func(e *Extra) { e.RefersTo = "<urn:uuid:1>" }, "refers to no other"},
		"concurrent conversion": {func(e *Extra) {
			e.Type, e.ConcurrentTo = record.Conversion, "<urn:uuid:1>"
		}, "concurrent to no other"},
		"ID without brackets": {func(e *Extra) { e.ConcurrentTo = "urn:uuid:1" }, "concurrent-to"},
		"ID with a line break": {func(e *Extra) {
			e.ConcurrentTo = "<urn:uuid:1>\r\nx: <y>"
		}, "concurrent-to"},
		"ID that is no URI": {func(e *Extra) {
			e.Type, e.RefersTo = record.Metadata, "<1>"
		}, "refers-to"},
		"year of five digits": {func(e *Extra) {
			e.Date = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
		}, "year"},
		"both relations of metadata": {func(e *Extra) {
			e.Type, e.RefersTo, e.ConcurrentTo = record.Metadata, "<urn:uuid:1>", "<urn:uuid:2>"
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := c.extra(record.Resource, "urn:x", "text/plain", "x")
			test.change(e)
			_, err := e.Write(context.Background())
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	c.close()
	for _, r := range readBack(t, c.dir) {
		if r.faults != "" {
			t.Errorf("%s %v", r.faults, r.header)
		}
	}
}

// TestExtraNotWritten: a record that cannot be written is waited for until the end, and then told
// as lost.
func TestExtraNotWritten(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	off := make(chan struct{})
	c.log.onLine = func(line string) {
		if strings.Contains(line, "recording is off") {
			close(off)
		}
	}
	archive := filepath.Join(c.dir, "archive")
	if err := os.RemoveAll(archive); err != nil {
		t.Fatal(err)
	}
	write(t, archive, nil) // a file, in which no file can be made
	failed := make(chan error, 1)
	e := c.extra(record.Resource, "urn:x", "text/plain", "x")
	go func() {
		_, err := e.Write(context.Background())
		failed <- err
	}()
	<-off
	select {
	case err := <-failed:
		t.Fatalf("%v before the recorder was closed", err)
	default:
	}
	if err := c.Close(); err == nil {
		t.Error("closed without an error")
	}
	if err := <-failed; !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("%v", err)
	}
	if c.log.count(`"exchange lost"`, "urn:x") != 1 {
		t.Error(c.log.b.String())
	}
}

// TestExtraGivenUp: who does not wait any longer loses nothing.
func TestExtraGivenUp(t *testing.T) {
	c := open(t, t.TempDir(), Config{CommitInterval: time.Hour})
	c.write(c.extra(record.Resource, "urn:first", "text/plain", "x")) // the next one waits for others
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.extra(record.Resource, "urn:x", "text/plain", "x").Write(ctx); !errors.Is(
		err,
		context.Canceled,
	) {
		t.Errorf("%v", err)
	}
	c.close()
	if urls := captures(t, c.dir); len(urls) != 2 {
		t.Errorf("%v", urls)
	}
}
