package removing

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
	"warcorder/store/selection"
)

// lying is a gzip member that says of itself in its `sl` field that it has so many bytes; 0 is the truth.
// What is stored is not compressed.
func lying(text string, length int, stored bool) []byte {
	level := gzip.BestSpeed
	if stored {
		level = gzip.NoCompression
	}
	write := func(length int) []byte {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, level)
		w.Extra = append([]byte("sl\x08\x00"), binary.LittleEndian.AppendUint32(
			binary.LittleEndian.AppendUint32(nil, uint32(length)), uint32(len(text)))...)
		w.Write([]byte(text))
		w.Close()
		return b.Bytes()
	}
	if length == 0 {
		length = len(write(0))
	}
	return write(length)
}

// over is a member that says that it reaches to the end of the next one, which has a record as long.
func over(text, next string) []byte {
	return lying(text, len(lying(text, 0, false))+len(lying(next, 0, false)), false)
}

// padded is a record of that size, whose block ends in spaces.
func padded(size int, kind string, second int, url, block string, fields ...string) string {
	short := stranger(kind, second, url, block+strings.Repeat(" ", 1000), fields...)
	return stranger(kind, second, url, block+strings.Repeat(" ", 1000+size-len(short)), fields...)
}

// strangeGzip is strange for a file of gzip members.
func strangeGzip(t *testing.T, members ...[]byte) *recording {
	t.Helper()
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval, cfg.MinFreeSpace = time.Millisecond, time.Millisecond, 0
	r := &recording{t: t, cfg: cfg, dir: collection.Dir(t.TempDir())}
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	put(t, path, string(bytes.Join(members, nil)))
	added, err := recovery.Add(recovery.Config{}, r.dir, []string{path}, false, zerolog.Nop())
	if err != nil || len(added[0].Damaged) > 0 {
		t.Fatalf("%+v, %v", added, err)
	}
	r.open()
	t.Cleanup(func() { r.Recorder.Close() })
	return r
}

