package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/recorder/recovery/foreign"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// answerOf is a response with those head lines and that body.
func answerOf(status int, fields, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\n%s\r\n%s", status, fields, body)
}

// chunkedBy is a body in chunks of that size.
func chunkedBy(size int, body string) string {
	var b strings.Builder
	for part := range slices.Chunk([]byte(body), size) {
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(part), part)
	}
	return b.String() + "0\r\n\r\n"
}

const inChunks = "Transfer-Encoding: chunked\r\n"

var body2K = strings.Repeat("0123456789abcdef", 128)

// TestWhatIsRevisited commits a first exchange and then another, and says whether that becomes a
// revisit: when the first is in the index, and when it still waits.
func TestWhatIsRevisited(t *testing.T) {
	const url = "http://example.com/a"
	type exchange struct {
		url, request, response string
		change                 func(*Exchange)
	}
	get := func(url, response string) exchange {
		return exchange{url, exampleRequest, response, func(*Exchange) {}}
	}
	plain := get(url, answerOf(200, "X: 1\r\n", body2K))
	coded := func(encoding string) exchange {
		return get(url+"2", answerOf(200, "Content-Encoding: "+encoding+"\r\n", body2K))
	}
	big := randomText(3 << 20)
	url2 := func(c record.DedupConfig) record.DedupConfig { c.Dedup = record.DedupURL; return c }(record.DedupConfig{})
	for _, c := range []struct {
		name          string
		cfg           record.DedupConfig
		first, second exchange
		want          bool
	}{
		{"another URL", record.DedupConfig{}, plain, get(url+"2", answerOf(200, "Y: 2\r\n", body2K)), true},
		{"the same URL", record.DedupConfig{}, plain, plain, true},
		{"another body", record.DedupConfig{}, plain, get(url, answerOf(200, "", body2K+"x")), false},
		{"off", record.DedupConfig{Dedup: record.DedupOff}, plain, plain, false},
		{"by URL, the same", url2, plain, plain, true},
		{"by URL, the same SURT", url2, plain, get("https://www.example.com/a#x", answerOf(200, "", body2K)), true},
		{"by URL, another", url2, plain, get(url+"2", plain.response), false},
		{"below the least size", record.DedupConfig{MinSize: 1024},
			get(url, answerOf(200, "", body2K[:1023])), get(url, answerOf(200, "", body2K[:1023])), false},
		{"of the least size", record.DedupConfig{MinSize: 1024},
			get(url, answerOf(200, "", body2K[:1024])), get(url, answerOf(200, "", body2K[:1024])), true},
		{"one byte, of any size", record.DedupConfig{}, get(url, answerOf(200, "", "x")),
			get(url, answerOf(200, "", "x")), true},
		{"empty", record.DedupConfig{}, get(url, answerOf(200, "", "")), get(url, answerOf(200, "", "")), false},
		{"empty chunks", record.DedupConfig{}, get(url, answerOf(200, inChunks, "0\r\n\r\n")),
			get(url, answerOf(200, inChunks, "0\r\n\r\n")), false},
		{"203", record.DedupConfig{}, get(url, answerOf(203, "", body2K)), get(url, answerOf(203, "", body2K)), true},
		{"203 of 200", record.DedupConfig{}, plain, get(url, answerOf(203, "", body2K)), false},
		{"206", record.DedupConfig{}, get(url, answerOf(206, "", body2K)), get(url, answerOf(206, "", body2K)), false},
		{"302", record.DedupConfig{}, get(url, answerOf(302, "Location: /x\r\n", body2K)),
			get(url, answerOf(302, "Location: /x\r\n", body2K)), false},
		{"404", record.DedupConfig{}, get(url, answerOf(404, "", body2K)), get(url, answerOf(404, "", body2K)), false},
		{"500", record.DedupConfig{}, get(url, answerOf(500, "", body2K)), get(url, answerOf(500, "", body2K)), false},
		{"no status", record.DedupConfig{}, get(url, "HTTP/1.1 x\r\n\r\n"+body2K),
			get(url, "HTTP/1.1 x\r\n\r\n"+body2K), false},
		{"POST", record.DedupConfig{}, plain,
			exchange{url, postOf("POST", "", "a"), plain.response,
				func(x *Exchange) { x.Method = "POST" }}, false},
		{"of a POST", record.DedupConfig{},
			exchange{url, postOf("POST", "", "a"), plain.response,
				func(x *Exchange) { x.Method = "POST" }}, plain, false},
		{"truncated", record.DedupConfig{}, plain,
			exchange{url, exampleRequest, plain.response,
				func(x *Exchange) { x.Truncated = "length" }}, false},
		{"of a truncated one", record.DedupConfig{},
			exchange{url, exampleRequest, plain.response,
				func(x *Exchange) { x.Truncated = "length" }}, plain, false},
		{"with a fault that cut nothing", record.DedupConfig{}, plain,
			exchange{url, exampleRequest, plain.response, func(x *Exchange) { x.Fault = "f" }}, true},
		{"unverified", record.DedupConfig{}, plain,
			exchange{url, exampleRequest, plain.response,
				func(x *Exchange) { x.Unverified = "expired" }}, true},
		{"its Content-Length", record.DedupConfig{}, plain,
			get(url, answerOf(200, "Content-Length: 2048\r\n", body2K)), true},
		{"another Content-Length", record.DedupConfig{}, plain,
			get(url, answerOf(200, "Content-Length: 2049\r\n", body2K)), false},
		{"chunked, of plain", record.DedupConfig{}, plain, get(url, answerOf(200, inChunks, chunkedBy(100, body2K))), false},
		{"chunked otherwise", record.DedupConfig{},
			get(url, answerOf(200, inChunks, chunkedBy(100, body2K))), get(url,
				answerOf(200, "transfer-encoding:  CHUNKED\r\n", chunkedBy(77, body2K))), true},
		{"chunks without an end", record.DedupConfig{},
			get(url, answerOf(200, inChunks, chunkedBy(100, body2K))), get(url,
				answerOf(200, inChunks, strings.TrimSuffix(chunkedBy(100, body2K), "\r\n"))), false},
		{"chunks that are none", record.DedupConfig{}, get(url, answerOf(200, inChunks, body2K)),
			get(url, answerOf(200, inChunks, body2K)), false},
		{"a trailer", record.DedupConfig{}, get(url, answerOf(200, inChunks, chunkedBy(100, body2K))),
			get(url,
				answerOf(200, inChunks,
					strings.TrimSuffix(chunkedBy(100, body2K), "\r\n")+"X: y\r\n\r\n")), false},
		{"a coding that is not known", record.DedupConfig{},
			get(url, answerOf(200, "Transfer-Encoding: x\r\n", body2K)), get(url,
				answerOf(200, "Transfer-Encoding: x\r\n", body2K)), false},
		{"gzip, of plain", record.DedupConfig{}, plain, coded("gzip"), false},
		{"gzip of br", record.DedupConfig{}, coded("br"), coded("gzip"), false},
		{"gzip, spelled otherwise", record.DedupConfig{}, coded("gzip"), coded("\r\n GZIP,"), true},
		{"two codings, of one", record.DedupConfig{}, coded("gzip"), coded("gzip\r\nContent-Encoding: br"), false},
		{"two codings, in one field", record.DedupConfig{}, coded("gzip, br"), coded("gzip\r\nContent-Encoding: br"), true},
		{"identity", record.DedupConfig{}, plain, coded("Identity"), true},
		{"a long URL", record.DedupConfig{}, plain,
			get(url+strings.Repeat("x", record.MaxOriginalURL), plain.response), false},
		{"of a long URL", record.DedupConfig{},
			get(url+strings.Repeat("x", record.MaxOriginalURL), plain.response), plain, false},
		{"a large one", record.DedupConfig{}, get(url, answerOf(200, "", big)), get(url+"2", answerOf(200, "", big)), true},
		{"a large one in chunks", record.DedupConfig{},
			get(url, answerOf(200, inChunks, chunkedBy(1<<20, big))), get(url,
				answerOf(200, inChunks, chunkedBy(10_000, big))), true},
		{"a large one, cut", record.DedupConfig{},
			get(url, answerOf(200, inChunks, chunkedBy(1<<20, big))), get(url,
				answerOf(200, inChunks, chunkedBy(1<<20, big)[:3<<20])), false},
		{"within the time", record.DedupConfig{DedupFor: 100 * time.Hour}, plain,
			exchange{url, exampleRequest, plain.response,
				func(x *Exchange) { x.Started = x.Started.Add(99 * time.Hour) }}, true},
		{"after the time", record.DedupConfig{DedupFor: 100 * time.Hour}, plain,
			exchange{url, exampleRequest, plain.response,
				func(x *Exchange) { x.Started = x.Started.Add(100 * time.Hour) }}, false},
	} {
		for _, wait := range []time.Duration{time.Minute, 0} {
			t.Run(fmt.Sprint(c.name, wait), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					cfg := Config{Dedup: c.cfg}
					r := open(t, t.TempDir(), cfg)
					r.get("http://example.com/before") // what comes next waits for others
					for _, e := range []exchange{c.first, c.second} {
						synctest.Wait()
						x := r.begin(e.url, e.request, e.response)
						e.change(x)
						x.Commit()
						synctest.Wait()
						time.Sleep(wait)
					}
					r.close()
					records := readBack(t, r.dir)
					checkIndex(t, r.dir, records)
					if got := checkRevisits(t, records); got != map[bool]int{true: 1}[c.want] {
						t.Errorf("%d revisits", got)
					}
					checkRebuild(t, r.dir, cfg)
				})
			})
		}
	}
}

