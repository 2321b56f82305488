package replay

import (
	"fmt"
	"strings"
	"testing"
)

// twenty is the entity that is asked for in ranges.
const twenty = "0123456789abcdefghij"

const validators = "ETag: \"v\"\r\nLast-Modified: Tue, 03 Mar 2026 05:00:00 GMT\r\n"

// whole200 is a response with twenty, and some fields more.
func whole200(fields string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nSet-Cookie: a=b\r\n" + validators + fields +
		"\r\n"
}

// part206 is a response with a part of twenty.
func part206(first, last int, fields string) string {
	return fmt.Sprintf("HTTP/1.1 206 Partial Content\r\nContent-Type: text/plain\r\n%sContent-Range: "+
		"bytes %d-%d/20\r\nContent-Length: %d\r\n%s\r\n%s", validators, first, last, last-first+1, fields,
		twenty[first:last+1])
}

const (
	sized   = "Content-Length: 20\r\n"
	chunked = "Transfer-Encoding: chunked\r\n"
	chunks  = "7;x=y\r\n0123456\r\nA\r\n789abcdefg\r\n03\r\nhij\r\n0\r\nTrailer: x\r\n\r\n"
	cutSign = "WARC-Truncated: disconnect\r\n"
	refers  = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n" +
		"WARC-Refers-To-Target-URI: http://example.com/original\r\n" +
		"WARC-Refers-To-Date: 2026-03-04T05:00:00Z\r\n"
)

// upper is a response with its body in capitals.
func upper(block string) string {
	h, body, _ := strings.Cut(block, "\r\n\r\n")
	return h + "\r\n\r\n" + strings.ToUpper(body)
}

// original is the record to which revisits of the tests refer.
func original(block, fields string) stocked {
	return stocked{url: "http://example.com/original", block: block, fields: fields}
}

func revisit(block string) stocked {
	return stocked{kind: "revisit", fields: refers, block: block, at: 1}
}

// wholes are the ways in which all of twenty may be stored.
var wholes = map[string][]stocked{
	"sized":       {{block: whole200(sized) + twenty}},
	"chunked":     {{block: whole200(chunked) + chunks}},
	"until close": {{block: whole200("") + twenty}},
	"HTTP/1.0":    {{block: strings.Replace(whole200(""), "1.1", "1.0", 1) + twenty}},
	"coded":       {{block: whole200("Content-Encoding: gzip\r\n"+sized) + twenty}},
	"LF alone":    {{block: strings.ReplaceAll(whole200(sized), "\r\n", "\n") + twenty}},
	"a 206 of all": {
		{block: part206(0, 19, "")}},
	"parts": {
		{block: part206(0, 7, ""), at: 3}, {block: part206(12, 19, ""), at: 1},
		{block: part206(6, 13, ""), at: 2}},
	"chunked parts": {
		{block: strings.Replace(part206(0, 19, chunked), twenty, chunks, 1), at: 1},
		{block: strings.Replace(part206(8, 19, ""), "Content-Length: 12\r\n", "", 1)}},
	"a part and a beginning": {
		{block: part206(8, 19, "")}, {block: whole200(sized) + twenty[:9], fields: cutSign, at: 1}},
	"a part and chunks that are cut": {
		{block: part206(8, 19, "")}, {block: whole200(chunked) + chunks[:24], fields: cutSign, at: 1}},
	"a revisit": {
		original(whole200(sized)+twenty, ""), revisit(whole200(sized))},
	"a revisit of chunks": {
		original(whole200(chunked)+chunks, ""), revisit(whole200(sized))},
	"a chunked revisit": {
		original(whole200(sized)+twenty, ""), revisit(whole200(chunked))},
	"revisits of parts": {
		original(part206(0, 19, ""), ""), revisit(strings.TrimSuffix(part206(0, 19, ""), twenty))},
	"without its chunks":      {{block: whole200(chunked) + twenty}},
	"with a length of before": {{block: whole200("Content-Length: 9\r\n") + twenty}},
	"HTTP/2":                  {{block: strings.Replace(whole200(""), "HTTP/1.1", "HTTP/2", 1) + twenty}},
	"behind interim heads": {{block: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n" +
		"Link: </a>\r\n\r\n" + whole200(chunked) + chunks}},
	"both framings": {{block: whole200(sized+chunked) + twenty}},
}

