package recovery_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store/collection"
	"warcorder/store/objects"
	"warcorder/store/objects/gateway"
	"warcorder/store/verify"
)

// put puts an object into the bucket.
func put(t *testing.T, key string, content []byte) {
	t.Helper()
	storage, err := objects.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer storage.Close()
	up := objects.Upload{Bucket: gateway.Bucket, Key: key, Body: bytes.NewReader(content), Size: int64(len(content)),
		Replaces: true}
	if _, err := storage.Put(t.Context(), up); err != nil {
		t.Fatal(err)
	}
}

// recorded records into a collection of its own three files, and puts them below a prefix.
func recorded(t *testing.T, prefix string) *awayWorld {
	t.Helper()
	w := &awayWorld{t: t, dir: collection.Dir(t.TempDir())}
	w.record(0, 3, func(r *recorder.Recorder) { w.names = finished(t, r) })
	w.lines = w.exported()
	for _, name := range w.names {
		put(t, prefix+"/"+name, w.content(name))
	}
	return w
}

func (w *awayWorld) content(name string) []byte {
	w.t.Helper()
	content, err := os.ReadFile(w.dir.WARC(name))
	w.must(err)
	return content
}

// from is what a rebuild from the bucket found, in a directory.
func from(t *testing.T, dir collection.Dir, place, log string) (recovery.Found, error) {
	t.Helper()
	parsed, err := objects.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	logger := zerolog.Nop()
	if log != "" {
		file, err := os.Create(log)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		logger = zerolog.New(file)
	}
	return recovery.RebuildFrom(recovery.Config{}, dir, parsed, logger)
}