// checkRevisits checks that each revisit says what there is of its original, which is before it if
// it is in the same file. It returns how many there are.
func checkRevisits(t *testing.T, records []storedRecord) (n int) {
	t.Helper()
	responses := make(map[string]int)
	for i, r := range records {
		if r.get("WARC-Type") == "response" {
			responses[r.get("WARC-Record-ID")] = i
		}
	}
	for i, r := range records {
		if r.get("WARC-Type") != "revisit" {
			continue
		}
		n++
		at, ok := responses[r.get("WARC-Refers-To")]
		if !ok {
			t.Errorf("%s at %d refers to no response: %v", r.file, r.offset, r.header)
			continue
		}
		o := records[at]
		if o.file == r.file && at > i {
			t.Errorf("%s at %d: its original is behind it", r.file, r.offset)
		}
		if r.get("WARC-Refers-To-Target-URI") != o.get("WARC-Target-URI") ||
			r.get("WARC-Refers-To-Date") != o.get("WARC-Date") ||
			r.get("WARC-Payload-Digest") != o.get("WARC-Payload-Digest") ||
			r.get("Content-Type") != "application/http; msgtype=response" {
			t.Errorf("%s at %d: %v\nof %v", r.file, r.offset, r.header, o.header)
		}
		if r.faults != "" || !strings.HasPrefix(r.block, "HTTP/1.1 ") ||
			!strings.HasSuffix(r.block, "\r\n\r\n") {
			t.Errorf("%s at %d: %s %q", r.file, r.offset, r.faults, r.block)
		}
		profile, truncated := "identical-payload-digest", "length"
		if strings.HasPrefix(r.block, "HTTP/1.1 304") {
			profile, truncated = "server-not-modified", ""
		}
		if !strings.HasSuffix(r.get("WARC-Profile"), "/revisit/"+profile) ||
			r.get("WARC-Truncated") != truncated {
			t.Errorf("%s at %d: %v", r.file, r.offset, r.header)
		}
	}
	return n
}

