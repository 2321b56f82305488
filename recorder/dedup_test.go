package recorder

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
)

// TestWhatIsRevisited commits a first exchange and then another, and says whether that becomes a
// revisit: when the first is in the index, and when it still waits.
func TestWhatIsRevisited(t *testing.T) {
	t.Parallel()
	const url = "http://example.com/a"
	type exchange struct {
		url, request, response string
		change                 func(*Exchange)
	}
	get := func(url, response string) exchange {
		return exchange{url, exampleRequest, response, func(*Exchange) {}}
	}
	page := func(fields, body string) exchange { return get(url, answerOf(200, fields, body)) }
	status := func(code int) exchange { return get(url, answerOf(code, "", body2K)) }
	chunks := func(body string) exchange { return page(inChunks, body) }
	plain := page("X: 1\r\n", body2K)
	but := func(change func(*Exchange)) exchange {
		return exchange{url, exampleRequest, plain.response, change}
	}
	cut := but(func(x *Exchange) { x.Truncated = "length" })
	posted := exchange{url, postOf("POST", "", "a"), plain.response,
		func(x *Exchange) { x.Method = "POST" }}
	later := func(d time.Duration) exchange {
		return but(func(x *Exchange) { x.Started = x.Started.Add(d) })
	}
	longURL := get(url+strings.Repeat("x", record.MaxOriginalURL), plain.response)
	coded := func(encoding string) exchange {
		return get(url+"2", answerOf(200, "Content-Encoding: "+encoding+"\r\n", body2K))
	}
	const tag, twice = "ETag: \"a\"\r\n", "Content-Range: bytes 0-2047/4096\r\nETag: \"a\"\r\n"
	part := func(of, fields, body string) exchange {
		return get(url, answerOf(206, "Content-Range: bytes "+of+"\r\n"+fields, body))
	}
	tagged := part("0-2047/4096", tag, body2K)
	dated := part("0-2047/4096", "Last-Modified: Fri, 01 Jan 2026 00:00:00 GMT\r\n", body2K)
	big := randomText(3 << 20)
	every, byURL := record.DedupConfig{}, record.DedupConfig{Dedup: record.DedupURL}
	from1K := record.DedupConfig{MinSize: 1024}
	for100Hours := record.DedupConfig{DedupFor: 100 * time.Hour}
	for _, c := range []struct {
		name          string
		cfg           record.DedupConfig
		first, second exchange
		want          bool
	}{
		{"another URL", every, plain, get(url+"2", answerOf(200, "Y: 2\r\n", body2K)), true},
		{"the same URL", every, plain, plain, true},
		{"another body", every, plain, page("", body2K+"x"), false},
		{"off", record.DedupConfig{Dedup: record.DedupOff}, plain, plain, false},
		{"by URL, the same", byURL, plain, plain, true},
		{"by URL, the same SURT", byURL, plain,
			get("https://www.example.com/a#x", answerOf(200, "", body2K)), true},
		{"by URL, another", byURL, plain, get(url+"2", plain.response), false},
		{"below the least size", from1K, page("", body2K[:1023]), page("", body2K[:1023]), false},
		{"of the least size", from1K, page("", body2K[:1024]), page("", body2K[:1024]), true},
		{"one byte, of any size", every, page("", "x"), page("", "x"), true},
		{"empty", every, page("", ""), page("", ""), false},
		{"empty chunks", every, chunks("0\r\n\r\n"), chunks("0\r\n\r\n"), false},
		{"203", every, status(203), status(203), true},
		{"203 of 200", every, plain, status(203), false},
		{"206 that says nothing", every, status(206), status(206), false},
		{"a part", every, tagged, tagged, true},
		{"a part by its date", every, dated, dated, true},
		{"a part, by URL", byURL, tagged, tagged, true},
		{"a part of the same SURT", every, tagged,
			get("https://www.example.com/a#x", tagged.response), true},
		{"a part of another URL", every, tagged, get(url+"2", tagged.response), false},
		{"a part with a weak tag", every, tagged,
			part("0-2047/4096", "ETag: W/\"a\"\r\n", body2K), true},
		{"a part spelled otherwise", every, tagged,
			part(" 00-02047/04096", "etag:\"a\"\r\n", body2K), true},
		{"a part of another version", every, tagged,
			part("0-2047/4096", "ETag: \"b\"\r\n", body2K), false},
		{"a part elsewhere", every, tagged, part("1-2048/4096", tag, body2K), false},
		{"a part of another length", every, tagged, part("0-2047/4097", tag, body2K), false},
		{"a part of unknown length", every, part("0-2047/*", tag, body2K),
			part("0-2047/*", tag, body2K), true},
		{"a part of known, of unknown length", every, part("0-2047/*", tag, body2K), tagged, false},
		{"a part with another body", every, tagged, part("0-2047/4096", tag, body2K[1:]+"x"), false},
		{"a part of nothing", every, part("0-2047/4096", "", body2K),
			part("0-2047/4096", "", body2K), false},
		{"a part that is shorter than it says", every, part("0-2048/4096", tag, body2K),
			part("0-2048/4096", tag, body2K), false},
		{"a part beyond the end", every, part("0-2047/2047", tag, body2K),
			part("0-2047/2047", tag, body2K), false},
		{"a part in another unit", every, part("0-2047/4096", tag, body2K),
			get(url, answerOf(206, "Content-Range: lines 0-2047/4096\r\n"+tag, body2K)), false},
		{"a part with two ranges", every, part("0-2047/4096", twice, body2K),
			part("0-2047/4096", twice, body2K), false},
		{"a part of a 200", every, page(tag, body2K), part("0-2047/2048", tag, body2K), false},
		{"a 200 of a part", every, part("0-2047/2048", tag, body2K), page(tag, body2K), false},
		{"a part that was cut", every, tagged, exchange{url, exampleRequest, tagged.response,
			func(x *Exchange) { x.Truncated = "disconnect" }}, false},
		{"a large part", every, part("0-3145727/*", tag, big), part("0-3145727/*", tag, big), true},
		{"302", every, get(url, answerOf(302, "Location: /x\r\n", body2K)),
			get(url, answerOf(302, "Location: /x\r\n", body2K)), false},
		{"404", every, status(404), status(404), false},
		{"500", every, status(500), status(500), false},
		{"no status", every, get(url, "HTTP/1.1 x\r\n\r\n"+body2K),
			get(url, "HTTP/1.1 x\r\n\r\n"+body2K), false},
		{"POST", every, plain, posted, false},
		{"of a POST", every, posted, plain, false},
		{"truncated", every, plain, cut, false},
		{"of a truncated one", every, cut, plain, false},
		{"with a fault that cut nothing", every, plain, but(func(x *Exchange) { x.Fault = "f" }), true},
		{"unverified", every, plain, but(func(x *Exchange) { x.Unverified = "expired" }), true},
		{"its Content-Length", every, plain, page("Content-Length: 2048\r\n", body2K), true},
		{"another Content-Length", every, plain, page("Content-Length: 2049\r\n", body2K), false},
		{"chunked, of plain", every, plain, chunks(chunkedBy(100, body2K)), false},
		{"chunked otherwise", every, chunks(chunkedBy(100, body2K)),
			page("transfer-encoding:  CHUNKED\r\n", chunkedBy(77, body2K)), true},
		{"chunks without an end", every, chunks(chunkedBy(100, body2K)),
			chunks(strings.TrimSuffix(chunkedBy(100, body2K), "\r\n")), false},
		{"chunks that are none", every, chunks(body2K), chunks(body2K), false},
		{"a trailer", every, chunks(chunkedBy(100, body2K)),
			chunks(strings.TrimSuffix(chunkedBy(100, body2K), "\r\n") + "X: y\r\n\r\n"), false},
		{"a coding that is not known", every, page("Transfer-Encoding: x\r\n", body2K),
			page("Transfer-Encoding: x\r\n", body2K), false},
		{"gzip, of plain", every, plain, coded("gzip"), false},
		{"gzip of br", every, coded("br"), coded("gzip"), false},
		{"gzip, spelled otherwise", every, coded("gzip"), coded("\r\n GZIP,"), true},
		{"two codings, of one", every, coded("gzip"), coded("gzip\r\nContent-Encoding: br"), false},
		{"two codings, in one field", every, coded("gzip, br"), coded("gzip\r\nContent-Encoding: br"),
			true},
		{"identity", every, plain, coded("Identity"), true},
		{"a long URL", every, plain, longURL, false},
		{"of a long URL", every, longURL, plain, false},
		{"a large one", every, page("", big), get(url+"2", answerOf(200, "", big)), true},
		{"a large one in chunks", every, chunks(chunkedBy(1<<20, big)), chunks(chunkedBy(10_000, big)),
			true},
		{"a large one, cut", every, chunks(chunkedBy(1<<20, big)), chunks(chunkedBy(1<<20, big)[:3<<20]),
			false},
		{"within the time", for100Hours, plain, later(99 * time.Hour), true},
		{"after the time", for100Hours, plain, later(100 * time.Hour), false},
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

// TestStoredAgain: what is stored again after the time is what is referred to from then on.
func TestStoredAgain(t *testing.T) {
	t.Parallel()
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

// TestSameAtOnce commits a few bodies from 64 goroutines, and each once more when they are in the
// index. Of each body one copy is stored; in files that are soon full as many as come before one is
// on disk, which may be all, and none of those that come after that.
func TestSameAtOnce(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{1e9, 20_000} {
		c := open(t, t.TempDir(), Config{WARCMaxSize: size})
		commitAll := func(i int) {
			for n := range 20 {
				c.commit(fmt.Sprintf("http://example.com/%d/%d", i, n), exampleRequest,
					answerOf(200, fmt.Sprintf("X: %d\r\n", i), strings.Repeat(fmt.Sprint(n, " "), 2000)))
			}
		}
		var wait sync.WaitGroup
		for i := range 64 {
			wait.Go(func() { commitAll(i) })
		}
		wait.Wait()
		if err := c.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		commitAll(64)
		c.close()
		records := readBack(t, c.dir)
		checkIndex(t, c.dir, records)
		revisits := checkRevisits(t, records)
		if responses := 65*20 - revisits; size == 1e9 && responses != 20 || revisits < 20 {
			t.Errorf("%d copies of 20 bodies are stored in files of %d bytes", responses, size)
		}
	}
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
