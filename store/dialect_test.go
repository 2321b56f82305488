package store

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"warcorder/canon"
)

// TestExportInDialects: in every dialect, with much memory for sorting and with little, the lines
// are those that canon makes of the requests, sorted.
func TestExportInDialects(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	exchanges := someExchanges(2*sliceKeys, file.Name, 1)
	for batch := range slices.Chunk(capturesOf(exchanges), 1000) {
		commit(t, b, batch)
	}
	for _, d := range dialects {
		want := dialectLines(exchanges, d)
		for _, memory := range []int{0, 20_000} {
			t.Run(fmt.Sprintf("%s/%d", d, memory), func(t *testing.T) {
				b.sortMemory = memory
				got, done := exportOf(t, b, Query{Dialect: d})
				sameLines(t, got, want)
				all := int64(len(exchanges))
				if want := (Exported{Lines: all, InOpenFiles: all}); done != want {
					t.Errorf("exported %+v, want %+v", done, want)
				}
				checkSorted(t, []byte(got))
			})
		}
	}
}

// TestQueriesInDialects: a query in a dialect selects by the keys of that dialect.
func TestQueriesInDialects(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	exchanges := someExchanges(1000, file.Name, 2)
	file.Sealed = true
	commit(t, b, capturesOf(exchanges), file)
	urls := []string{
		"http://example.com/a",
		"https://www.example.com:8080/a/",
		"http://exa mple.com/a",
		"http://bücher.example/",
		"http://example.com/a?" + strings.Repeat("q", maxURLKey),
	}
	for _, x := range exchanges {
		if x.Method == "POST" && len(urls) < 12 {
			urls = append(urls, canon.Spec.Append(x.URL, x.Method, x.capture.SpecBody))
		}
	}
	for _, d := range dialects {
		found, all := 0, dialectLines(exchanges, d)
		for _, url := range urls {
			for _, match := range []Match{Exact, Prefix, Host, Domain} {
				q := Query{URL: url, Match: match, Dialect: d}
				span, err := q.span()
				if err != nil { // a host of a URL without one
					continue
				}
				want := those(all, func(key, _ string) bool { return span.hasKey(key) })
				got, done := exportOf(t, b, q)
				sameLines(t, got, want)
				if done.InOpenFiles != 0 || done.Lines != int64(strings.Count(want, "\n")) {
					t.Errorf("exported %+v", done)
				}
				found += len(want)
			}
		}
		if found == 0 {
			t.Errorf("%s: the queries select nothing", d)
		}
	}
	got, _ := exportOf(t, b, Query{Dialect: canon.Spec, From: "20261121054513", To: "20261121054513"})
	sameLines(t, got, those(dialectLines(exchanges, canon.Spec), func(_,
		line string) bool {
		return strings.Contains(line, " 20261121054513 {")
	}))
}

// TestPywbIdentity: every line of the dialect pywb says itself what its key is made of.
func TestPywbIdentity(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	commit(t, b, capturesOf(someExchanges(sliceKeys, file.Name, 3)))
	lines, _ := exportOf(t, b, Query{})
	for line := range strings.Lines(lines) {
		fields := strings.SplitN(line, " ", 3)
		var said struct{ URL, Method, RequestBody string }
		if err := json.Unmarshal([]byte(fields[2]), &said); err != nil {
			t.Fatal(err)
		}
		key, _ := canon.SURT(canon.Pywb.Append(said.URL, said.Method, said.RequestBody))
		if string(appendURLKey(nil, key)) != fields[0] {
			t.Fatalf("the key should be %s in %s", key, line)
		}
	}
}