// checkRebuild checks that an index made from the files alone is the same, and that the same is
// known of originals.
func checkRebuild(t *testing.T, dir string, cfg Config) {
	t.Helper()
	want, originals := export(t, dir), originalsOf(t, dir, cfg)
	if _, err := rebuilt(cfg, dir, zerolog.Nop(), nil); err != nil {
		t.Fatal(err)
	}
	if got := export(t, dir); got != want {
		t.Errorf("rebuilt:\n%s\nwas:\n%s", got, want)
	}
	if got := originalsOf(t, dir, cfg); !slices.Equal(got, originals) {
		t.Errorf("rebuilt: %v, was: %v", got, originals)
	}
}

// originalsOf makes the content key of each response of a collection that may be an original, and
// returns what the index knows under it.
func originalsOf(t *testing.T, dir string, cfg Config) (all []store.Original) {
	t.Helper()
	index, err := store.OpenReadOnly(filepath.Join(dir, collection.IndexName))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	dedup, err := cfg.Dedup.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	records := readBack(t, dir)
	for i, r := range records {
		if r.get("WARC-Type") != "response" || r.get("WARC-Truncated") != "" || i+1 == len(records) {
			continue
		}
		head := record.ParseHead([]byte(r.block))
		body, method := r.block[head.Size:], strings.Fields(records[i+1].block)[0]
		if !dedup.MayBeOriginal([]byte(method), &head, int64(len(body))) {
			continue
		}
		var content record.Content
		content.Reset(&head, int64(len(body)))
		content.Write([]byte(body))
		uri := r.get("WARC-Target-URI")
		key, ok := content.Key(&head, []byte(r.block[:head.Size]), dedup.ScopeOf(uri))
		if !ok {
			continue
		}
		o, found, err := index.Original(key)
		if !found || err != nil {
			t.Errorf("the index does not know the original %s: %v", uri, err)
		}
		all = append(all, o)
	}
	return all
}

// TestStoredAgain: what is stored again after the time is what is referred to from then on.
func TestStoredAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Config{Dedup: record.DedupConfig{DedupFor: 24 * time.Hour}}
		c := open(t, t.TempDir(), cfg)
		for range 5 {
			c.commit("http://example.com/", exampleRequest, answerOf(200, "", body2K))
			time.Sleep(10 * time.Hour)
		}
		c.close()
		var got []string
		records := readBack(t, c.dir)
		for _, r := range records {
			if kind := r.get("WARC-Type"); kind == "response" || kind == "revisit" {
				got = append(got, kind+" "+r.get("WARC-Refers-To-Date"))
			}
		}
		want := []string{
			"response ", "revisit 2000-01-01T00:00:00.000000Z", "revisit 2000-01-01T00:00:00.000000Z",
			"response ", "revisit 2000-01-02T06:00:00.000000Z",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		checkRevisits(t, records)
		checkRebuild(t, c.dir, cfg)
	})
}

// TestSameAtOnce commits a few bodies from 64 goroutines, in files that are soon full. Of each body
// few copies are stored, and all can be had from the originals.
func TestSameAtOnce(t *testing.T) {
	for _, size := range []int64{1e9, 20_000} {
		c := open(t, t.TempDir(), Config{WARCMaxSize: size})
		var wait sync.WaitGroup
		for i := range 64 {
			wait.Go(func() {
				for n := range 20 {
					c.commit(
						fmt.Sprintf("http://example.com/%d/%d", i, n),
						exampleRequest,
						answerOf(200, fmt.Sprintf("X: %d\r\n", i), strings.Repeat(fmt.Sprint(n, " "), 2000)),
					)
				}
			})
		}
		wait.Wait()
		c.close()
		records := readBack(t, c.dir)
		checkIndex(t, c.dir, records)
		revisits := checkRevisits(t, records)
		if responses := 64*20 - revisits; size == 1e9 && responses != 20 || revisits == 0 {
			t.Errorf("%d copies of 20 bodies are stored in files of %d bytes", responses, size)
		}
	}
}