// sorted are lines of several collections as one has them.
func sorted(texts ...string) string {
	lines := slices.Collect(strings.Lines(strings.Join(texts, "")))
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// TestRebuildFrom: from nothing but the bucket comes what the collections of several recorders had, and
// nothing of what lies beside the prefix; no file is brought here, the referee finds nothing wrong, and
// whoever records on does so.
func TestRebuildFrom(t *testing.T) {
	gateway.Start(t)
	one, two := recorded(t, "news/one"), recorded(t, "news/two")
	recorded(t, "newsbeside")
	w := &awayWorld{t: t, dir: collection.Dir(filepath.Join(t.TempDir(), "made", "anew"))}
	found, err := from(t, w.dir, "s3://warcs/news", "")
	if err != nil || found.Files != 6 || found.Captures != 12 || len(found.Refused)+len(found.Damaged) > 0 {
		t.Fatalf("%+v, %v", found, err)
	}
	want := sorted(one.lines, two.lines)
	if got := sorted(w.exported()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	w.away(slices.Sorted(slices.Values(slices.Concat(one.names, two.names)))...)
	if here, err := os.ReadDir(w.dir.Archive()); err != nil || len(here) > 0 {
		t.Errorf("%v, %v", here, err)
	}
	if v := w.verified(true); v.Findings+v.Notes > 0 || v.Files != 6 {
		t.Errorf("%+v", v)
	}
	again, err := from(t, w.dir, "s3://warcs/news/", "")
	if err != nil || sorted(w.exported()) != want || len(again.Missing) > 0 {
		t.Errorf("once more: %+v, %v", again, err)
	}
	w.record(3, 1, func(*recorder.Recorder) {})
	if found, err := w.repair(); err != nil || found.Files > 0 ||
		strings.Count(w.exported(), "\n") != strings.Count(want, "\n")+2 {
		t.Errorf("recorded on: %+v, %v", found, err)
	}
}

// TestRebuildFromTwins: two objects of one name count as one file if they have one content, and else end
// the rebuild, with the names of both; nothing of a former index is changed then.
func TestRebuildFromTwins(t *testing.T) {
	gateway.Start(t)
	one := recorded(t, "same/one")
	content := one.content(one.names[0])
	put(t, "same/copy/"+one.names[0], content)
	dir := collection.Dir(t.TempDir())
	found, err := from(t, dir, "s3://warcs/same", "")
	if err != nil || found.Files != 3 || exportedOf(t, dir) != one.lines {
		t.Fatalf("of one content: %+v, %v", found, err)
	}
	other := slices.Clone(content)
	other[len(other)-1] ^= 1
	for name, content := range map[string][]byte{"other bytes": other, "another length": content[1:]} {
		put(t, "same/copy/"+one.names[0], content)
		_, err = from(t, dir, "s3://warcs/same", "")
		if err == nil || !strings.Contains(err.Error(), "same/one/"+one.names[0]) ||
			!strings.Contains(err.Error(), "same/copy/"+one.names[0]) || !strings.Contains(err.Error(), "rename") {
			t.Errorf("%s: %v", name, err)
		}
		if exportedOf(t, dir) != one.lines {
			t.Errorf("%s: the index has changed", name)
		}
	}
}

// TestRebuildFromBeside: files that are here stay, and count as copied if the bucket has them; one of the
// same name and other content ends the rebuild, and nothing has changed.
func TestRebuildFromBeside(t *testing.T) {
	gateway.Start(t)
	one := recorded(t, "news")
	w := recorded(t, "elsewhere")
	put(t, "news/"+w.names[0], w.content(w.names[0]))
	found, err := from(t, w.dir, "s3://warcs/news", "")
	if err != nil || len(found.Missing) > 0 || sorted(w.exported()) != sorted(one.lines, w.lines) {
		t.Fatalf("%+v, %v", found, err)
	}
	w.away(one.names...)
	if v := w.verified(true); v.Findings > 0 || v.Copies != 1 || v.Files != 6 {
		t.Errorf("%+v", v)
	}
	other := w.content(w.names[1])
	other[len(other)/2] ^= 1
	for name, other := range map[string][]byte{"other bytes": other, "another length": other[1:]} {
		put(t, "news/"+w.names[1], other)
		before := w.exported()
		if _, err := from(t, w.dir, "s3://warcs/news", ""); err == nil ||
			!strings.Contains(err.Error(), "news/"+w.names[1]) || !strings.Contains(err.Error(), "rename one") {
			t.Errorf("%s: %v", name, err)
		}
		if w.exported() != before {
			t.Errorf("%s: the index has changed", name)
		}
	}
}

// TestRebuildFromRubbish: what is no WARC file is passed over, and said; of what is damaged all that is
// good is taken, and the rest is told; one that inflates to very much takes no memory for it.
func TestRebuildFromRubbish(t *testing.T) {
	gateway.Start(t)
	one := recorded(t, "news")
	good := one.content(one.names[2])
	for key, content := range map[string][]byte{
		"lines.cdxj": []byte("com,example)/ 2026 {}"), one.names[0] + ".cdxj": []byte("com,example)/ 2026 {}"),
		"part-0.parquet": []byte("PAR1"), "readme": []byte("read me"), "a.warc.gz/b": []byte("below"),
		"x.warc.gz.open": good, "nothing.warc.gz": {}, ".hidden.warc.gz": good,
		"torn.warc.gz": good[:len(good)-10], "rubbish.warc.gz": []byte("no WARC file"),
		"text.warc": []byte("no WARC file either"), "bomb.warc.gz": bomb(t),
	} {
		put(t, "news/"+key, content)
	}
	dir, log := collection.Dir(t.TempDir()), filepath.Join(t.TempDir(), "log")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found, err := from(t, dir, "s3://warcs/news", log)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 32<<20 {
		t.Errorf("%d bytes were taken", taken)
	}
	for _, refused := range []string{"x.warc.gz.open", "nothing.warc.gz", ".hidden.warc.gz"} {
		if !slices.ContainsFunc(found.Refused, func(text string) bool { return strings.Contains(text, refused) }) {
			t.Errorf("%s is not among %q", refused, found.Refused)
		}
	}
	var damaged []string
	for _, d := range found.Damaged {
		damaged = append(damaged, d.File)
	}
	slices.Sort(damaged)
	if damaged = slices.Compact(damaged); !slices.Equal(damaged, []string{"rubbish.warc.gz", "text.warc",
		"torn.warc.gz"}) || len(found.Refused) != 3 {
		t.Errorf("damaged: %q, refused: %q", damaged, found.Refused)
	}
	said, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(said), `"objects":5,"message":"objects that are no WARC files`) {
		t.Errorf("%s, %v", said, err)
	}
	got := exportedOf(t, dir)
	for line := range strings.Lines(one.lines) {
		if strings.Count(got, line) != 1 {
			t.Errorf("%d times %s", strings.Count(got, line), line)
		}
	}
	if strings.Count(got, `"torn.warc.gz"`) != 1 || strings.Count(got, `"bomb.warc.gz"`) != 1 {
		t.Errorf("%s", got)
	}
	if found, err := closed(dir, recovery.Repair); err != nil || found.Files > 0 {
		t.Errorf("there was more to do: %+v, %v", found, err)
	}
}

// bomb is a WARC file of a record that is a thousand times longer than its member.
func bomb(t *testing.T) []byte {
	t.Helper()
	const size = 48 << 20
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	fmt.Fprintf(w, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:12345678-1234-1234-1234-"+
		"123456789012>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: http://example.com/bomb\r\n"+
		"Content-Type: application/http\r\nContent-Length: %d\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", size+19)
	zeros := make([]byte, 1<<20)
	for range size / len(zeros) {
		w.Write(zeros)
	}
	if _, err := w.Write([]byte("\r\n\r\n")); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRebuildFromNothing: a prefix without WARC files, a bucket that is none and a storage that does not
// answer are said, and no collection is made.
func TestRebuildFromNothing(t *testing.T) {
	gateway.Start(t)
	put(t, "empty/readme", []byte("read me"))
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	for _, c := range [][2]string{
		{"s3://warcs/empty", "there is no WARC file below s3://warcs/empty, of 1 objects"},
		{"s3://warcs/none", "of 0 objects"},
		{"s3://no-such-bucket", "there is no such bucket"},
		{"s3://warcs/down", "cannot be reached"},
	} {
		place, want := c[0], c[1]
		if place == "s3://warcs/down" {
			gateway.Use(t, "http://127.0.0.1:1")
		}
		dir := collection.Dir(filepath.Join(t.TempDir(), "none"))
		if _, err := from(t, dir, place, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", place, err)
		}
		if dir.Exists() {
			t.Errorf("%s: a collection was made", place)
		}
	}
}

// TestRebuildFromCut: wherever the storage goes away, the rebuild ends with an error that says so, and no
// half of an index is left; the next one makes all of it.
func TestRebuildFromCut(t *testing.T) {
	storage := gateway.Start(t)
	one := recorded(t, "news")
	var left atomic.Int64
	between := httputil.NewSingleHostReverseProxy(must(url.Parse(storage.Endpoint)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if left.Add(-1) < 0 {
			panic(http.ErrAbortHandler)
		}
		between.ServeHTTP(w, r)
	}))
	defer server.Close()
	gateway.Use(t, server.URL)
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	dir := collection.Dir(t.TempDir())
	cuts := 0
	for requests := int64(0); ; requests++ {
		left.Store(requests)
		_, err := from(t, dir, "s3://warcs/news", "")
		if err == nil {
			break
		}
		cuts++
		if !errors.Is(err, objects.ErrUnreachable) || !strings.Contains(err.Error(), "s3://warcs/news") {
			t.Errorf("after %d requests: %v", requests, err)
		}
		if _, err := os.Stat(dir.Index()); err == nil {
			t.Errorf("after %d requests there is an index", requests)
		}
		if _, err := os.Stat(dir.NewIndex()); err == nil {
			t.Errorf("after %d requests half an index is left", requests)
		}
	}
	if exportedOf(t, dir) != one.lines || cuts != 10 { // the list; and three for each file
		t.Errorf("%d cuts: %s", cuts, exportedOf(t, dir))
	}
	left.Store(1000)
	checker := verify.Checker{Remote: true}
	if found, err := checker.Collection(dir); err != nil || found.Findings > 0 || found.Files != 3 {
		t.Errorf("%+v, %v", found, err)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