func TestDialectsGolden(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "w.warc.gz")
	const url = "https://www.Example.com/Form/?b=1"
	var captures []Capture
	for i, r := range []canon.Request{
		{URL: url},
		{URL: url, Method: "GET"},
		{URL: "http://example.com//a//"},
		{URL: url, Method: "get"},
		{URL: url, Method: "HEAD"},
		{URL: url, Method: "post", ContentType: "application/x-www-form-urlencoded",
			Body: []byte("say=Hi&to=Mom")},
		{URL: url, Method: "POST", ContentType: "application/json",
			Body: []byte(`{"a":44.0,"b":["x y",{"a":1e21}]}`)},
		{URL: url, Method: "PUT", ContentType: "application/octet-stream",
			Body: bytes.Repeat([]byte{0xfe}, 5000)},
		{URL: url, Method: "PATCH", ContentType: "text/plain", Body: []byte("plain")},
	} {
		x := captured(r, testTime, file.Name, int64(i))
		x.capture.PathKey = "https://www.example.com/Form/?b=1"
		if i%2 == 0 {
			x.capture.WWWOFFLEKey = r.URL
			x.capture.FormKey = string(r.Body)
		}
		captures = append(captures, x.capture)
	}
	commit(t, b, captures)
	var got strings.Builder
	for _, q := range []Query{{}, {Dialect: canon.Spec}, {Dialect: canon.WarcioJS}, {Key: PathKey},
		{Key: PathKey, Dialect: canon.Spec}, {Key: WWWOFFLEKey}, {Key: FormKey}} {
		lines, _ := exportOf(t, b, q)
		fmt.Fprintf(&got, "%s %s\n%s", q.Key, q.Dialect, lines)
	}
	const path = "testdata/dialects.golden"
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sameLines(t, got.String(), string(want))
}

// TestExportOfVeryLongBodies has bodies that are alike for longer than what is kept of them in
// memory, many times more of them than memory is allowed.
func TestExportOfVeryLongBodies(t *testing.T) {
	const n, size, allowed = 10, 1 << 20, 12 << 20
	b := newIndex(t)
	b.TempDir = t.TempDir()
	file := addFile(t, b, "a.warc.gz")
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i * i >> 8)
	}
	var lines []string
	for i := range n {
		data[len(data)-1-(i*5)%7*1000] = byte(i)
		x := captured(canon.Request{URL: "http://example.com/upload", Method: "POST", Body: data},
			testTime, file.Name, int64(i))
		commit(t, b, []Capture{x.capture, captured(canon.Request{URL: "http://example.com/z"}, testTime,
			file.Name, int64(n+i)).capture})
		lines = append(lines, x.line(canon.Spec))
	}
	slices.Sort(lines)
	want := strings.NewReader(strings.Join(lines, ""))
	lines = nil

	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	b.sortMemory = 1 << 20
	check := &sampler{want: want, before: before.HeapAlloc}
	done, err := b.Export(check, Query{Dialect: canon.Spec}, nil)
	if err != nil || done.Lines != 2*n {
		t.Fatal(done, err)
	}
	if want.Len() > 0 {
		t.Errorf("%d bytes are missing", want.Len())
	}
	if check.most > allowed {
		t.Errorf("%d bytes of memory for lines of %d bytes", check.most, want.Size())
	}
	if left, err := os.ReadDir(b.TempDir); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

// sampler compares what is written, as far as there is something to compare it with, and watches
// the memory.
type sampler struct {
	want         *strings.Reader
	before, most uint64
}

func (s *sampler) Write(p []byte) (int, error) {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	s.most = max(s.most, now.HeapAlloc-min(s.before, now.HeapAlloc))
	want := make([]byte, min(len(p), s.want.Len()))
	if _, err := io.ReadFull(s.want, want); err != nil {
		return 0, err
	}
	if !bytes.Equal(p[:len(want)], want) {
		return 0, errors.New("these are not the sorted lines")
	}
	return len(p), nil
}