// TestOrphans: what refers to a response that was lost is not written; all else is, where the index
// says.
func TestOrphans(t *testing.T) {
	lost := &pendingOriginal{lost: true}
	o, gaps := newOriginals("", nil, nil), &gapList{total: map[string]int64{}, closed: true}
	c := &committer{
		batches: newBatches(&Config{}, o, newWake()),
		queue:   newQueue(&Config{}, gaps, nil, zerolog.Nop()),
	}
	out := &output{lanes: new(lanes), pending: 10}
	second := &pendingOriginal{keyed: true, Original: store.Original{Key: store.OriginalKey{1}}}
	for i, refers := range []*pendingOriginal{nil, lost, new(pendingOriginal), second, nil} {
		original := &pendingOriginal{
			keyed:    true,
			Original: store.Original{Key: store.OriginalKey{byte(i)}},
		}
		if i == 1 {
			original = second
		}
		c.batches.add(out, 0, bytes.Repeat([]byte{byte('a' + i)}, chunkSize/3+i),
			done{url: fmt.Sprint(i), refers: refers, original: original})
	}
	g := group{
		batches: []*batch{
			{done: []done{{refers: lost}}, written: true},
			out.batch,
			{output: out, done: []done{{url: "alone", refers: lost}}},
		},
	}
	c.dropOrphans(&g)
	var gone []string
	for _, g := range gaps.waiting {
		gone = append(gone, g.URL)
	}
	if !slices.Equal(gone, []string{"1", "3", "alone"}) || len(g.batches) != 2 || out.pending != 7 {
		t.Fatalf("%q lost, %d batches, %d pending", gone, len(g.batches), out.pending)
	}
	b, at := g.batches[1], int64(0)
	records := bytes.Join(b.chunks, nil)
	for n, i := range []int{0, 2, 4} {
		size := int64(chunkSize/3 + i)
		d := b.done[n]
		if d.url != fmt.Sprint(i) || d.capture.Offset != at || d.at != (span{at, at + size}) ||
			string(records[at:at+size]) != strings.Repeat(string(rune('a'+i)), int(size)) {
			t.Errorf("%s lies at %d, %+v", d.url, d.capture.Offset, d.at)
		}
		at += size
	}
	if b.size != at || int64(len(records)) != at || len(o.byKey) != 3 {
		t.Errorf("%d bytes of %d, %d originals", b.size, at, len(o.byKey))
	}
}

// TestLostOriginal: a response that could not be written takes what refers to it along, and no
// later one refers to it.
func TestLostOriginal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		c.get("http://example.com/before")
		time.Sleep(time.Second) // until it is on disk
		back := c.takeAway()
		for i := range 3 {
			c.commit(fmt.Sprint("http://example.com/", i), exampleRequest, answerOf(200, "", body2K))
			synctest.Wait()
			time.Sleep(time.Second) // the first is being tried, the others wait
		}
		c.get("http://example.com/other")
		synctest.Wait()
		var once sync.Once
		c.log.onLine = func(line string) {
			if strings.Contains(line, "exchange lost") {
				once.Do(back) // writing works again, for those that wait
			}
		}
		c.LastTry()
		synctest.Wait()
		c.commit("http://example.com/after", exampleRequest, answerOf(200, "", body2K))
		c.commit("http://example.com/again", exampleRequest, answerOf(200, "", body2K))
		if err := c.Close(); err == nil || c.log.count("exchange lost", errOrphan.Error()) != 2 ||
			c.log.count("exchange lost") != 3 {
			t.Errorf("%v; the log:\n%s", err, c.log.b.String())
		}
		again := open(t, c.dir, Config{})
		urls := again.urls()
		again.close()
		if !slices.Equal(
			urls,
			[]string{
				"http://example.com/after",
				"http://example.com/again",
				"http://example.com/before",
				"http://example.com/other",
			},
		) {
			t.Errorf("recorded: %q", urls)
		}
		records := readBack(t, c.dir)
		if n := checkRevisits(t, records); n != 1 {
			t.Errorf("%d revisits", n)
		}
	})
}

