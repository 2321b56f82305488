package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/recorder/recovery/foreign"
)

// TestNotModified: a 304 refers to the version that the client has, if the collection has it.
func TestNotModified(t *testing.T) {
	t.Parallel()
	const url = "http://example.com/page"
	asks := func(fields string) string {
		return "GET /page HTTP/1.1\r\nHost: example.com\r\n" + fields + "\r\n"
	}
	const monday, tuesday = "Mon, 14 Nov 1994 08:12:31 GMT", "Tue, 15 Nov 1994 08:12:31 GMT"
	const between = "Mon, 14 Nov 1994 20:12:31 GMT"
	v1 := answerOf(200, "ETag: \"1\"\r\nLast-Modified: "+monday+"\r\n", "one")
	v2 := answerOf(200, "ETag: W/\"2\"\r\nLast-Modified: "+tuesday+"\r\n", "two")
	unchanged := answerOf(304, "", "")
	for _, c := range []struct {
		name    string
		dedup   string
		stored  []string // of that URL
		request string
		answer  string
		// which one it refers to; -1 if it is stored as a response. Of those that wait for the index the
		// last alone is known
		want int
	}{
		{"by tag", "", []string{v1}, asks("If-None-Match: \"1\"\r\n"), unchanged, 0},
		{"by tag, of two", "", []string{v1, v2}, asks("if-none-match: \"2\"\r\n"),
			answerOf(304, "ETag: \"2\"\r\n", ""), 1},
		{"by one of more tags", "", []string{v1}, asks("If-None-Match: \"0\", W/\"1\"\r\n"),
			unchanged, 0},
		{"by any tag", "", []string{v1}, asks("If-None-Match: *\r\n"),
			answerOf(304, "ETag: \"1\"\r\n", ""), 0},
		{"by any tag, and the answer has none",
			"", []string{v1}, asks("If-None-Match: *\r\n"), unchanged, -1},
		{"by date, and it varies", "",
			[]string{answerOf(200, "Vary: Accept-Encoding\r\nVary: Cookie\r\n"+
				"Last-Modified: "+monday+"\r\n", "x")},
			asks("If-Modified-Since: " + monday + "\r\n"), unchanged, -1},
		{"by date, and its coding varies", "",
			[]string{answerOf(200, "Vary: accept-encoding\r\nLast-Modified: "+monday+"\r\n", "x")},
			asks("If-Modified-Since: " + monday + "\r\n"), unchanged, 0},
		{"by tag, and it varies", "", []string{answerOf(200, "Vary: Cookie\r\nETag: \"1\"\r\n", "x")},
			asks("If-None-Match: \"1\"\r\n"), unchanged, 0},
		{"by date, and the page has none", "", []string{answerOf(200, "ETag: \"1\"\r\n", "x")},
			asks("If-Modified-Since: " + monday + "\r\n"), unchanged, -1},
		{"of a page that has changed", "", []string{v1, answerOf(200, "", "x")},
			asks("If-None-Match: \"1\"\r\n"), unchanged, 0},
		{"by the tag of an older one", "", []string{v1, v2}, asks("If-None-Match: \"1\"\r\n"),
			unchanged, 0},
		{"by the date of an older one", "", []string{v1, v2}, asks("If-Modified-Since: " + monday + "\r\n"),
			unchanged, 0},
		{"by a date between two", "", []string{v1, v2}, asks("If-Modified-Since: " + between + "\r\n"),
			unchanged, -1},
		{"by another tag in the answer", "", []string{v1}, asks("If-None-Match: *\r\n"),
			answerOf(304, "ETag: \"2\"\r\n", ""), -1},
		{"by date", "", []string{v1}, asks("If-Modified-Since: " + monday + "\r\n"), unchanged, 0},
		{"by a later date", "", []string{v1}, asks("If-Modified-Since: " + tuesday + "\r\n"),
			unchanged, 0},
		{"by an earlier date", "", []string{v2}, asks("If-Modified-Since: " + monday + "\r\n"),
			unchanged, -1},
		{"by a date that is none", "", []string{v2}, asks("If-Modified-Since: yesterday\r\n"),
			unchanged, -1},
		{"without validators in the collection",
			"", []string{answerOf(200, "", "x")}, asks("If-None-Match: \"1\"\r\n"), unchanged, -1},
		{"tags without quotes", "", []string{answerOf(200, "ETag: 1\r\n", "x")},
			asks("If-None-Match: 0, 1\r\n"), unchanged, 0},
		{"other tags without quotes", "", []string{answerOf(200, "ETag: 1\r\n", "x")},
			asks("If-None-Match: 11\r\n"), unchanged, -1},
		{"nothing asked", "", []string{v1}, asks(""), unchanged, -1},
		{"nothing stored", "", nil, asks("If-None-Match: \"1\"\r\n"), unchanged, -1},
		{"only an error stored", "", []string{answerOf(404, "ETag: \"1\"\r\n", "x")},
			asks("If-None-Match: \"1\"\r\n"), unchanged, -1},
		{"with a body", "", []string{v1}, asks("If-None-Match: \"1\"\r\n"), answerOf(304, "", "x"), -1},
		{"without its empty line", "", []string{v1}, asks("If-None-Match: \"1\"\r\n"),
			"HTTP/1.1 304 X\r\n", -1},
		{"HEAD", "", []string{v1}, "HEAD / HTTP/1.1\r\nIf-None-Match: \"1\"\r\n\r\n", unchanged, -1},
		{"off", record.DedupOff, []string{v1}, asks("If-None-Match: \"1\"\r\n"), unchanged, -1},
		{"by URL", record.DedupURL, []string{v1}, asks("If-None-Match: \"1\"\r\n"), unchanged, 0},
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
					older := wait == 0 && c.want+1 < len(c.stored)
					if got := checkRevisits(t, records); got != 2*min(c.want+1, 1) && !older {
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
				{"http://example.com/b", "GET / HTTP/1.1\r\nIf-None-Match: \"b\"\r\n\r\n",
					answerOf(304, "", "")},
				{"http://example.com/b", "GET / HTTP/1.1\r\nIf-None-Match: \"c\"\r\n\r\n",
					answerOf(304, "", "")},
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
	t.Parallel()
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
		{"a digest in hexadecimal digits",
			[]string{page(url, date, "sha-256:"+strings.Repeat("0", 64), "")}, url},
		{"revisit", []string{page(other, date, sum, ""), revisit("200", other, date)}, other},
		{"revisit in angle brackets",
			[]string{page(other, date, sum, ""), revisit("200", "<"+other+">", date)}, other},
		{"revisit of what is not there",
			[]string{page(other, date, sum, ""), revisit("200", other+"c", date)}, ""},
		{"revisit of another time",
			[]string{page(other, date, sum, ""), revisit("200", other, "2026-11-21T09:52:18Z")}, ""},
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
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{})
		c.commit("http://example.com/", exampleRequest, answerOf(200, "ETag: \"1\"\r\n", "x"))
		const times = 1005
		for range times {
			synctest.Wait()
			time.Sleep(time.Second)
			c.commit("http://example.com/", "GET / HTTP/1.1\r\nIf-None-Match: \"1\"\r\n\r\n",
				answerOf(304, "", ""))
		}
		c.close()
		if n := checkRevisits(t, readBack(t, c.dir)); n != times {
			t.Errorf("%d revisits of %d", n, times)
		}
	})
}