// TestDialectExportsBesideCommits is for the race detector; every export is sorted, and has all
// that was committed before it began.
func TestDialectExportsBesideCommits(t *testing.T) {
	b := newIndex(t)
	b.sortMemory = 50_000
	file := addFile(t, b, "a.warc.gz")
	captures := capturesOf(someExchanges(3000, file.Name, 4))
	for i := range captures {
		captures[i].PathKey = captures[i].URL
	}
	before := len(captures) / 2
	commit(t, b, captures[:before])
	var wg sync.WaitGroup
	wg.Go(func() {
		for batch := range slices.Chunk(captures[before:], 100) {
			file.Committed++
			commit(t, b, batch, file)
		}
	})
	for _, q := range []Query{{Dialect: canon.Spec}, {Dialect: canon.WarcioJS}, {Key: PathKey},
		{Key: PathKey, Dialect: canon.Spec}} {
		wg.Go(func() {
			for range 2 {
				var out bytes.Buffer
				done, err := b.Export(&out, q, nil)
				if err != nil || done.Lines < int64(before) {
					t.Errorf("%+v: exported %+v of %d, %v", q, done, before, err)
				}
				lines := strings.SplitAfter(out.String(), "\n")
				if !slices.IsSorted(lines[:len(lines)-1]) {
					t.Errorf("%+v: not sorted", q)
				}
			}
		})
	}
	wg.Wait()
}

func TestDialectExportFails(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	commit(t, b, capturesOf(someExchanges(3000, file.Name, 6)))
	broken := errors.New("broken")
	if _, err := b.Export(failing{broken}, Query{Dialect: canon.Spec}, nil); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if _, err := b.Export(io.Discard, Query{Dialect: "klingon"}, nil); err == nil {
		t.Error("there is no such dialect")
	}
	b.sortMemory, b.TempDir = 1000, filepath.Join(t.TempDir(), "missing")
	if _, err := b.Export(io.Discard, Query{Dialect: canon.Spec}, nil); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("without a temporary folder: %v", err)
	}
}

func TestDialectExportReportsProgress(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	n := int64(sliceKeys + 1000)
	commit(t, b, capturesOf(someExchanges(int(n), file.Name, 7)))
	var progress []int64
	if _, err := b.Export(io.Discard, Query{Dialect: canon.WarcioJS},
		func(lines int64) { progress = append(progress, lines) }); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(progress) || len(progress) < 2 || progress[len(progress)-1] != n {
		t.Errorf("progress %v", progress)
	}
}

// TestBodiesOfGETAreFree: what the dialects need makes the captures of GETs no longer. Bodies on
// which they agree have no more than the key by which they are found.
func TestBodiesOfGETAreFree(t *testing.T) {
	for _, r := range []canon.Request{
		{URL: "http://example.com/"},
		{URL: "http://example.com/", Method: "GET"},
		{URL: "http://example.com/", Method: "POST", ContentType: "application/json",
			Body: []byte(`{"a":1,"b":"x"}`)},
		{URL: "http://example.com/", Method: "PUT", Body: []byte("binary")},
	} {
		c := captured(r, testTime, "a.warc.gz", 0).capture
		if c.isGET() && c.hasExtras() {
			t.Errorf("extras of %+v", c)
		}
		var w extrasWriter
		if value, err := w.append(nil, &c, []byte(c.URLKey)); err != nil || len(value) > 60 {
			t.Errorf("%d bytes of extras, %v: %+v", len(value), err, c)
		}
	}
	x := captured(canon.Request{URL: "http://example.com/", Method: "PUT",
		Body: bytes.Repeat([]byte("x"), 60_000)}, testTime, "a.warc.gz", 0)
	want := base64.StdEncoding.EncodedLen(60_000) + len("__wb_post_data=")
	if len(x.capture.SpecBody) != want ||
		!x.capture.hasExtras() {
		t.Errorf("a body of %d bytes, want %d", len(x.capture.SpecBody), want)
	}
}

// TestAppendLine: a capture alone gives the line that Export writes of it, in every dialect.
func TestAppendLine(t *testing.T) {
	exchanges := someExchanges(1000, "a.warc.gz", 3)
	for _, d := range dialects {
		var lines []string
		for _, x := range exchanges {
			lines = append(lines, string(x.capture.AppendLine(nil, d))+"\n")
		}
		slices.Sort(lines)
		sameLines(t, strings.Join(lines, ""), dialectLines(exchanges, d))
	}
}