// TestNotModified: a 304 refers to the version that the client has, if the collection has it.
func TestNotModified(t *testing.T) {
	const url = "http://example.com/page"
	asks := func(fields string) string { return "GET /page HTTP/1.1\r\nHost: example.com\r\n" + fields + "\r\n" }
	const monday, tuesday = "Mon, 14 Nov 1994 08:12:31 GMT", "Tue, 15 Nov 1994 08:12:31 GMT"
	v1 := answerOf(200, "ETag: \"1\"\r\nLast-Modified: "+monday+"\r\n", "one")
	v2 := answerOf(200, "ETag: W/\"2\"\r\nLast-Modified: "+tuesday+"\r\n", "two")
	for _, c := range []struct {
		name    string
		dedup   string
		stored  []string // of that URL
		request string
		answer  string
		want    int // which one it refers to; -1 if it is stored as a response
	}{
		{"by tag", "", []string{v1}, asks("If-None-Match: \"1\"\r\n"), answerOf(304, "", ""), 0},
		{"by tag, of two", "", []string{v1, v2}, asks("if-none-match: \"2\"\r\n"), answerOf(304, "ETag: \"2\"\r\n", ""), 1},
		{"by one of more tags", "", []string{v1}, asks("If-None-Match: \"0\", W/\"1\"\r\n"), answerOf(304, "", ""), 0},
		{"by any tag", "", []string{v1}, asks("If-None-Match: *\r\n"), answerOf(304, "ETag: \"1\"\r\n", ""), 0},
		{"by any tag, and the answer has none", "", []string{v1}, asks("If-None-Match: *\r\n"), answerOf(304, "", ""), -1},
		{"by date, and it varies", "", []string{answerOf(200, "Vary: Accept-Encoding\r\nVary: "+
			"Cookie\r\nLast-Modified: "+monday+"\r\n", "x")}, asks("If-Modified-Since: " + monday + "\r\n"),
			answerOf(304, "", ""), -1},
		{"by date, and its coding varies", "",
			[]string{answerOf(200, "Vary: accept-encoding\r\nLast-Modified: "+monday+"\r\n",
				"x")}, asks("If-Modified-Since: " + monday + "\r\n"), answerOf(304, "", ""), 0},
		{"by tag, and it varies", "", []string{answerOf(200, "Vary: Cookie\r\nETag: \"1\"\r\n", "x")},
			asks("If-None-Match: \"1\"\r\n"), answerOf(304, "", ""), 0},
		{"by date, and the page has none", "", []string{answerOf(200, "ETag: \"1\"\r\n", "x")},
			asks("If-Modified-Since: " + monday + "\r\n"), answerOf(304, "", ""), -1},
		{"of a page that has changed", "", []string{v1, answerOf(200, "", "x")},
			asks("If-None-Match: \"1\"\r\n"), answerOf(304, "", ""), -1},
		{"by the tag of an older one", "", []string{v1, v2}, asks("If-None-Match: \"1\"\r\n"), answerOf(304, "", ""), -1},
		{"by another tag in the answer", "", []string{v1}, asks("If-None-Match: *\r\n"),
			answerOf(304, "ETag: \"2\"\r\n", ""), -1},
		{"by date", "", []string{v1}, asks("If-Modified-Since: " + monday + "\r\n"), answerOf(304, "", ""), 0},
		{"by a later date", "", []string{v1}, asks("If-Modified-Since: " + tuesday + "\r\n"), answerOf(304, "", ""), 0},
		{"by an earlier date", "", []string{v2}, asks("If-Modified-Since: " + monday + "\r\n"), answerOf(304, "", ""), -1},
		{"by a date that is none", "", []string{v2}, asks("If-Modified-Since: yesterday\r\n"), answerOf(304, "", ""), -1},
		{"without validators in the collection", "", []string{answerOf(200, "", "x")},
			asks("If-None-Match: \"1\"\r\n"), answerOf(304, "", ""), -1},
		{"tags without quotes", "", []string{answerOf(200, "ETag: 1\r\n", "x")},
			asks("If-None-Match: 0, 1\r\n"), answerOf(304, "", ""), 0},
		{"other tags without quotes", "", []string{answerOf(200, "ETag: 1\r\n", "x")},
			asks("If-None-Match: 11\r\n"), answerOf(304, "", ""), -1},
		{"nothing asked", "", []string{v1}, asks(""), answerOf(304, "", ""), -1},
		{"nothing stored", "", nil, asks("If-None-Match: \"1\"\r\n"), answerOf(304, "", ""), -1},
		{"only an error stored", "", []string{answerOf(404, "ETag: \"1\"\r\n", "x")},
			asks("If-None-Match: \"1\"\r\n"), answerOf(304, "", ""), -1},
		{"with a body", "", []string{v1}, asks("If-None-Match: \"1\"\r\n"), answerOf(304, "", "x"), -1},
		{"without its empty line", "", []string{v1}, asks("If-None-Match: \"1\"\r\n"), "HTTP/1.1 304 X\r\n", -1},
		{"HEAD", "", []string{v1}, "HEAD / HTTP/1.1\r\nIf-None-Match: \"1\"\r\n\r\n", answerOf(304, "", ""), -1},
		{"off", record.DedupOff, []string{v1}, asks("If-None-Match: \"1\"\r\n"), answerOf(304, "", ""), -1},
		{"by URL", record.DedupURL, []string{v1}, asks("If-None-Match: \"1\"\r\n"), answerOf(304, "", ""), 0},
	} {
		for _, wait := range []time.Duration{time.Hour, 0} {
			t.Run(fmt.Sprint(c.name, wait), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					cfg := Config{Dedup: record.DedupConfig{Dedup: c.dedup}, WARCIdle: 10 * time.Minute}
					r := open(t, t.TempDir(), cfg)
					r.get("http://example.com/before")
					for _, answer := range c.stored {
						synctest.Wait()
						time.Sleep(wait / 3600)
						r.commit(url, exampleRequest, answer)
					}
					synctest.Wait()
					time.Sleep(wait) // which finishes the file
					r.commit(url, c.request, c.answer)
					synctest.Wait()
					time.Sleep(time.Second)
					r.commit(url, c.request, c.answer) // refers to the same, and not to the revisit
					r.close()
					records := readBack(t, r.dir)
					checkIndex(t, r.dir, records)
					if got := checkRevisits(t, records); got != 2*min(c.want+1, 1) {
						t.Errorf("%d revisits", got)
					}
					for _, revisit := range records {
						if revisit.get("WARC-Type") == "revisit" &&
							!slices.ContainsFunc(records, func(o storedRecord) bool {
								return o.get("WARC-Record-ID") == revisit.get("WARC-Refers-To") &&
									o.block == c.stored[c.want]
							}) {
							t.Errorf("not version %d: %v", c.want, revisit.header)
						}
					}
					checkRebuild(t, r.dir, cfg)
				})
			})
		}
	}
}

// TestNotModifiedOfRevisit: where the page itself is stored as a revisit, a 304 refers to what that
// refers to.
func TestNotModifiedOfRevisit(t *testing.T) {
	for _, wait := range []time.Duration{time.Second, 0} {
		synctest.Test(t, func(t *testing.T) {
			c := open(t, t.TempDir(), Config{})
			c.get("http://example.com/before")
			for _, e := range [][3]string{
				{"http://example.com/a", exampleRequest, answerOf(200, "", body2K)},
				{"http://example.com/b", exampleRequest, answerOf(200, "ETag: \"b\"\r\n", body2K)},
				{"http://example.com/b", "GET / HTTP/1.1\r\nIf-None-Match: \"b\"\r\n\r\n", answerOf(304, "", "")},
				{"http://example.com/b", "GET / HTTP/1.1\r\nIf-None-Match: \"c\"\r\n\r\n", answerOf(304, "", "")},
			} {
				synctest.Wait()
				time.Sleep(wait)
				c.commit(e[0], e[1], e[2])
			}
			c.close()
			records := readBack(t, c.dir)
			if n := checkRevisits(t, records); n != 2 {
				t.Errorf("%d revisits", n)
			}
			checkRebuild(t, c.dir, Config{})
		})
	}
}