// TestRangesOfWholes: whatever way all of an entity is stored in, each Range gets the same.
func TestRangesOfWholes(t *testing.T) {
	for name, records := range wholes {
		t.Run(name, func(t *testing.T) {
			s := stockOf(t, Config{}, records...)
			for _, c := range []struct{ fields, want string }{
				{"X: y", "200 " + twenty},
				{"Range: bytes=0-", "206 0-19/20 " + twenty},
				{"Range: bytes=5-9", "206 5-9/20 56789"},
				{"Range: bytes=5-12", "206 5-12/20 56789abc"},
				{"Range: bytes=15-", "206 15-19/20 fghij"},
				{"Range: bytes=-5", "206 15-19/20 fghij"},
				{"Range: bytes=-500", "206 0-19/20 " + twenty},
				{"Range: bytes=19-500", "206 19-19/20 j"},
				{"range:bytes = 0 - 99999999999999999999 ", "206 0-19/20 " + twenty},
				{"Range: bytes=0-1,10-11, -1", "206 0-1/20 01 10-11/20 ab 19-19/20 j"},
				{"Range: bytes=10-11,0-1", "206 10-11/20 ab 0-1/20 01"},
				{"Range: bytes=0-1,1-3,30-", "206 0-3/20 0123"},
				{"Range: bytes=20-", "416 */20"},
				{"Range: bytes=30-40,99-", "416 */20"},
				{"Range: bytes=-0", "416 */20"},
				{"Range: bytes=5-4", "200 " + twenty},
				{"Range: bytes=", "200 " + twenty},
				{"Range: lines=1-2", "200 " + twenty},
				{"Range: bytes=" + strings.Repeat("0-0,", 100), "200 " + twenty},
				{"Range: bytes=0-3|If-Range: \"v\"", "206 0-3/20 0123"},
				{"Range: bytes=0-3|If-Range: Tue, 03 Mar 2026 05:00:00 GMT", "206 0-3/20 0123"},
				{"Range: bytes=0-3|If-Range: \"other\"", "200 " + twenty},
				{"Range: bytes=0-3|If-Range: W/\"v\"", "200 " + twenty},
				{"Range: bytes=99-|If-Range: \"other\"", "200 " + twenty},
				{"If-Range: \"v\"", "200 " + twenty},
				{"If-None-Match: \"v\"", "304"},
				{"If-None-Match: \"v\"|Range: bytes=0-3", "304"},
				{"If-Match: \"other\"|Range: bytes=0-3", "412"},
				{"If-Modified-Since: Tue, 03 Mar 2026 05:00:00 GMT", "304"},
			} {
				g := s.get("GET", strings.Split(c.fields, "|")...)
				if g.String() != c.want {
					t.Errorf("%s: %s, want %s", c.fields, g, c.want)
				}
				if g.header.Get("ETag") != `"v"` {
					t.Errorf("%s: the validator is away: %v", c.fields, g.header)
				}
			}
			for _, fields := range []string{"X: y", "Range: bytes=0-3"} {
				if g := s.get("HEAD", fields); g.String() != "200" {
					t.Errorf("HEAD, %s: %s", fields, g)
				}
			}
		})
	}
}