// TestLyingLengths: a file whose members lie about where they end loses what is selected, with its
// request, and nothing else.
func TestLyingLengths(t *testing.T) {
	const size = 3000
	concurrent := func(second int) string { return "WARC-Concurrent-To: " + idOf(second) }
	request := func(second int, url string, of int, cookie string) string {
		return padded(size, "request", second, url, "GET "+url+" HTTP/1.1\r\nCookie: "+cookie+"\r\n\r\n", concurrent(of))
	}
	response := func(second int, url string) string {
		return padded(size, "response", second, url, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"+url)
	}
	honest := func(text string) []byte { return lying(text, 0, false) }
	own := honest(fmt.Sprintf("WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: %s\r\nWARC-Date: %s\r\n"+
		"Content-Type: application/warc-fields\r\nContent-Length: 23\r\n\r\nsoftware: warcorder/9\r\n\r\n\r\n",
		idOf(60), dateOf(0)))
	within := honest(stranger("request", 5, "/hush", "GET / HTTP/1.1\r\n\r\n", concurrent(1)))
	body := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + strings.Repeat("x", 80<<10) + "%%%%" +
		string(within)
	holds := stranger("response", 3, "/kept", body)
	holds = strings.Replace(holds, "%%%%", string(binary.LittleEndian.AppendUint32(nil, uint32(len(holds)))), 1)
	ends := bytes.Index(lying(holds, 0, true), within)
	for name, members := range map[string][][]byte{
		"a response over the request of another": {honest(response(1, "/hush")),
			over(response(3, "/kept"), request(2, "/hush", 1, "biscuit")), honest(request(2, "/hush", 1, "biscuit")),
			honest(request(4, "/kept", 3, "crumbs"))},
		"a response that goes over the request of another": {honest(response(3, "/kept")),
			over(response(1, "/hush"), request(4, "/kept", 3, "crumbs")), honest(request(4, "/kept", 3, "crumbs")),
			honest(request(2, "/hush", 1, "biscuit"))},
		"a response that goes over another": {
			over(response(1, "/hush"), response(3, "/kept")), honest(response(3, "/kept")),
			honest(request(4, "/kept", 3, "crumbs")), honest(request(2, "/hush", 1, "biscuit"))},
		"a response over one that goes": {
			over(response(3, "/kept"), response(1, "/hush")), honest(response(1, "/hush")),
			honest(request(4, "/kept", 3, "crumbs")), honest(request(2, "/hush", 1, "biscuit"))},
		"a request over another that goes": {honest(response(1, "/hush")), honest(response(3, "/kept")),
			over(request(4, "/kept", 3, "crumbs"), request(2, "/hush", 1, "biscuit")),
			honest(request(2, "/hush", 1, "biscuit"))},
		"a request that goes over another": {honest(response(1, "/hush")), honest(response(3, "/kept")),
			over(request(2, "/hush", 1, "biscuit"), request(4, "/kept", 3, "crumbs")),
			honest(request(4, "/kept", 3, "crumbs"))},
		"a member within a body": {honest(response(1, "/hush")), honest(request(2, "/hush", 1, "biscuit")),
			lying(holds, ends, true), honest(request(4, "/kept", 3, "crumbs"))},
		"as if it were ours": {own, honest(response(1, "/hush")), honest(request(2, "/hush", 1, "biscuit")),
			honest(response(3, "/kept")),
			over(request(4, "/kept", 3, "crumbs"), padded(size, "request", 9, "/hush", "GET / HTTP/1.1\r\n\r\nbiscuit")),
			honest(padded(size, "request", 9, "/hush", "GET / HTTP/1.1\r\n\r\nbiscuit"))},
	} {
		t.Run(name, func(t *testing.T) {
			r := strangeGzip(t, members...)
			before := r.all()
			if len(before) != 2 {
				t.Fatalf("%d captures", len(before))
			}
			done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, Wish{Choose: Chosen(t.Context(), hush)})
			if err != nil || done.Captures != 1 {
				t.Fatalf("%+v, %v", done, err)
			}
			maps.DeleteFunc(before, func(_ string, s shown) bool { return s.isOf([]string{"/hush"}) })
			r.same(before)
			if names := r.found("biscuit"); len(names) > 0 {
				t.Errorf("what was to go is in %q", names)
			}
			if names := r.found("crumbs"); len(names) == 0 {
				t.Error("the request of another capture is gone")
			}
			files := readback.New(r.dir, r.Index())
			defer files.Close()
			err = r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
				request, err := files.Request(c)
				if err != nil {
					t.Errorf("%s: %v", c.URL, err)
					return true
				}
				return request.Close() == nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOddTypes: the type of a record is the same in capitals: what was made of a response goes with it,
// whenever that was.
func TestOddTypes(t *testing.T) {
	for _, kind := range []string{"conversion", "Conversion", "CONVERSION"} {
		r := strange(t, stranger("Response", 1, "/hush", page("hush"), "X-A: 1")+
			stranger(kind, 9, "/hush", "converted", "WARC-Refers-To: "+idOf(1))+
			stranger("response", 3, "/kept", page("kept"), "X-A: 1"))
		r.remove(selection.Selection{URL: hush.URL, To: "20260101000005"}, nil)
		if b := r.fileText("x0.warc"); strings.Contains(b, "converted") || strings.Contains(b, "\r\n\r\nhush") {
			t.Errorf("%s: it is still there: %s", kind, b)
		}
	}
}

// TestForeignNames: a record that names the request of another capture, which lies in another file,
// does not take it along.
func TestForeignNames(t *testing.T) {
	r := strange(t, stranger("response", 1, "/hush", page("hush"), "WARC-Concurrent-To: "+idOf(4))+
		stranger("request", 4, "/kept", "GET / HTTP/1.1\r\nCookie: crumbs\r\n\r\n", "WARC-Concurrent-To: "+idOf(3))+
		stranger("request", 2, "/hush", "GET / HTTP/1.1\r\nCookie: biscuit\r\n\r\n", "WARC-Concurrent-To: "+idOf(1)),
		stranger("response", 3, "/kept", page("kept"), "X-A: 1"))
	r.remove(hush, nil)
	if b := r.fileText("x0.warc"); !strings.Contains(b, "crumbs") || strings.Contains(b, "biscuit") {
		t.Errorf("%s", b)
	}
}

// TestSameID: of two captures with the same ID the one that goes has its request taken along, and the one
// that stays keeps its own.
func TestSameID(t *testing.T) {
	same := func(text string) string { return strings.Replace(text, idOf(3), idOf(1), 1) }
	request := func(second int, url, cookie string) string {
		return stranger("request", second, url, "GET / HTTP/1.1\r\nCookie: "+cookie+"\r\n\r\n",
			"WARC-Concurrent-To: "+idOf(1))
	}
	of := func(second int, id string) string { // what belongs to /hush, and has the ID of another record
		return strings.Replace(stranger("metadata", second, "/kept", "biscuit", "WARC-Concurrent-To: "+idOf(1),
			"Content-Type: application/warc-fields"), idOf(second), id, 1)
	}
	response := stranger("response", 1, "/hush", page("hush"), "X-A: 1")
	kept := stranger("response", 3, "/kept", page("kept"), "X-A: 1")
	for name, text := range map[string]string{
		"two responses": response + request(2, "/hush", "biscuit") + same(kept) + request(4, "/kept", "crumbs"),
		"a record of what goes has that of what stays": response + of(5, idOf(3)) + kept +
			strings.Replace(request(4, "/kept", "crumbs"), idOf(1), idOf(3), 1),
	} {
		r := strange(t, text)
		r.remove(hush, nil)
		if b := r.fileText("x0.warc"); !strings.Contains(b, "crumbs") || strings.Contains(b, "biscuit") {
			t.Errorf("%s: %s", name, b)
		}
	}
}

// TestTwins: of two responses of one URL and time, which say that they have the same payload, and have not,
// one stays: what is shown of it stays too, wherever the other one lies.
func TestTwins(t *testing.T) {
	for file, moved := range map[string]int64{"x0.warc": 1, "x1.warc": 0} {
		r := strange(t, stranger("response", 1, "/o", page(text("aaaa")), digestA),
			stranger("response", 1, "/o", page(text("bbbb")), digestA), again(9, "/r", digestA, "/o", 1))
		before := r.all()
		done := r.remove(selection.Selection{Files: []string{file}}, nil)
		if done.Captures != 1 || done.Moved != moved {
			t.Errorf("%s: %+v", file, done)
		}
		for key, s := range r.all() {
			if s.url == "https://example.com/r" && s.body != before[key].body {
				t.Errorf("%s: it is %.80q, and was %.80q", file, s.body, before[key].body)
			}
		}
	}
}

// TestBackwards: what was made of what was made of a response goes with it, in whatever order it lies.
func TestBackwards(t *testing.T) {
	var made strings.Builder
	for second := 50; second > 1; second-- {
		made.WriteString(stranger("conversion", second, "/other", "converted", "WARC-Refers-To: "+idOf(second-1)))
	}
	r := strange(t, made.String()+stranger("response", 1, "/hush", page("hush"), "X-A: 1")+
		stranger("response", 59, "/kept", page("kept"), "X-A: 1"))
	r.remove(hush, nil)
	if n := strings.Count(r.fileText("x0.warc"), "converted"); n > 0 {
		t.Errorf("%d conversions are still there", n)
	}
}