// TestNotModifiedForeign: a 304 refers to what another tool has recorded only if that is whole, and
// nothing of its header harms ours.
func TestNotModifiedForeign(t *testing.T) {
	const url, id = "http://example.com/a", "<urn:uuid:d45b3130-0000-4000-8000-000000000001>"
	const sum = "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"
	const date = "2026-11-21T09:52:17Z"
	page := func(uri, date, digest, more string) string {
		return foreign.Record(
			"WARC/1.0\nWARC-Type: response\nWARC-Record-ID: "+id+"\nWARC-Target-URI: "+uri+
				"\nWARC-Date: "+date+"\nWARC-Payload-Digest: "+digest+more+
				"\nContent-Type: application/http;msgtype=response",
			"HTTP/1.1 200 OK|ETag: \"1\"||hello")
	}
	revisit := func(status, of, date string) string {
		return foreign.Record(
			"WARC/1.0\nWARC-Type: revisit\nWARC-Record-ID: "+
				"<urn:uuid:d45b3130-0000-4000-8000-000000000002>\nWARC-Target-URI: "+url+
				"\nWARC-Date: 2026-11-22T00:00:00Z\nWARC-Profile: x\nWARC-Truncated: length"+
				"\nWARC-Refers-To: "+id+
				"\nWARC-Refers-To-Target-URI: "+of+"\nWARC-Refers-To-Date: "+date+
				"\nWARC-Payload-Digest: "+sum+"\nContent-Type: application/http;msgtype=response",
			"HTTP/1.1 "+status+" X|ETag: \"1\"||",
		)
	}
	const other = "http://example.com/b"
	for _, c := range []struct {
		name    string
		records []string
		want    string // WARC-Refers-To-Target-URI; "" if the 304 is stored as a response
	}{
		{"plain", []string{page(url, date, sum, "")}, url},
		{"in angle brackets", []string{page("<"+url+">", date, sum, "")}, url},
		{"truncated", []string{page(url, date, sum, "\nWARC-Truncated: length")}, ""},
		{"a segment", []string{page(url, date, sum, "\nWARC-Segment-Number: 1")}, ""},
		{"an offset in its date", []string{page(url, "2026-11-21T09:52:17+01:00", sum, "")}, ""},
		{"a comma in its date", []string{page(url, "2026-11-21T09:52:17,5Z", sum, "")}, ""},
		{"a date without time", []string{page(url, "2026-11-21", sum, "")}, url},
		{"a bad digest", []string{page(url, date, sum+"\x01", "")}, ""},
		{"a short digest", []string{page(url, date, sum[:20], "")}, ""},
		{"a digest in hexadecimal digits", []string{page(url, date, "sha-256:"+strings.Repeat("0", 64), "")}, url},
		{"revisit", []string{page(other, date, sum, ""), revisit("200", other, date)}, other},
		{"revisit in angle brackets", []string{page(other, date, sum, ""), revisit("200", "<"+other+">", date)}, other},
		{"revisit of what is not there", []string{page(other, date, sum, ""), revisit("200", other+"c", date)}, ""},
		{"revisit of another time", []string{page(other, date, sum, ""), revisit("200", other, "2026-11-21T09:52:18Z")}, ""},
		{"revisit of something truncated",
			[]string{page(other, date, sum, "\nWARC-Truncated: length"), revisit("200", other, date)}, ""},
		{"revisit of another record ID",
			[]string{strings.Replace(page(other, date, sum, ""), "0001>", "0009>", 1),
				revisit("200", other, date)}, ""},
		{"revisit of other content",
			[]string{page(other, date, strings.Replace(sum, "V", "W", 1), ""),
				revisit("200", other, date)}, ""},
		{"confirmation alone", []string{page(other, date, sum, ""), revisit("304", other, date)}, other},
		{"confirmation of what is not there", []string{revisit("304", url, date)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, path := t.TempDir(), filepath.Join(t.TempDir(), "foreign.warc.gz")
			var file []byte
			for _, rec := range c.records {
				file = append(file, foreign.Gzip(rec)...)
			}
			write(t, path, file)
			if _, err := added(Config{}, dir, []string{path}, false, zerolog.Nop(), nil); err != nil {
				t.Fatal(err)
			}
			r := open(t, dir, Config{})
			r.commit(url, "GET /a HTTP/1.1\r\nIf-None-Match: \"1\"\r\n\r\n", answerOf(304, "", ""))
			r.close()
			// which is not as ours must be
			if err := os.Remove(filepath.Join(dir, "archive", "foreign.warc.gz")); err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, rec := range readBack(t, dir) {
				if rec.get("WARC-Type") == "revisit" {
					got = rec.get("WARC-Refers-To-Target-URI")
				}
			}
			if got != c.want {
				t.Errorf("refers to %q, want %q", got, c.want)
			}
		})
	}
}

// TestNotModifiedOften: a page that has been confirmed more often than the index looks back is
// confirmed still.
func TestNotModifiedOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		c.commit("http://example.com/", exampleRequest, answerOf(200, "ETag: \"1\"\r\n", "x"))
		const times = 1005
		for range times {
			synctest.Wait()
			time.Sleep(time.Second)
			c.commit(
				"http://example.com/",
				"GET / HTTP/1.1\r\nIf-None-Match: \"1\"\r\n\r\n",
				answerOf(304, "", ""),
			)
		}
		c.close()
		if n := checkRevisits(t, readBack(t, c.dir)); n != times {
			t.Errorf("%d revisits of %d", n, times)
		}
	})
}

