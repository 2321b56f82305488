package har

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/recorder/recovery/foreign"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
	"warcorder/store/selection"
	"warcorder/store/warc"
)

// TestExchange: all that a HAR says of an exchange beside its body.
func TestExchange(t *testing.T) {
	r := record(t)
	r.add("http://example.com/a?b=c",
		"GET /a?b=c HTTP/1.1\r\nHost: example.com\r\nCookie: d=e\r\nX: \xe9\r\nX: é\r\n\r\n",
		"HTTP/1.1 302 Moved away\r\nLocation: /f\r\nSet-Cookie: g=h; Max-Age=1\r\nContent-Length: 0\r\n\r\n",
		func(x *recorder.Exchange) { x.Via = "socks5" }) // so that there is a metadata record
	var out bytes.Buffer
	at := begun.Add(time.Minute)
	r.write(&out, Page{"1", "http://example.com/", "", begun}, Page{"2", "http://example.com/2", "é", at})
	har := parse(t, out.Bytes())
	if l := har.Log; l.Version != "1.2" || l.Creator != (creator{"warcorder", "1.2.3"}) {
		t.Errorf("%s, %v", l.Version, l.Creator)
	}
	none := pageTimings{-1, -1}
	if p := har.Log.Pages; len(p) != 2 ||
		p[0] != (page{date(begun), "1", "http://example.com/", none, "http://example.com/"}) ||
		p[1] != (page{"2026-03-04T05:07:07.890Z", "2", "é", none, "http://example.com/2"}) {
		t.Errorf("%+v", p)
	}
	x := har.Log.Entries[0]
	if x.Started != "2026-03-04T05:06:07.890Z" || x.Time <= 0 || x.Address != "2001:db8::1" || x.Page != "" ||
		x.Timings != (timings{-1, -1, -1, -1, 0, x.Time, 0, ""}) {
		t.Errorf("%+v", x.entry)
	}
	if f := x.Request.Fields; len(f) != 4 || f[2] != (pair{"X", "é", latin1}) || f[3] != (pair{"X", "é", ""}) ||
		x.Request.Cookies[0].Name != "d" || x.Request.Query[0] != (pair{"b", "c", ""}) || x.Request.BodySize != 0 {
		t.Errorf("%+v", x.Request)
	}
	if a := x.Response; a.Status != 302 || a.Reason != "Moved away" || a.Redirect != "/f" || len(a.Fields) != 3 ||
		a.Cookies[0].Expires != "2026-03-04T05:06:08.890Z" || a.Content.Type != noType || a.Version != "HTTP/1.1" {
		t.Errorf("%+v", a)
	}
}

// TestOrder: exchanges are in the order of their times, whatever that of their URLs is.
func TestOrder(t *testing.T) {
	r := record(t)
	for _, path := range []string{"c", "a", "b", "a"} {
		r.add("http://example.com/"+path, getRequest, okHead+"\r\n"+path, nil)
	}
	var paths string
	for _, x := range r.har().Log.Entries {
		paths += strings.TrimPrefix(x.Request.URL, "http://example.com/")
	}
	if paths != "caba" {
		t.Error(paths)
	}
}

// TestOrderKeeps: what goes through a file comes back as it was, and is sorted, also times before
// 1970.
func TestOrderKeeps(t *testing.T) {
	var o order
	o.sorter.Dir, o.sorter.Memory = t.TempDir(), 1<<16
	defer o.close()
	long := strings.Repeat("x", 100<<10)
	chosen := func(n int) *selection.Chosen {
		c := store.Capture{URLKey: "key", URL: "http://example.com/\x00\n" + long[:n], Method: "POST",
			RequestBody: long[:n%7*n], Time: begun.AddDate(-n, 0, 0)}
		c.Location = store.Location{File: "f", Offset: int64(n), Length: int64(n) << 20}
		return &selection.Chosen{Capture: c, Page: "p\n"}
	}
	for n := range 1000 {
		if err := o.add(chosen(n)); err != nil {
			t.Fatal(err)
		}
	}
	n := 999
	err := o.each(func(c *selection.Chosen) error {
		if want := chosen(n); !reflect.DeepEqual(c, want) {
			t.Fatalf("%d: %+v", n, c.Location)
		}
		n--
		return nil
	})
	if err != nil || n != -1 {
		t.Errorf("%d are left, %v", n+1, err)
	}
	for cut := range o.line {
		if _, err := parseLine(o.line[:cut]); err == nil {
			t.Errorf("a line of %d bytes is taken", cut)
		}
	}
}

