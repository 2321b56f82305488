package recorder

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
)

// foreignRecord makes a record of the lines of its header and of its block; "|" ends a line of an
// HTTP head.
func foreignRecord(header, block string) string {
	block = strings.ReplaceAll(block, "|", "\r\n")
	header = strings.ReplaceAll(strings.TrimSpace(header), "\n", "\r\n")
	return fmt.Sprintf("%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", header, len(block), block)
}

const foreignHTML = "HTTP/1.1 200 OK|Content-Type: text/html; charset=utf-8|Content-Length: 5||hello"

// foreignFiles are records as other tools write them, shortened.
var foreignFiles = map[string][]string{
	// The request comes first, and the response names it; angle brackets; a manifest and a log at the
	// end.
	"wget": {
		foreignRecord(
			"WARC/1.0\nWARC-Type: warcinfo\nContent-Type: application/warc-fields\nWARC-Date: "+
				"2026-11-21T09:52:17Z\nWARC-Record-ID: <urn:uuid:d45b3130>\nWARC-Filename: wget.warc.gz\n"+
				"WARC-Block-Digest: sha1:TXDUL4MCUS6CTQEVVERKJST4TQAR2DUU",
			"software: Wget/1.21.3 (linux-gnu)|format: WARC File Format 1.0|"),
		foreignRecord(
			"WARC/1.0\nWARC-Type: request\nWARC-Target-URI: <http://example.com/a>\nContent-Type: "+
				"application/http;msgtype=request\nWARC-Date: 2026-11-21T09:52:17Z\nWARC-Record-ID: "+
				"<urn:uuid:434e19fc>\nWARC-IP-Address: 127.0.0.1\nWARC-Warcinfo-ID: <urn:uuid:d45b3130>",
			"GET /a HTTP/1.1|Host: example.com||",
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: response\nWARC-Record-ID: <urn:uuid:83698485>\nWARC-Warcinfo-ID: "+
				"<urn:uuid:d45b3130>\nWARC-Concurrent-To: <urn:uuid:434e19fc>\nWARC-Target-URI: "+
				"<http://example.com/a>\nWARC-Date: 2026-11-21T09:52:17Z\nWARC-IP-Address: 127.0.0.1\n"+
				"WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\nContent-Type: "+
				"application/http;msgtype=response",
			foreignHTML,
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: request\nWARC-Target-URI: <http://example.com/post>\nContent-Type: "+
				"application/http;msgtype=request\nWARC-Date: 2026-11-21T09:52:18Z\nWARC-Record-ID: "+
				"<urn:uuid:c07ccd8f>",
			"POST /post HTTP/1.1|Host: example.com|Content-Type: "+
				"application/x-www-form-urlencoded|Content-Length: 7||a=1&b=2",
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: response\nWARC-Record-ID: <urn:uuid:2b7ea44f>\nWARC-Concurrent-To: "+
				"<urn:uuid:c07ccd8f>\nWARC-Target-URI: <http://example.com/post>\nWARC-Date: "+
				"2026-11-21T09:52:18Z\nWARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\n"+
				"Content-Type: application/http;msgtype=response",
			foreignHTML,
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: request\nWARC-Target-URI: <http://example.com/again>\nContent-Type: "+
				"application/http;msgtype=request\nWARC-Date: 2026-11-21T09:52:19Z\nWARC-Record-ID: "+
				"<urn:uuid:7e8d558f>",
			"GET /again HTTP/1.1|Host: example.com||",
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: revisit\nWARC-Record-ID: <urn:uuid:04cd3266>\nWARC-Concurrent-To: "+
				"<urn:uuid:7e8d558f>\nWARC-Refers-To: <urn:uuid:83698485>\nWARC-Profile: "+
				"http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\nWARC-Truncated: length\n"+
				"WARC-Target-URI: <http://example.com/again>\nWARC-Date: 2026-11-21T09:52:19Z\n"+
				"WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\nContent-Type: "+
				"application/http;msgtype=response",
			"HTTP/1.1 200 OK|Content-Type: text/html||",
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: metadata\nWARC-Record-ID: <urn:uuid:d9b20045>\nWARC-Target-URI: "+
				"<metadata://gnu.org/software/wget/warc/MANIFEST.txt>\nWARC-Date: 2026-11-21T09:52:19Z\n"+
				"WARC-Block-Digest: sha1:GYHWEO2UZUVTBERGDCY63MIMBLM3FBVD\nContent-Type: text/plain",
			"<urn:uuid:d45b3130>\n",
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: resource\nWARC-Record-ID: <urn:uuid:5cd8d9a0>\nWARC-Concurrent-To: "+
				"<urn:uuid:d9b20045>\nWARC-Target-URI: <metadata://gnu.org/software/wget/warc/wget.log>\n"+
				"WARC-Date: 2026-11-21T09:52:19Z\nContent-Type: text/plain",
			"Opening WARC file\n",
		),
	},
	// The response comes first; the request and metadata name it; the name lookup is a response.
	// Fields in another order, no fraction.
	"heritrix": {
		foreignRecord(
			"WARC/1.0\nWARC-Type: warcinfo\nWARC-Date: 2026-11-21T10:00:00Z\nWARC-Filename: "+
				"heritrix.warc.gz\nWARC-Record-ID: <urn:uuid:f569983a>\nContent-Type: application/warc-fields",
			"software: Heritrix/3.4.0 http://crawler.archive.org|isPartOf: basic|",
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: response\nWARC-Target-URI: dns:example.com\nWARC-Date: "+
				"2026-11-21T10:00:01Z\nWARC-IP-Address: 192.0.2.53\nWARC-Record-ID: <urn:uuid:dda1ef8d>\n"+
				"Content-Type: text/dns",
			"20261121100001\nexample.com.\t600\tIN\tA\t192.0.2.1\n"),
		foreignRecord(
			"WARC/1.0\nWARC-Type: response\nWARC-Target-URI: http://example.com/robots.txt\nWARC-Date: "+
				"2026-11-21T10:00:02Z\nWARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\n"+
				"WARC-IP-Address: 192.0.2.1\nWARC-Record-ID: <urn:uuid:2ed1b2a1>\nContent-Type: "+
				"application/http; msgtype=response",
			"HTTP/1.1 404 Not Found|Content-Type: text/plain||hello",
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: request\nWARC-Target-URI: http://example.com/robots.txt\nWARC-Date: "+
				"2026-11-21T10:00:02Z\nWARC-Concurrent-To: <urn:uuid:2ed1b2a1>\nWARC-Record-ID: "+
				"<urn:uuid:c6e4c9e6>\nContent-Type: application/http; msgtype=request",
			"GET /robots.txt HTTP/1.0|Host: example.com||",
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: metadata\nWARC-Target-URI: http://example.com/robots.txt\nWARC-Date: "+
				"2026-11-21T10:00:02Z\nWARC-Concurrent-To: <urn:uuid:2ed1b2a1>\nWARC-Record-ID: "+
				"<urn:uuid:b1b0d9c9>\nContent-Type: application/warc-fields",
			"fetchTimeMs: 12|",
		),
		// An older one: the request first, and the response names nothing; without a digest.
		foreignRecord(
			"WARC/0.18\nWARC-Type: request\nWARC-Target-URI: http://example.com/form\nWARC-Date: "+
				"2026-11-21T10:00:03Z\nWARC-Concurrent-To: <urn:uuid:9a1b>\nWARC-Record-ID: <urn:uuid:9a1c>\n"+
				"Content-Type: application/http; msgtype=request",
			"POST /form HTTP/1.0|Content-Type: application/x-www-form-urlencoded|Content-Length: 3||q=1",
		),
		foreignRecord(
			"WARC/0.18\nWARC-Type: response\nWARC-Target-URI: http://example.com/form\nWARC-Date: "+
				"2026-11-21T10:00:03Z\nWARC-Record-ID: <urn:uuid:9a1b>\nContent-Type: application/http; "+
				"msgtype=response",
			foreignHTML,
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: revisit\nWARC-Target-URI: http://example.com/304\nWARC-Date: "+
				"2026-11-21T10:00:04Z\nWARC-Profile: "+
				"http://netpreserve.org/warc/1.0/revisit/server-not-modified\nWARC-Etag: \"x\"\n"+
				"WARC-Record-ID: <urn:uuid:9a1d>\nContent-Type: application/http; msgtype=response",
			"HTTP/1.1 304 Not Modified|ETag: \"x\"||",
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: revisit\nWARC-Target-URI: http://example.com/nothing\nWARC-Date: "+
				"2026-11-21T10:00:04Z\nWARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\n"+
				"WARC-Record-ID: <urn:uuid:9a1e>",
			"",
		),
	},
	// The response comes first, and the request names it; WARC 1.1; a page's facts and text as
	// resources; sha256.
	"browsertrix": {
		foreignRecord(
			"WARC/1.1\nWARC-Filename: browsertrix.warc.gz\nWARC-Date: 2026-11-21T11:00:00.123Z\n"+
				"WARC-Type: warcinfo\nWARC-Record-ID: <urn:uuid:e1>\nContent-Type: application/warc-fields",
			"software: Browsertrix-Crawler 1.7.0|"),
		foreignRecord(
			"WARC/1.1\nWARC-Page-ID: 8d1d\nWARC-Resource-Type: fetch\nWARC-JSON-Metadata: "+
				"{\"ipType\":\"Public\"}\nWARC-Record-ID: <urn:uuid:e2>\nWARC-Target-URI: "+
				"https://example.com/api?q=1\nWARC-Date: 2026-11-21T11:00:01.456Z\nWARC-Type: response\n"+
				"Content-Type: application/http; msgtype=response\nWARC-Payload-Digest: "+
				"sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\n"+
				"WARC-Block-Digest: sha256:00",
			"HTTP/1.1 200 OK|content-type: application/json||hello",
		),
		foreignRecord(
			"WARC/1.1\nWARC-Concurrent-To: <urn:uuid:e2>\nWARC-Target-URI: https://example.com/api?q=1\n"+
				"WARC-Date: 2026-11-21T11:00:01.456Z\nWARC-Type: request\nWARC-Record-ID: <urn:uuid:e3>\n"+
				"Content-Type: application/http; msgtype=request",
			"POST /api?q=1 HTTP/1.1|content-type: application/json|content-length: "+
				"27||{\"a\":{\"b\":[1,\"x\"]},\"c\":null}",
		),
		foreignRecord(
			"WARC/1.1\nWARC-Record-ID: <urn:uuid:e4>\nWARC-Target-URI: urn:pageinfo:https://example.com/\n"+
				"WARC-Date: 2026-11-21T11:00:02.000Z\nWARC-Type: resource\nContent-Type: application/json\n"+
				"WARC-Payload-Digest: sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
			"{\"pageid\":\"8d1d\"}",
		),
		foreignRecord(
			"WARC/1.1\nWARC-Record-ID: <urn:uuid:e5>\nWARC-Target-URI: urn:text:https://example.com/\n"+
				"WARC-Date: 2026-11-21T11:00:02.000Z\nWARC-Type: resource\nContent-Type: text/plain; "+
				"charset=utf-8",
			"some text",
		),
	},
	// As warcio and pywb write them, with what no index shows: a conversion, a record of an unknown
	// type, fields, segments.
	"warcio": {
		foreignRecord(
			"WARC/1.0\nWARC-Type: response\nWARC-Record-ID: <urn:uuid:b1>\nWARC-Target-URI: "+
				"http://example.com/?b=1&a=2\nWARC-Date: 2026-11-21T12:00:00Z\nWARC-Payload-Digest: "+
				"sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\nContent-Type: application/http; msgtype=response",
			foreignHTML,
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: request\nWARC-Record-ID: <urn:uuid:b2>\nWARC-Target-URI: "+
				"http://example.com/?b=1&a=2\nWARC-Date: 2026-11-21T12:00:00Z\nWARC-Concurrent-To: "+
				"<urn:uuid:b1>\nContent-Type: application/http; msgtype=request",
			"PUT /?b=1&a=2 HTTP/1.1|Content-Type: application/x-www-form-urlencoded|Content-Length: 3||x=y",
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: conversion\nWARC-Record-ID: <urn:uuid:b3>\nWARC-Target-URI: "+
				"http://example.com/\nWARC-Date: 2026-11-21T12:00:01Z\nContent-Type: text/plain",
			"converted",
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: screenshot\nWARC-Record-ID: <urn:uuid:b4>\nWARC-Target-URI: "+
				"http://example.com/\nWARC-Date: 2026-11-21T12:00:01Z\nContent-Type: image/png",
			"png",
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: resource\nWARC-Record-ID: <urn:uuid:b5>\nWARC-Target-URI: urn:fields\n"+
				"WARC-Date: 2026-11-21T12:00:01Z\nContent-Type: application/warc-fields",
			"a: b|"),
		foreignRecord(
			"WARC/1.0\nWARC-Type: response\nWARC-Record-ID: <urn:uuid:b6>\nWARC-Target-URI: "+
				"http://example.com/long file\nWARC-Segment-Number: 1\nWARC-Date: 2026-11-21T12:00:02Z\n"+
				"WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\nContent-Type: "+
				"application/http; msgtype=response",
			foreignHTML[:len(foreignHTML)-2],
		),
		foreignRecord(
			"WARC/1.0\nWARC-Type: continuation\nWARC-Record-ID: <urn:uuid:b7>\nWARC-Target-URI: "+
				"http://example.com/long file\nWARC-Segment-Number: 2\nWARC-Segment-Origin-ID: "+
				"<urn:uuid:b6>\nWARC-Segment-Total-Length: 80\nWARC-Date: 2026-11-21T12:00:02Z",
			"lo",
		),
	},
}