// TestRangesOfParts: what is answered where not all is stored.
func TestRangesOfParts(t *testing.T) {
	const eof = "unexpected EOF"
	for name, c := range map[string]struct {
		records []stocked
		want    [][2]string
	}{
		"one part": {[]stocked{{block: part206(5, 9, "X: y\r\n")}}, [][2]string{
			{"X: y", "206 5-9/20 56789"},
			{"Range: bytes=5-9", "206 5-9/20 56789"},
			{"Range: bytes=6-7", "206 6-7/20 67"},
			{"Range: bytes=6-", "206 6-9/20 6789"},
			{"Range: bytes=-15", "206 5-9/20 56789"},
			{"Range: bytes=6-6,8-30", "206 6-6/20 6 8-9/20 89"},
			{"Range: bytes=0-0,8-30", "206 8-9/20 89"},
			{"Range: bytes=0-", "404"},
			{"Range: bytes=10-", "404"},
			{"Range: bytes=20-", "416 */20"},
		}},
		"parts with a hole": {[]stocked{{block: part206(0, 4, "")}, {block: part206(9, 12, ""), at: 1},
			{block: part206(5, 7, ""), at: 2}}, [][2]string{
			{"X: y", "206 5-7/20 567"},
			{"Range: bytes=0-", "206 0-7/20 01234567"},
			{"Range: bytes=3-6", "206 3-6/20 3456"},
			{"Range: bytes=8-9", "404"},
			{"Range: bytes=9-", "206 9-12/20 9abc"},
		}},
		"two versions": {[]stocked{
			{block: part206(0, 9, "")},
			{block: upper(strings.Replace(part206(8, 19, ""), `"v"`, `"w"`, 1)), at: 1},
		}, [][2]string{
			{"X: y", "206 8-19/20 89ABCDEFGHIJ"},
			{"Range: bytes=0-", "206 0-9/20 0123456789"},
			{"Range: bytes=9-10", "206 9-10/20 9A"},
			{"Range: bytes=7-10", "206 7-9/20 789"},
			{"Range: bytes=8-|If-Range: \"v\"", "206 8-9/20 89"},
			{"Range: bytes=0-|If-Range: \"w\"", "404"},
			{"Range: bytes=9-|If-Range: \"w\"", "206 9-19/20 9ABCDEFGHIJ"},
			{"Range: bytes=9-|If-Range: \"x\"", "206 8-19/20 89ABCDEFGHIJ"},
		}},
		"of no version": {[]stocked{
			{block: strings.Replace(part206(0, 9, ""), validators, "", 1)},
			{block: strings.Replace(part206(8, 19, ""), validators, "", 1), at: 1},
		}, [][2]string{
			{"Range: bytes=0-", "206 0-9/20 0123456789"},
			{"Range: bytes=10-", "206 10-19/20 abcdefghij"},
			{"Range: bytes=0-1,18-19", "206 18-19/20 ij"},
		}},
		"cut": {[]stocked{{block: whole200(sized) + twenty[:8], fields: cutSign}}, [][2]string{
			{"X: y", "200 01234567 " + eof},
			{"Range: bytes=0-", "206 0-7/20 01234567"},
			{"Range: bytes=2-4", "206 2-4/20 234"},
			{"Range: bytes=2-", "206 2-7/20 234567"},
			{"Range: bytes=-3", "404"},
			{"Range: bytes=8-", "404"},
			{"Range: bytes=20-", "416 */20"},
			{"If-None-Match: \"v\"", "304"},
		}},
		"cut by a limit of ours": {[]stocked{{block: whole200(sized) + twenty[:8],
			fields: "WARC-Truncated: length\r\n"}}, [][2]string{{"X: y", "200 01234567 " + eof}}},
		"cut in chunks": {[]stocked{{block: whole200(chunked) + chunks[:24],
			fields: cutSign}}, [][2]string{
			{"X: y", "200 0123456789ab " + eof},
			{"Range: bytes=0-", "206 0-11/* 0123456789ab"},
			{"Range: bytes=8-30", "206 8-11/* 89ab"},
			{"Range: bytes=-3", "404"},
			{"Range: bytes=12-", "404"},
		}},
		"cut until close": {[]stocked{{block: whole200("") + twenty[:8], fields: cutSign}}, [][2]string{
			{"X: y", "200 01234567 " + eof},
			{"Range: bytes=0-3", "206 0-3/* 0123"},
		}},
		"cut before its body": {[]stocked{{block: whole200(sized), fields: cutSign}}, [][2]string{
			{"X: y", "200 " + eof},
			{"Range: bytes=0-3", "200 " + eof},
		}},
		"a cut part": {[]stocked{{block: strings.TrimSuffix(part206(0, 19, ""), twenty[8:]),
			fields: cutSign}}, [][2]string{
			{"X: y", "206 0-19/20 01234567 " + eof},
			{"Range: bytes=0-", "206 0-7/20 01234567"},
			{"Range: bytes=4-6", "206 4-6/20 456"},
			{"Range: bytes=9-", "404"},
		}},
		"a part that has less than it says": {[]stocked{{block: strings.TrimSuffix(part206(0, 19, ""),
			twenty[8:])}}, [][2]string{
			{"Range: bytes=0-", "206 0-7/20 01234567"},
		}},
		"a part that has more than it says": {[]stocked{{block: part206(0, 7, "") + "..."}}, [][2]string{
			{"Range: bytes=0-", "206 0-7/20 01234567"},
		}},
		"a part of an unknown whole": {[]stocked{{block: strings.Replace(part206(5, 9, ""), "/20", "/*",
			1)}}, [][2]string{
			{"Range: bytes=5-9", "206 5-9/* 56789"},
			{"Range: bytes=6-", "206 6-9/* 6789"},
			{"Range: bytes=-3", "404"},
			{"Range: bytes=50-", "404"},
		}},
		"parts in two codings": {[]stocked{{block: part206(0, 9, "")},
			{block: part206(10, 19, "Content-Encoding: gzip\r\n"), at: 1}}, [][2]string{
			{"Range: bytes=8-12", "206 8-9/20 89"},
		}},
		"a revisit of a cut": {[]stocked{original(whole200(sized)+twenty[:8], cutSign),
			revisit(whole200(sized))}, [][2]string{
			{"X: y", "200 01234567 " + eof},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := stockOf(t, Config{}, c.records...)
			for _, one := range c.want {
				g := s.get("GET", strings.Split(one[0], "|")...)
				if g.status == 404 {
					g.body = ""
				}
				if g.String() != one[1] {
					t.Errorf("%s: %s, want %s", one[0], g, one[1])
				}
			}
		})
	}
}
