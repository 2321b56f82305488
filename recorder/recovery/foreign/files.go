// Package foreign has WARC files as other tools write them, and as somebody might who says that we
// did, for the tests of several packages.
//
// Invariant: no package imports foreign outside of its tests.
package foreign

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"warcorder/store/warc"
)

// Record makes a record of the lines of its header and of its block; "|" ends a line of an
// HTTP head.
func Record(header, block string) string {
	block = strings.ReplaceAll(block, "|", "\r\n")
	header = strings.ReplaceAll(strings.TrimSpace(header), "\n", "\r\n")
	return fmt.Sprintf("%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", header, len(block), block)
}

const HTML = "HTTP/1.1 200 OK|Content-Type: text/html; charset=utf-8|Content-Length: 5||hello"

// Files are records as other tools write them, shortened.
var Files = map[string][]string{
	// The request comes first, and the response names it; angle brackets; a manifest and a log at the
	// end.
	"wget": {
		Record(
			"WARC/1.0\nWARC-Type: warcinfo\nContent-Type: application/warc-fields\nWARC-Date: "+
				"2026-11-21T09:52:17Z\nWARC-Record-ID: <urn:uuid:d45b3130>\nWARC-Filename: wget.warc.gz\n"+
				"WARC-Block-Digest: sha1:TXDUL4MCUS6CTQEVVERKJST4TQAR2DUU",
			"software: Wget/1.21.3 (linux-gnu)|format: WARC File Format 1.0|"),
		Record(
			"WARC/1.0\nWARC-Type: request\nWARC-Target-URI: <http://example.com/a>\nContent-Type: "+
				"application/http;msgtype=request\nWARC-Date: 2026-11-21T09:52:17Z\nWARC-Record-ID: "+
				"<urn:uuid:434e19fc>\nWARC-IP-Address: 127.0.0.1\nWARC-Warcinfo-ID: <urn:uuid:d45b3130>",
			"GET /a HTTP/1.1|Host: example.com||",
		),
		Record(
			"WARC/1.0\nWARC-Type: response\nWARC-Record-ID: <urn:uuid:83698485>\nWARC-Warcinfo-ID: "+
				"<urn:uuid:d45b3130>\nWARC-Concurrent-To: <urn:uuid:434e19fc>\nWARC-Target-URI: "+
				"<http://example.com/a>\nWARC-Date: 2026-11-21T09:52:17Z\nWARC-IP-Address: 127.0.0.1\n"+
				"WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\nContent-Type: "+
				"application/http;msgtype=response",
			HTML,
		),
		Record(
			"WARC/1.0\nWARC-Type: request\nWARC-Target-URI: <http://example.com/post>\nContent-Type: "+
				"application/http;msgtype=request\nWARC-Date: 2026-11-21T09:52:18Z\nWARC-Record-ID: "+
				"<urn:uuid:c07ccd8f>",
			"POST /post HTTP/1.1|Host: example.com|Content-Type: "+
				"application/x-www-form-urlencoded|Content-Length: 7||a=1&b=2",
		),
		Record(
			"WARC/1.0\nWARC-Type: response\nWARC-Record-ID: <urn:uuid:2b7ea44f>\nWARC-Concurrent-To: "+
				"<urn:uuid:c07ccd8f>\nWARC-Target-URI: <http://example.com/post>\nWARC-Date: "+
				"2026-11-21T09:52:18Z\nWARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\n"+
				"Content-Type: application/http;msgtype=response",
			HTML,
		),
		Record(
			"WARC/1.0\nWARC-Type: request\nWARC-Target-URI: <http://example.com/again>\nContent-Type: "+
				"application/http;msgtype=request\nWARC-Date: 2026-11-21T09:52:19Z\nWARC-Record-ID: "+
				"<urn:uuid:7e8d558f>",
			"GET /again HTTP/1.1|Host: example.com||",
		),
		Record(
			"WARC/1.0\nWARC-Type: revisit\nWARC-Record-ID: <urn:uuid:04cd3266>\nWARC-Concurrent-To: "+
				"<urn:uuid:7e8d558f>\nWARC-Refers-To: <urn:uuid:83698485>\nWARC-Profile: "+
				"http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\nWARC-Truncated: length\n"+
				"WARC-Target-URI: <http://example.com/again>\nWARC-Date: 2026-11-21T09:52:19Z\n"+
				"WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\nContent-Type: "+
				"application/http;msgtype=response",
			"HTTP/1.1 200 OK|Content-Type: text/html||",
		),
		Record(
			"WARC/1.0\nWARC-Type: metadata\nWARC-Record-ID: <urn:uuid:d9b20045>\nWARC-Target-URI: "+
				"<metadata://gnu.org/software/wget/warc/MANIFEST.txt>\nWARC-Date: 2026-11-21T09:52:19Z\n"+
				"WARC-Block-Digest: sha1:GYHWEO2UZUVTBERGDCY63MIMBLM3FBVD\nContent-Type: text/plain",
			"<urn:uuid:d45b3130>\n",
		),
		Record(
			"WARC/1.0\nWARC-Type: resource\nWARC-Record-ID: <urn:uuid:5cd8d9a0>\nWARC-Concurrent-To: "+
				"<urn:uuid:d9b20045>\nWARC-Target-URI: <metadata://gnu.org/software/wget/warc/wget.log>\n"+
				"WARC-Date: 2026-11-21T09:52:19Z\nContent-Type: text/plain",
			"Opening WARC file\n",
		),
	},
	// The response comes first; the request and metadata name it; the name lookup is a response.
	// Fields in another order, no fraction.
	"heritrix": {
		Record(
			"WARC/1.0\nWARC-Type: warcinfo\nWARC-Date: 2026-11-21T10:00:00Z\nWARC-Filename: "+
				"heritrix.warc.gz\nWARC-Record-ID: <urn:uuid:f569983a>\nContent-Type: application/warc-fields",
			"software: Heritrix/3.4.0 http://crawler.archive.org|isPartOf: basic|",
		),
		Record(
			"WARC/1.0\nWARC-Type: response\nWARC-Target-URI: dns:example.com\nWARC-Date: "+
				"2026-11-21T10:00:01Z\nWARC-IP-Address: 192.0.2.53\nWARC-Record-ID: <urn:uuid:dda1ef8d>\n"+
				"Content-Type: text/dns",
			"20261121100001\nexample.com.\t600\tIN\tA\t192.0.2.1\n"),
		Record(
			"WARC/1.0\nWARC-Type: response\nWARC-Target-URI: http://example.com/robots.txt\nWARC-Date: "+
				"2026-11-21T10:00:02Z\nWARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\n"+
				"WARC-IP-Address: 192.0.2.1\nWARC-Record-ID: <urn:uuid:2ed1b2a1>\nContent-Type: "+
				"application/http; msgtype=response",
			"HTTP/1.1 404 Not Found|Content-Type: text/plain||hello",
		),
		Record(
			"WARC/1.0\nWARC-Type: request\nWARC-Target-URI: http://example.com/robots.txt\nWARC-Date: "+
				"2026-11-21T10:00:02Z\nWARC-Concurrent-To: <urn:uuid:2ed1b2a1>\nWARC-Record-ID: "+
				"<urn:uuid:c6e4c9e6>\nContent-Type: application/http; msgtype=request",
			"GET /robots.txt HTTP/1.0|Host: example.com||",
		),
		Record(
			"WARC/1.0\nWARC-Type: metadata\nWARC-Target-URI: http://example.com/robots.txt\nWARC-Date: "+
				"2026-11-21T10:00:02Z\nWARC-Concurrent-To: <urn:uuid:2ed1b2a1>\nWARC-Record-ID: "+
				"<urn:uuid:b1b0d9c9>\nContent-Type: application/warc-fields",
			"fetchTimeMs: 12|",
		),
		// An older one: the request first, and the response names nothing; without a digest.
		Record(
			"WARC/0.18\nWARC-Type: request\nWARC-Target-URI: http://example.com/form\nWARC-Date: "+
				"2026-11-21T10:00:03Z\nWARC-Concurrent-To: <urn:uuid:9a1b>\nWARC-Record-ID: <urn:uuid:9a1c>\n"+
				"Content-Type: application/http; msgtype=request",
			"POST /form HTTP/1.0|Content-Type: application/x-www-form-urlencoded|Content-Length: 3||q=1",
		),
		Record(
			"WARC/0.18\nWARC-Type: response\nWARC-Target-URI: http://example.com/form\nWARC-Date: "+
				"2026-11-21T10:00:03Z\nWARC-Record-ID: <urn:uuid:9a1b>\nContent-Type: application/http; "+
				"msgtype=response",
			HTML,
		),
		Record(
			"WARC/1.0\nWARC-Type: revisit\nWARC-Target-URI: http://example.com/304\nWARC-Date: "+
				"2026-11-21T10:00:04Z\nWARC-Profile: "+
				"http://netpreserve.org/warc/1.0/revisit/server-not-modified\nWARC-Etag: \"x\"\n"+
				"WARC-Record-ID: <urn:uuid:9a1d>\nContent-Type: application/http; msgtype=response",
			"HTTP/1.1 304 Not Modified|ETag: \"x\"||",
		),
		Record(
			"WARC/1.0\nWARC-Type: revisit\nWARC-Target-URI: http://example.com/nothing\nWARC-Date: "+
				"2026-11-21T10:00:04Z\nWARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\n"+
				"WARC-Record-ID: <urn:uuid:9a1e>",
			"",
		),
	},
	// The response comes first, and the request names it; WARC 1.1; a page's facts and text as
	// resources; sha256.
	"browsertrix": {
		Record(
			"WARC/1.1\nWARC-Filename: browsertrix.warc.gz\nWARC-Date: 2026-11-21T11:00:00.123Z\n"+
				"WARC-Type: warcinfo\nWARC-Record-ID: <urn:uuid:e1>\nContent-Type: application/warc-fields",
			"software: Browsertrix-Crawler 1.7.0|"),
		Record(
			"WARC/1.1\nWARC-Page-ID: 8d1d\nWARC-Resource-Type: fetch\nWARC-JSON-Metadata: "+
				"{\"ipType\":\"Public\"}\nWARC-Record-ID: <urn:uuid:e2>\nWARC-Target-URI: "+
				"https://example.com/api?q=1\nWARC-Date: 2026-11-21T11:00:01.456Z\nWARC-Type: response\n"+
				"Content-Type: application/http; msgtype=response\nWARC-Payload-Digest: "+
				"sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\n"+
				"WARC-Block-Digest: sha256:00",
			"HTTP/1.1 200 OK|content-type: application/json||hello",
		),
		Record(
			"WARC/1.1\nWARC-Concurrent-To: <urn:uuid:e2>\nWARC-Target-URI: https://example.com/api?q=1\n"+
				"WARC-Date: 2026-11-21T11:00:01.456Z\nWARC-Type: request\nWARC-Record-ID: <urn:uuid:e3>\n"+
				"Content-Type: application/http; msgtype=request",
			"POST /api?q=1 HTTP/1.1|content-type: application/json|content-length: "+
				"27||{\"a\":{\"b\":[1,\"x\"]},\"c\":null}",
		),
		Record(
			"WARC/1.1\nWARC-Record-ID: <urn:uuid:e4>\nWARC-Target-URI: urn:pageinfo:https://example.com/\n"+
				"WARC-Date: 2026-11-21T11:00:02.000Z\nWARC-Type: resource\nContent-Type: application/json\n"+
				"WARC-Payload-Digest: sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
			"{\"pageid\":\"8d1d\"}",
		),
		Record(
			"WARC/1.1\nWARC-Record-ID: <urn:uuid:e5>\nWARC-Target-URI: urn:text:https://example.com/\n"+
				"WARC-Date: 2026-11-21T11:00:02.000Z\nWARC-Type: resource\nContent-Type: text/plain; "+
				"charset=utf-8",
			"some text",
		),
	},
	// As warcio and pywb write them, with what no index shows: a conversion, a record of an unknown
	// type, fields, segments.
	"warcio": {
		Record(
			"WARC/1.0\nWARC-Type: response\nWARC-Record-ID: <urn:uuid:b1>\nWARC-Target-URI: "+
				"http://example.com/?b=1&a=2\nWARC-Date: 2026-11-21T12:00:00Z\nWARC-Payload-Digest: "+
				"sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\nContent-Type: application/http; msgtype=response",
			HTML,
		),
		Record(
			"WARC/1.0\nWARC-Type: request\nWARC-Record-ID: <urn:uuid:b2>\nWARC-Target-URI: "+
				"http://example.com/?b=1&a=2\nWARC-Date: 2026-11-21T12:00:00Z\nWARC-Concurrent-To: "+
				"<urn:uuid:b1>\nContent-Type: application/http; msgtype=request",
			"PUT /?b=1&a=2 HTTP/1.1|Content-Type: application/x-www-form-urlencoded|Content-Length: 3||x=y",
		),
		Record(
			"WARC/1.0\nWARC-Type: conversion\nWARC-Record-ID: <urn:uuid:b3>\nWARC-Target-URI: "+
				"http://example.com/\nWARC-Date: 2026-11-21T12:00:01Z\nContent-Type: text/plain",
			"converted",
		),
		Record(
			"WARC/1.0\nWARC-Type: screenshot\nWARC-Record-ID: <urn:uuid:b4>\nWARC-Target-URI: "+
				"http://example.com/\nWARC-Date: 2026-11-21T12:00:01Z\nContent-Type: image/png",
			"png",
		),
		Record(
			"WARC/1.0\nWARC-Type: resource\nWARC-Record-ID: <urn:uuid:b5>\nWARC-Target-URI: urn:fields\n"+
				"WARC-Date: 2026-11-21T12:00:01Z\nContent-Type: application/warc-fields",
			"a: b|"),
		Record(
			"WARC/1.0\nWARC-Type: response\nWARC-Record-ID: <urn:uuid:b6>\nWARC-Target-URI: "+
				"http://example.com/long file\nWARC-Segment-Number: 1\nWARC-Date: 2026-11-21T12:00:02Z\n"+
				"WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\nContent-Type: "+
				"application/http; msgtype=response",
			HTML[:len(HTML)-2],
		),
		Record(
			"WARC/1.0\nWARC-Type: continuation\nWARC-Record-ID: <urn:uuid:b7>\nWARC-Target-URI: "+
				"http://example.com/long file\nWARC-Segment-Number: 2\nWARC-Segment-Origin-ID: "+
				"<urn:uuid:b6>\nWARC-Segment-Total-Length: 80\nWARC-Date: 2026-11-21T12:00:02Z",
			"lo",
		),
	},
}

