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

// TestSameAtOnce commits a few bodies from 64 goroutines, in files that are soon full. Of each body
// few copies are stored, and all can be had from the originals.
func TestSameAtOnce(t *testing.T) {
	t.Parallel()
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
