package har

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fromhar"
	"warcorder/store/pagelist"
	"warcorder/store/readback"
	"warcorder/store/selection"
	"warcorder/store/warc"
)

// TestRoundTrip: a HAR that is imported is written again as it was, but for what an import cannot
// keep: how bodies were framed and coded.
func TestRoundTrip(t *testing.T) {
	r := record(t)
	long := strings.Repeat("the same body ", 1000)
	get := "GET / HTTP/1.1\r\nHost: example.com\r\nCookie: a=b; c=d\r\nX: \xe9\r\nX: é\r\n\r\n"
	r.add("http://example.com/a?b=c", get, okHead+"Set-Cookie: e=f\r\nSet-Cookie: g\r\n\r\ncafé\x00", nil)
	r.add("http://example.com/latin", get, "HTTP/1.1 200 Gr\xfc\xdfe\r\nContent-Type: text/plain\r\n"+
		"X: \xff\xfe\r\nEmpty:\r\n\r\ncaf\xe9", nil)
	r.add("http://example.com/moved", get, "HTTP/1.1 302 Moved\r\nLocation: /a\r\n\r\n", nil)
	r.add("http://example.com/gzip", get, okHead+"Content-Encoding: gzip\r\n\r\n"+gzipped(long), nil)
	r.add("http://example.com/same", get, okHead+"Content-Encoding: gzip\r\n\r\n"+gzipped(long), nil)
	r.add("http://example.com/chunks", get, okHead+inChunks+"\r\n"+chunked(long), nil)
	r.add("http://example.com/dcb", get, okHead+"Content-Encoding: dcb\r\n\r\nbytes", nil)
	r.add("http://example.com/cut", get, okHead+"Content-Length: 10\r\n\r\nhello", func(x *recorder.Exchange) {
		x.Truncated = "disconnect"
	})
	r.add("http://example.com/not", get, "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n", nil)
	posted := func(kind, body string) string {
		return "POST / HTTP/1.1\r\nHost: example.com\r\nContent-Type: " + kind + "\r\n\r\n" + body
	}
	post := func(x *recorder.Exchange) { x.Method = "POST" }
	r.add("http://example.com/form", posted("application/x-www-form-urlencoded", "a=b&c=%C3%A9"), okHead+"\r\n", post)
	r.add("http://example.com/bytes", posted("application/octet-stream", "\xff\x00"), okHead+"\r\n", post)
	var first, second bytes.Buffer
	if left := r.write(&first); len(left) > 0 {
		t.Fatal(left[0])
	}
	again := r.imported(first.Bytes())
	if left := again.write(&second); len(left) > 0 {
		t.Fatal(left[0])
	}
	want, got := parse(t, first.Bytes()).Log.Entries, parse(t, second.Bytes()).Log.Entries
	if len(want) != 11 || len(got) != len(want) {
		t.Fatalf("%d exchanges, and %d again", len(want), len(got))
	}
	for i := range want {
		for _, x := range []*exchanged{&want[i], &got[i]} {
			x.forget()
		}
		before, _ := json.Marshal(want[i])
		after, _ := json.Marshal(got[i])
		if !bytes.Equal(before, after) {
			t.Errorf("%s\nbecame\n%s", before, after)
		}
	}
}

// TestRoundTripOfWhole: the whole that a recorder has asked for by itself, and no client, belongs to the
// page that broke off, and is no page: in the HAR, and where that is imported.
func TestRoundTripOfWhole(t *testing.T) {
	r := record(t)
	get := "GET / HTTP/1.1\r\nHost: example.com\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n"
	const html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n"
	r.add("http://example.com/", get, html+"he", func(x *recorder.Exchange) { x.Truncated = "disconnect" })
	r.add("http://example.com/", get, html+"hello", func(x *recorder.Exchange) { x.Completion = "cut" })
	r.rest()
	var first, second bytes.Buffer
	again := r
	for _, out := range []*bytes.Buffer{&first, &second} {
		if _, err := Write(t.Context(), out, again.source(), selection.Selection{}, Options{}); err != nil {
			t.Fatal(err)
		}
		log := parse(t, out.Bytes()).Log
		if len(log.Pages) != 1 || len(log.Entries) != 2 || log.Entries[1].Page != log.Pages[0].ID ||
			log.Entries[0].Completion != "" || log.Entries[1].Completion != "cut" {
			t.Errorf("%s", out)
		}
		again = r.imported(first.Bytes())
	}
}

// forget leaves out what an import cannot keep.
func (x *exchanged) forget() {
	x.Time, x.Timings = 0, timings{}
	x.Request.HeadSize, x.Response.HeadSize = 0, 0
	x.Response.BodySize, x.Response.Content.Compression = 0, 0
	isFraming := func(p pair) bool {
		return slices.ContainsFunc([]string{"Content-Length", "Content-Encoding", "Transfer-Encoding"},
			func(name string) bool { return strings.EqualFold(name, p.Name) })
	}
	x.Request.Fields = slices.DeleteFunc(x.Request.Fields, isFraming)
	x.Response.Fields = slices.DeleteFunc(x.Response.Fields, isFraming)
}

// imported is a collection to which a HAR was added.
func (r *recording) imported(text []byte) *recording {
	t := r.t
	t.Helper()
	from := t.TempDir()
	out, err := warc.Create(from, "a.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	compressor := warc.NewCompressor()
	maker := fromhar.Maker{
		Out: func(head [][]byte, body io.Reader, size int64, stored bool) error {
			_, err := out.AppendStream(func(tail *warc.Tail) error {
				_, err := compressor.Stream(tail, tail.Offset(), head, body, size, stored)
				return err
			})
			return err
		},
		Page: func(pagelist.Page) error { return nil },
		Room: 1 << 30,
	}
	report, err := maker.Make("a.har", func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text)), nil
	})
	if err = errors.Join(err, out.Close()); err != nil || len(report.Skipped) > 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	again := &recording{t: t, dir: collection.Dir(t.TempDir())}
	_, err = recovery.Add(recovery.Config{Mode: collection.DefaultMode}, again.dir,
		[]string{filepath.Join(from, "a.warc.gz")}, true, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if again.index, err = store.OpenReadOnly(again.dir.Index()); err != nil {
		t.Fatal(err)
	}
	again.files = readback.New(again.dir, again.index)
	t.Cleanup(func() { again.files.Close(); again.index.Close() })
	return again
}