// TestNotModifiedElsewhere: a page that the collection has under another URL with the same key is
// what a 304 refers to, if a tag names it; pages may have been put in two places at one time.
func TestNotModifiedElsewhere(t *testing.T) {
	t.Parallel()
	const there, here = "http://www.example.com/Page", "https://example.com/page"
	const date = "Mon, 14 Nov 1994 08:12:31 GMT"
	for fields, want := range map[string]int{
		"If-None-Match: \"1\"\r\n": 1, "If-Modified-Since: " + date + "\r\n": 0,
	} {
		synctest.Test(t, func(t *testing.T) {
			r := open(t, t.TempDir(), Config{})
			r.commit(there, exampleRequest,
				answerOf(200, "ETag: \"1\"\r\nLast-Modified: "+date+"\r\n", "x"))
			synctest.Wait()
			time.Sleep(time.Minute)
			r.commit(here, "GET /page HTTP/1.1\r\n"+fields+"\r\n", answerOf(304, "", ""))
			r.close()
			records := readBack(t, r.dir)
			checkIndex(t, r.dir, records)
			if n := checkRevisits(t, records); n != want {
				t.Errorf("%s: %d revisits, want %d", fields, n, want)
			}
			checkRebuild(t, r.dir, Config{})
		})
	}
}