// TestOrderOfOneTime: captures of one time are in the order in which they lie, by file and then by
// offset, which is longer than a byte.
func TestOrderOfOneTime(t *testing.T) {
	var o order
	o.sorter.Dir = t.TempDir()
	defer o.close()
	want := []store.Location{{File: "a", Offset: 2}, {File: "a", Offset: 300}, {File: "a", Offset: 1 << 40},
		{File: "ab", Offset: 1}, {File: "b", Offset: 0}}
	for _, n := range []int{3, 1, 4, 0, 2} {
		c := store.Capture{URLKey: fmt.Sprint(9 - n), URL: "http://example.com/", Time: begun, Location: want[n]}
		if err := o.add(&selection.Chosen{Capture: c}); err != nil {
			t.Fatal(err)
		}
	}
	var got []store.Location
	err := o.each(func(c *selection.Chosen) error {
		got = append(got, c.Location)
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestMillis: what no exchange takes is not known.
func TestMillis(t *testing.T) {
	for value, want := range map[string]int64{"0": 0, "12": 12, fmt.Sprint(int64(mostTime)): mostTime,
		fmt.Sprint(int64(mostTime) + 1): -1, "9223372036854775807": -1, "-1": -1, "1.5": -1, "": -1} {
		if got, known := millisOf(value); known != (want >= 0) || known && got != want {
			t.Errorf("%q: %d, %v", value, got, known)
		}
	}
}

// TestLeftOutByChecksum: records are read to their checksums, also where a body ends long before, or
// where there is none.
func TestLeftOutByChecksum(t *testing.T) {
	const alone = "a request without a body"
	long := random(1 << 20)
	for name, response := range map[string]string{
		alone:           okHead + "\r\nhello",
		"chunks":        okHead + inChunks + "\r\n" + chunked(long),
		"broken chunks": okHead + inChunks + "\r\n5\r\nhello\r\nno chunk" + long,
		"behind brotli": okHead + "Content-Encoding: br\r\n\r\n" + brotlied("hello") + long,
		"behind gzip":   okHead + "Content-Encoding: gzip\r\n\r\n" + gzipped("hello") + long,
	} {
		r := record(t)
		r.add("http://example.com/", getRequest, response, nil)
		c := r.captures()[0]
		r.rest()
		path := r.dir.WARC(c.File)
		at := c.Offset + c.Length
		if name == alone { // the request lies behind
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			at = info.Size()
		}
		spoil(t, path, at-6)
		var out bytes.Buffer
		if left := r.write(&out); len(left) != 1 || len(parse(t, out.Bytes()).Log.Entries) != 0 {
			t.Errorf("%s: %v", name, left)
		}
	}
}

// TestShorterAgain: a body that is shorter when it is read again is an error, and no shorter body.
func TestShorterAgain(t *testing.T) {
	long := strings.Repeat("a", mostKept+1)
	for _, second := range []string{long[:mostKept], "", long, long + "b"} {
		texts := []string{long, second}
		from := func() (*opened, error) {
			in := strings.NewReader(texts[0])
			texts = texts[1:]
			return &opened{Reader: in, stored: in, Closer: io.NopCloser(in)}, nil
		}
		b, err := look(context.Background(), from, true, nil)
		if err != nil || b.isKept() {
			t.Fatal(b.size, err)
		}
		n := 0
		err = b.eachPiece(func(p []byte) error {
			n += len(p)
			return nil
		})
		if want := len(second) < len(long); (err != nil) != want || want != errors.Is(err, io.ErrUnexpectedEOF) ||
			n != min(len(second), len(long)) {
			t.Errorf("%d bytes: %d, %v", len(second), n, err)
		}
	}
}

// TestRevisit: a revisit has its own head and time, and the original's body; a 304 has none.
func TestRevisit(t *testing.T) {
	r := record(t)
	body := strings.Repeat("the same body ", 1000)
	r.add("http://example.com/a", getRequest, okHead+"X-Number: 1\r\n\r\n"+body, nil)
	r.add("http://example.com/b", getRequest, okHead+"X-Number: 2\r\n\r\n"+body, nil)
	r.add("http://example.com/b", getRequest, "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n", nil)
	entries := r.har().Log.Entries
	if c := r.captures()[1]; c.MIME != "warc/revisit" {
		t.Fatalf("no revisit: %+v", c)
	}
	revisit, not := entries[1].Response, entries[2].Response
	if revisit.Fields[1].Value != "2" || revisit.Content.Text != body || revisit.Truncated != "" {
		t.Errorf("%+v", revisit)
	}
	if not.Status != 304 || not.Content.Text != "" || not.BodySize != 0 || not.Fields[0].Name != "ETag" {
		t.Errorf("%+v", not)
	}
}

// TestLeftOut: what cannot be read is left out and named, and all else is there.
func TestLeftOut(t *testing.T) {
	r := record(t)
	noise := gzipped(strings.Repeat("noise", 1000))
	for _, path := range []string{"a", "b", "c"} {
		r.add("http://example.com/"+path, getRequest, pictureOf+"\r\n"+path+noise, nil)
	}
	c := r.captures()[1]
	r.rest()
	path := r.dir.WARC(c.File)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file[c.Offset+c.Length-6]++ // of the checksum
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	left := r.write(&out)
	entries := parse(t, out.Bytes()).Log.Entries
	var damage *warc.Damage
	if len(left) != 1 || left[0].Capture.URL != "http://example.com/b" || !errors.As(left[0], &damage) ||
		!strings.Contains(left[0].Error(), "http://example.com/b of 2026-03-04T05:06:08.890Z is left out: ") {
		t.Errorf("%v", left)
	}
	if len(entries) != 2 || entries[0].Request.URL != "http://example.com/a" ||
		entries[1].Request.URL != "http://example.com/c" {
		t.Errorf("%d exchanges", len(entries))
	}
	os.Remove(path)
	out.Reset()
	if left := r.write(&out); len(left) != 3 || len(parse(t, out.Bytes()).Log.Entries) != 0 {
		t.Errorf("%d left out of a file that is missing", len(left))
	}
}

// TestForeign: what other tools have left, without a request, without a head.
func TestForeign(t *testing.T) {
	head := func(kind, url string) string {
		return "WARC/1.0\nWARC-Type: " + kind + "\nWARC-Record-ID: <urn:" + url + ">\nWARC-Target-URI: " + url +
			"\nWARC-Date: 2026-11-21T12:00:00Z\n"
	}
	dir, path := collection.Dir(t.TempDir()), filepath.Join(t.TempDir(), "a.warc")
	file := foreign.Record(head("response", "http://example.com/a")+
		"Content-Type: application/http\nWARC-IP-Address: localhost\nWARC-Truncated: time", "HTTP/1.1 200 OK||hello") +
		foreign.Record(head("resource", "http://example.com/b")+"Content-Type: text/plain", "hello")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := recovery.Add(recovery.Config{Mode: collection.DefaultMode}, dir, []string{path}, true,
		zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	files := readback.New(dir, index)
	defer files.Close()
	var out bytes.Buffer
	w := NewWriter(&out, files)
	err = w.Begin("")
	index.Captures(store.Query{}, func(c *store.Capture) bool {
		err = errors.Join(err, w.Exchange(context.Background(), &selection.Chosen{Capture: *c, Page: "p"}))
		return true
	})
	if err = errors.Join(err, w.End()); err != nil {
		t.Fatal(err)
	}
	entries := parse(t, out.Bytes()).Log.Entries
	a, b := entries[0], entries[1]
	if a.Request.Comment != noRequest || a.Request.HeadSize != -1 || a.Request.Method != "GET" ||
		a.Response.Truncated != "time" || a.Address != "" || a.Page != "p" || a.Timings.Comment != noTime {
		t.Errorf("%+v", a)
	}
	if b.Response.Comment != noHead || b.Response.HeadSize != -1 || b.Response.Content.Text != "hello" {
		t.Errorf("%+v", b)
	}
}

// TestIsHTTP: what else a collection has is no exchange of HTTP.
func TestIsHTTP(t *testing.T) {
	for url, want := range map[string]bool{"http://example.com/": true, "HTTPS://example.com/": true,
		"dns:example.com": false, "urn:view:http://example.com/": false, "ftp://example.com/": false} {
		if isHTTP(&store.Capture{URL: url}) != want {
			t.Errorf("%s: %v", url, !want)
		}
	}
}

// TestOutput: an error of the output ends the writing, and none is lost; so does the end of time.
func TestOutput(t *testing.T) {
	r := record(t)
	r.add("http://example.com/a", getRequest, okHead+"\r\n"+strings.Repeat("a", 3*pieceSize), nil)
	r.add("http://example.com/b", getRequest, okHead+"\r\n"+strings.Repeat("a", 2*mostKept), nil)
	large := selection.Chosen{Capture: r.captures()[1]}
	c := selection.Chosen{Capture: r.captures()[0]}
	reader, writer := io.Pipe()
	reader.Close()
	w := NewWriter(writer, r.files)
	w.Begin("")
	if err := w.Exchange(context.Background(), &c); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	if err := w.End(); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w = NewWriter(writerFunc(func(p []byte) (int, error) {
		cancel() // while the body is written
		return len(p), nil
	}), r.files)
	if err := w.Exchange(ctx, &large); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := NewWriter(io.Discard, r.files).Exchange(ctx, &c); err != context.Canceled {
		t.Error(err)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