// TestOriginalAhead: what was recorded with a clock that was ahead is stored again, and from then
// on that is referred to.
func TestOriginalAhead(t *testing.T) {
	for _, test := range []struct {
		ahead time.Duration
		want  int // revisits
	}{{store.MaxAhead, 2}, {time.Hour, 1}} {
		synctest.Test(t, func(t *testing.T) {
			c := open(t, t.TempDir(), Config{})
			for _, ahead := range []time.Duration{test.ahead, 0, 0} {
				x := c.begin("http://example.com/", exampleRequest, answerOf(200, "", body2K))
				x.Started = x.Started.Add(ahead)
				x.Commit()
				synctest.Wait()
			}
			c.close()
			if n := checkRevisits(t, readBack(t, c.dir)); n != test.want {
				t.Errorf("%v ahead: %d revisits", test.ahead, n)
			}
			checkRebuild(t, c.dir, Config{})
		})
	}
}

// TestStyles records with each option, and reads all back.
func TestStyles(t *testing.T) {
	chunked := answerOf(200, inChunks, chunkedBy(100, body2K))
	sums := func(d record.Digester, s string) string { sum := d.Of([]byte(s)); return sum.String() }
	sha1Of, sha256Of := record.Digester{}, record.Digester{Algorithm: record.SHA256}
	for _, c := range []struct {
		name    string
		cfg     Config
		payload string // digest of chunked
		version string
		date    string
		info    []string // lines of the warcinfo record
	}{
		{"default", Config{}, sums(sha1Of, chunkedBy(100, body2K)), "WARC/1.1",
			"2000-01-01T00:00:01.500000Z",
			[]string{"format: WARC File Format 1.1", "isPartOf: COLLECTION",
				"payloadDigest: sha1 of what follows the HTTP header as it is stored, chunk framing included (wire)"}},
		{"sha256", Config{Digest: "sha256"}, sums(sha256Of, chunkedBy(100, body2K)), "WARC/1.1",
			"2000-01-01T00:00:01.500000Z",
			[]string{"payloadDigest: sha256 of what follows the HTTP header as it is stored, chunk framing included (wire)"}},
		{"entity", Config{PayloadDigest: "entity"}, sums(sha1Of, body2K), "WARC/1.1",
			"2000-01-01T00:00:01.500000Z",
			[]string{"payloadDigest: sha1 of what follows the HTTP header, without the transfer coding (entity)"}},
		{"1.0", Config{WARCVersion: "1.0"}, sums(sha1Of, chunkedBy(100, body2K)), "WARC/1.0",
			"2000-01-01T00:00:01Z",
			[]string{"format: WARC File Format 1.0",
				"conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.0/"}},
		{"no sl", Config{NoSL: true}, sums(sha1Of, chunkedBy(100, body2K)), "WARC/1.1", "2000-01-01T00:00:01.500000Z", nil},
		{"warcinfo", Config{WARCInfo: record.WARCInfo{
			Operator: "The Operator <o@example.org>", IsPartOf: "a whole", Description: "düsseldorf",
			Robots: "obey",
		}}, sums(sha1Of, chunkedBy(100, body2K)), "WARC/1.1", "2000-01-01T00:00:01.500000Z",
			[]string{"operator: The Operator <o@example.org>", "isPartOf: a whole", "description: düsseldorf", "robots: obey"}},
		{"name", Config{WARCName: "{serial}.{timestamp}"}, sums(sha1Of, chunkedBy(100, body2K)),
			"WARC/1.1", "2000-01-01T00:00:01.500000Z", nil},
		{"all", Config{Digest: "sha256", PayloadDigest: "entity", WARCVersion: "1.0", NoSL: true},
			sums(sha256Of, body2K), "WARC/1.0", "2000-01-01T00:00:01Z", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(1500 * time.Millisecond)
				r := open(t, t.TempDir(), c.cfg)
				rec := func(url, request, response string, change func(*Exchange)) {
					x := r.begin(url, request, response)
					change(x)
					x.Commit()
					synctest.Wait()
				}
				plain := func(*Exchange) {}
				rec("http://example.com/chunked", exampleRequest, chunked, plain)
				rec(
					"http://example.com/again",
					exampleRequest,
					answerOf(200, "ETag: \"1\"\r\n"+inChunks, chunkedBy(64, body2K)),
					plain,
				)
				rec(
					"http://example.com/again",
					"GET / HTTP/1.1\r\nIf-None-Match: \"1\"\r\n\r\n",
					answerOf(304, "", ""),
					plain,
				)
				rec(
					"http://example.com/post",
					postOf("POST", inChunks, chunkedBy(10, body2K)),
					answerOf(200, "", body2K),
					plain,
				)
				rec(
					"http://example.com/unverified",
					exampleRequest,
					answerOf(200, "", "x"),
					func(x *Exchange) { x.Unverified = "expired" },
				)
				rec(
					"http://example.com/large",
					exampleRequest,
					answerOf(200, inChunks, chunkedBy(1<<20, randomText(2<<20))),
					plain,
				)
				r.close()
				records := readBack(t, r.dir)
				checkIndex(t, r.dir, records)
				if n := checkRevisits(t, records); n != 2 {
					t.Errorf("%d revisits", n)
				}
				checkRebuild(t, r.dir, c.cfg)
				for _, rec := range records {
					if faults := rec.faults; faults != "" &&
						!(c.cfg.PayloadDigest == "entity" && strings.Contains(faults, "payload")) {
						t.Errorf("%s: %s", rec.get("WARC-Target-URI"), faults)
					}
					if got := rec.get("WARC-Date"); got != c.date {
						t.Errorf("dated %s", got)
					}
					if rec.get("WARC-Target-URI") == "http://example.com/chunked" &&
						rec.get("WARC-Type") == "response" && rec.get("WARC-Payload-Digest") != c.payload {
						t.Errorf("payload digest %s, want %s", rec.get("WARC-Payload-Digest"), c.payload)
					}
					if rec.get("WARC-Type") == "warcinfo" {
						for _, line := range c.info {
							if line = strings.ReplaceAll(line, "COLLECTION", filepath.Base(r.dir)); !strings.Contains(
								rec.block,
								line+"\r\n",
							) {
								t.Errorf("no %q in %q", line, rec.block)
							}
						}
					}
				}
				checkStrict(t, r.dir, c.version, !c.cfg.NoSL)
			})
		})
	}
}