// Layouts returns the records as files of each layout, by the end of their names.
func Layouts(t testing.TB, records []string) map[string][]byte {
	files := make(map[string][]byte)
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	for _, rec := range records {
		files[".warc"] = append(files[".warc"], rec...)
		files[".warc.gz"] = append(files[".warc.gz"], Gzip(rec)...)
		files[".warc.zst"] = append(files[".warc.zst"], encoder.EncodeAll([]byte(rec), nil)...)
	}
	return files
}

func Gzip(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.Bytes()
}

// Own is a file that says it is ours, of records with those headers and blocks.
func Own(w io.Writer, records ...[2]string) error {
	c := warc.NewCompressor()
	block := "software: warcorder\r\n"
	all := append(
		[][2]string{
			{"WARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n" +
				"WARC-Date: 2026-01-01T00:00:00.000000Z\r\n", block},
		},
		records...)
	for _, r := range all {
		head := fmt.Sprintf("WARC/1.1\r\n%sContent-Length: %d\r\n\r\n", r[0], len(r[1]))
		if _, err := w.Write(c.Append(nil, [][]byte{[]byte(head), []byte(r[1]),
			[]byte(warc.RecordEnd)}, -1)); err != nil {
			return err
		}
	}
	return nil
}

// Exchange is a response with its request, of which the headers have more lines.
func Exchange(n int, uri, more string) [][2]string {
	id := func(kind int) string {
		return fmt.Sprintf("<urn:uuid:%08d-0000-4000-8000-%012d>",
			kind, n)
	}
	head := func(kind, id, named string) string {
		return fmt.Sprintf(
			"WARC-Type: %s\r\nWARC-Record-ID: %s\r\nWARC-Date: 2026-01-01T00:00:00.000000Z\r\n"+
				"WARC-Target-URI: %s\r\n%s%s",
			kind,
			id,
			uri,
			named,
			more,
		)
	}
	return [][2]string{
		{head("response", id(1), ""), "HTTP/1.1 200 OK\r\n\r\nx"},
		{head("request", id(2), "WARC-Concurrent-To: "+id(1)+"\r\n"), "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"},
	}
}