// layoutsOf returns the records as files of each layout, by the end of their names.
func layoutsOf(t testing.TB, records []string) map[string][]byte {
	files := make(map[string][]byte)
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	for _, rec := range records {
		files[".warc"] = append(files[".warc"], rec...)
		files[".warc.gz"] = append(files[".warc.gz"], gzipOf(rec)...)
		files[".warc.zst"] = append(files[".warc.zst"], encoder.EncodeAll([]byte(rec), nil)...)
	}
	return files
}

func gzipOf(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.Bytes()
}

// linesOf scans a file and returns its lines, sorted, and its damage.
func linesOf(t *testing.T, name string, file []byte) (lines []string, damaged []Damaged) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, file)
	s, err := scanForeign(path, name, int64(len(file)), &record.Keyer{},
		func(*foreignScan, int64) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.captures {
		if c.Offset < 0 || c.Length <= 0 || c.Offset+c.Length > int64(len(file)) {
			t.Errorf("%s: %d+%d of %d", c.URL, c.Offset, c.Length, len(file))
		}
		lines = append(lines, string(c.AppendCDXJ(nil)))
	}
	slices.Sort(lines)
	return lines, s.damaged
}

// TestForeignLines compares the lines of files as other tools write them with golden files, which
// have been compared with those of cdxj-indexer.
func TestForeignLines(t *testing.T) {
	for tool, records := range foreignFiles {
		t.Run(tool, func(t *testing.T) {
			files := layoutsOf(t, records)
			lines, damaged := linesOf(t, tool+".warc", files[".warc"])
			if len(damaged) > 0 {
				t.Error(damaged)
			}
			golden := filepath.Join("testdata", "foreign", tool+".cdxj")
			got := strings.Join(lines, "\n") + "\n"
			if *update {
				write(t, golden, []byte(got))
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			for layout, file := range files {
				again, damaged := linesOf(t, tool+layout, file)
				if len(damaged) > 0 || !slices.Equal(withoutPlace(again), withoutPlace(lines)) {
					t.Errorf("%s: %q %v", layout, again, damaged)
				}
			}
		})
	}
}

// withoutPlace cuts off where the captures lie.
func withoutPlace(lines []string) (cut []string) {
	for _, line := range lines {
		before, rest, _ := strings.Cut(line, `,"length":`)
		_, after, _ := strings.Cut(rest, `"filename":`)
		_, after, _ = strings.Cut(after, `"`)
		_, after, _ = strings.Cut(after, `"`)
		cut = append(cut, before+after)
	}
	return cut
}

// TestForeignPairs joins requests and responses in every order.
func TestForeignPairs(t *testing.T) {
	response := func(id, names string) string {
		return foreignRecord(
			"WARC/1.1\nWARC-Type: response\nWARC-Record-ID: "+id+names+"\nWARC-Target-URI: http://example.com/\nWARC-Date: 2026-11-21T12:00:00Z",
			foreignHTML,
		)
	}
	request := func(id, names string) string {
		return foreignRecord(
			"WARC/1.1\nWARC-Type: request\nWARC-Record-ID: "+id+names+"\nWARC-Target-URI: http://example.com/\nWARC-Date: 2026-11-21T12:00:00Z",
			"POST / HTTP/1.1|Content-Type: application/x-www-form-urlencoded||id="+id,
		)
	}
	to := func(id string) string { return "\nWARC-Concurrent-To: " + id }
	metadata := foreignRecord(
		"WARC/1.1\nWARC-Type: metadata\nWARC-Record-ID: m\nWARC-Target-URI: http://example.com/\n"+
			"WARC-Date: 2026-11-21T12:00:00Z\nContent-Type: application/warc-fields"+to(
			"a"),
		"x: y|",
	)
	elsewhere := strings.Replace(request("b", to("a")), "example.com/", "example.com.", 1)
	for _, test := range []struct {
		name    string
		records []string
		want    []string // requestBody of each
	}{
		{"request behind, naming", []string{response("a", ""), request("b", to("a"))}, []string{"id=b"}},
		{"request behind, named", []string{response("a", to("b")), request("b", "")}, []string{"id=b"}},
		{"request before, naming", []string{request("b", to("a")), response("a", "")}, []string{"id=b"}},
		{"request before, named", []string{request("b", ""), response("a", to("b"))}, []string{"id=b"}},
		{"the second that is named", []string{response("a", to("x")+to("b")), request("b", "")}, []string{"id=b"}},
		{"metadata between", []string{response("a", ""), metadata, request("b", to("a"))}, []string{"id=b"}},
		{"all responses first", []string{response("a", ""), response("c", ""), request("d", to("c")), request("b", to("a"))}, []string{"id=b", "id=d"}},
		{"two requests, the first counts", []string{request("b", to("a")), request("d", to("a")), response("a", "")}, []string{"id=b"}},
		{"one request for two responses", []string{request("b", to("a")+to("c")), response("a", ""), response("c", "")}, []string{"", "id=b"}},
		{"none named", []string{response("a", ""), request("b", "")}, []string{""}},
		{"another URL", []string{response("a", ""), elsewhere}, []string{""}},
		{"no IDs", []string{response("", to("")), request("", to(""))}, []string{""}},
		{"near enough", append(append([]string{response("a", "")}, slices.Repeat([]string{metadata}, pairWithin-2)...), request("b", to("a"))), []string{"id=b"}},
		{"too far", append(append([]string{response("a", "")}, slices.Repeat([]string{metadata}, pairWithin)...), request("b", to("a"))), []string{""}},
		{"too far before", append(append([]string{request("b", to("a"))}, slices.Repeat([]string{metadata}, pairWithin)...), response("a", "")), []string{""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines, damaged := linesOf(t, "x.warc", []byte(strings.Join(test.records, "")))
			var got []string
			for _, line := range lines {
				_, body, _ := strings.Cut(line, `"requestBody":"`)
				body, _, _ = strings.Cut(body, `"`)
				got = append(got, body)
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) || len(damaged) > 0 {
				t.Errorf("%q %v in %q", got, damaged, lines)
			}
		})
	}
}

// TestForeignDamaged has what is reported, and what is found beside it.
func TestForeignDamaged(t *testing.T) {
	good := foreignFiles["warcio"][0]
	header, _, _ := strings.Cut(good, "\r\n\r\n")
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for _, test := range []struct {
		name, record string
		damaged      int
		found        int // records beside those before and behind
	}{
		{"a good one", good, 0, 1},
		{"no date", with("WARC-Date", "X-Date"), 1, 0},
		{"no date that is one", with("2026-11-21T12:00:00Z", "yesterday"), 1, 0},
		{"a month", with("2026-11-21T12:00:00Z", "2026-11"), 0, 1},
		{"nine digits", with("12:00:00Z", "12:00:00.123456789Z"), 0, 1},
		{"no URI", with("WARC-Target-URI", "X-Target-URI"), 1, 0},
		{"no length", with("Content-Length: 8", "X: 8"), 1, 0},
		{"no head in the block", foreignRecord(strings.ReplaceAll(header[:strings.Index(header, "\r\nContent-Length")], "\r\n", "\n"), "no head"), 0, 1},
		{"other bytes", "other bytes\r\n\r\n", 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := good + test.record + good
			lines, damaged := linesOf(t, "x.warc", []byte(file))
			if len(damaged) != test.damaged || len(lines) != 2+test.found {
				t.Fatalf("%v in %q", damaged, lines)
			}
			for _, d := range damaged {
				if d.Offset != int64(len(good)) || d.Bytes > int64(len(test.record)) ||
					d.Bytes < int64(len(test.record))-4 {
					t.Errorf("%+v, want %d+%d", d, len(good), len(test.record))
				}
			}
		})
	}
}