// checkStrict reads the records with our own reader, which knows to the byte what our files are.
func checkStrict(t *testing.T, dir, version string, sl bool) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "archive", "*"))
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if skips := bytes.Contains(content, []byte("\x0c\x00sl\x08\x00")); skips != sl {
			t.Errorf("skip lengths: %v", skips)
		}
		for offset := range recordLengths(t, name) {
			if got := versionAt(t, name, offset); got != version {
				t.Errorf("a record of %s", got)
			}
		}
	}
}

// TestMaxAge: a file that is written to all the time is finished when it is old.
func TestMaxAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{WARCMaxAge: time.Hour, WARCIdle: 24 * time.Hour})
		for i := range 19 {
			c.get(fmt.Sprint("http://example.com/", i))
			time.Sleep(7 * time.Minute) // never just when a file is an hour old
		}
		synctest.Wait()
		files, err := c.Index().Files()
		if err != nil || len(files) != 3 || !files[0].Sealed || !files[1].Sealed || files[2].Sealed {
			t.Errorf("%+v, %v", files, err)
		}
		c.close()
		checkIndex(t, c.dir, readBack(t, c.dir))
	})
}

// versionAt is the version of the record there.
func versionAt(t *testing.T, path string, offset int64) string {
	t.Helper()
	r, err := warc.Open(path, offset)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rec, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	return rec.Version
}

// TestPendingOriginal: what is not on disk yet is referred to only in the file that it will be in,
// before.
func TestPendingOriginal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		index, err := store.Open(filepath.Join(t.TempDir(), collection.IndexName), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer index.Close()
		cfg, wake := &Config{WARCMaxSize: 1e9}, newWake()
		o := newOriginals("", index, newPresence("", index))
		l, q := newLanes(cfg, names{index: index}, wake), newBatches(cfg, o, wake)
		c := &committer{lanes: l, batches: q}
		key := store.OriginalKey{1}
		refers := func(out *output, claims bool) bool {
			to, err := o.find(key, out, claims, func(time.Time) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			return to != nil
		}
		s1, s2 := l.plan(small, 10), &output{lanes: l, name: "other"}
		if refers(s1, true) {
			t.Fatal("there is nothing to refer to")
		}
		waited := make(chan bool, 2)
		for range 2 {
			go func() { waited <- refers(s1, true) }()
		}
		synctest.Wait()
		if len(waited) > 0 {
			t.Error("others do not wait for the one that will be stored")
		}
		p := &pendingOriginal{keyed: true, output: s1, Original: store.Original{Key: key}}
		q.add(s1, 10, []byte("records"), done{original: p})
		if first, second := <-waited, <-waited; !first || !second {
			t.Error("those that have waited do not refer to it")
		}
		check := func(name string, in1, in2, none bool) {
			t.Helper()
			if refers(s1, false) != in1 || refers(s2, false) != in2 || refers(nil, false) != none {
				t.Errorf("%s: %v, %v, %v", name, refers(s1, false), refers(s2, false), refers(nil, false))
			}
		}
		check("in memory", true, false, false)
		b := s1.batch
		l.current[small] = s2
		c.move(b)
		check("moved to the next file", false, true, false)
		q.recycle(b)
		check("gone", false, false, false)
		q.addWritten(l.plan(large, 10), 100, done{original: p})
		check("on disk", true, true, true)
	})
}

// TestRecoverStyles: recovery finds the whole exchanges of a damaged file, however they are
// written, and what they refer to.
func TestRecoverStyles(t *testing.T) {
	for name, cfg := range map[string]Config{
		"default": {}, "no sl": {NoSL: true},
		"1.0":        {WARCVersion: "1.0", Digest: "sha256", PayloadDigest: "entity"},
		"1.0, no sl": {WARCVersion: "1.0", NoSL: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := open(t, t.TempDir(), cfg)
				for i := range 5 {
					c.commit(
						fmt.Sprint("http://example.com/", i),
						exampleRequest,
						answerOf(200, "", strings.Repeat(fmt.Sprint(i%3), 2000)),
					)
					synctest.Wait()
				}
				c.close()
				want := captures(t, c.dir)
				path := filepath.Join(c.dir, "archive", want[0].File)
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				content[want[2].Offset+want[2].Length/2] ^= 0x10
				if err := errors.Join(os.Remove(path), os.Remove(filepath.Join(c.dir, collection.IndexName))); err != nil {
					t.Fatal(err)
				}
				write(t, path+".open", content[:len(content)-10])
				c = open(t, c.dir, cfg)
				urls := c.urls()
				c.commit(
					"http://example.com/again",
					exampleRequest,
					answerOf(200, "", strings.Repeat("1", 2000)),
				)
				c.close()
				if !slices.Equal(
					urls,
					[]string{"http://example.com/0", "http://example.com/1", "http://example.com/3"},
				) {
					t.Errorf("recovered: %q", urls)
				}
				removeTorn(t, c.dir)
				records := readBack(t, c.dir)
				checkIndex(t, c.dir, records)
				if n := checkRevisits(t, records); n != 2 {
					t.Errorf("%d revisits", n)
				}
			})
		})
	}
}