// TestForeignReadsOwn reads our own files as if they were another program's, and finds the same
// captures: it does not matter which of the two ways reads a sound one.
func TestForeignReadsOwn(t *testing.T) {
	dir := t.TempDir()
	recordVariety(t, dir, 1)
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	keyer, err := record.NewKeyer(allKeys.Keys)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range files {
		if own, err := collection.IsOwn(path); err != nil || !own {
			t.Errorf("%s: own is %v, %v", path, own, err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		own, err := scanFile(path, store.File{Name: name}, keyer, &record.DedupConfig{Dedup: record.DedupOff}, true,
			func(*scan, int64) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		own.finish(info.Size())
		foreign, err := scanForeign(path, name, info.Size(), keyer,
			func(*foreignScan, int64) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(foreign.captures,
			func(a, b store.Capture) int { return cmp.Compare(a.Offset, b.Offset) })
		if !slices.Equal(own.captures, foreign.captures) || len(foreign.damaged) > 0 {
			t.Errorf("%s: %d captures and %d, %v", name, len(own.captures), len(foreign.captures),
				foreign.damaged)
		}
		n += len(own.captures)
	}
	if n < 20 {
		t.Errorf("%d captures", n)
	}
}

func TestIsOwn(t *testing.T) {
	c := crash(t)
	flipped := slices.Clone(c.bytes)
	flipped[30] ^= 0xff
	magic := slices.Clone(c.bytes)
	magic[0] = 0
	inside := append(gzipOf("WARC/1.0\r\nbroken"), c.bytes...)
	foreign := layoutsOf(t, foreignFiles["wget"])
	for _, test := range []struct {
		name string
		file []byte
		want bool
	}{
		{"ours", c.bytes, true},
		{"cut", c.bytes[:200], true},
		{"with a damaged first member", flipped, true},
		{"with a damaged first byte", magic, true},
		{"behind another member", inside, true},
		{"plain", foreign[".warc"], false},
		{"gzip", foreign[".warc.gz"], false},
		{"zstd", foreign[".warc.zst"], false},
		{"our records, in one member", gzipOf(foreignRecord("WARC/1.1\nWARC-Type: warcinfo", "software: warcorder|") + foreignFiles["wget"][1]), false},
		{"not a warcinfo", gzipOf(foreignRecord("WARC/1.1\nWARC-Type: resource", "software: warcorder|")), false},
	} {
		path := filepath.Join(t.TempDir(), "x.warc.gz")
		write(t, path, test.file)
		if got, err := collection.IsOwn(path); err != nil || got != test.want {
			t.Errorf("%s: %v, %v", test.name, got, err)
		}
	}
}
