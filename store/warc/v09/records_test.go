package v09

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warcorder/store/warc"
)

// uuid is a WARC-Record-ID.
func uuid(n int) string { return fmt.Sprintf("<urn:uuid:00000000-0000-4000-8000-%012d>", n) }

// sha is a WARC-Block-Digest that holds.
func sha(block string) string {
	digest, err := sha1Of(strings.NewReader(block))
	if err != nil {
		panic(err)
	}
	return digest
}

// old makes a 1.1 record of "Name: value" lines.
func old(block string, lines ...string) made {
	var h warc.Header
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h = append(h, warc.Field{Name: name, Value: value})
	}
	return made{append(h, warc.Field{Name: "Content-Length", Value: strconv.Itoa(len(block))}), block}
}

func randomBytes(n int) string {
	b := make([]byte, n)
	source := rand.NewChaCha8([32]byte{9})
	source.Read(b)
	return string(b)
}

// olds are 1.1 records of all types, as our recorder and others write them.
func olds() []made {
	page := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>"
	ask := "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
	nested := resource(5, "in a record") + "\r\n\r\nwarc/0.9 20 response\r\n\r\n"
	binary := "\x00\x01\xff\r\n\r\n\x1f\x8b\x08\x00" + randomBytes(5000)
	large := randomBytes(3 << 20)
	text := strings.Repeat("much the same\n", 300_000)
	const date = "WARC-Date: 2026-01-02T03:04:05.678901Z"
	info := "WARC-Warcinfo-ID: " + uuid(0)
	long := "http://a.example/" + strings.Repeat("ü?%20\u3000", 20_000)
	return []made{
		old("software: x\r\n", "WARC-Type: warcinfo", "WARC-Record-ID: "+uuid(0), date,
			"WARC-Filename: my file ü%20-1.warc.gz", "Content-Type: application/warc-fields",
			"WARC-Block-Digest: "+sha("software: x\r\n")),
		old(page, "WARC-Type: response", "WARC-Record-ID: "+uuid(1), date,
			"WARC-Target-URI: http://a.example/", "WARC-IP-Address: 2001:db8::1", "WARC-Protocol: http/1.1",
			"WARC-Protocol: tls/1.3", "WARC-Cipher-Suite: TLS_AES_128_GCM_SHA256", info,
			"WARC-Payload-Digest: "+sha("<html>"), "WARC-Block-Digest: "+sha(page),
			"Content-Type: application/http; msgtype=response"),
		old(ask, "WARC-Type: request", "WARC-Record-ID: "+uuid(2), "WARC-Concurrent-To: "+uuid(1), date,
			"WARC-Target-URI: http://a.example/", info, "Content-Type: application/http;msgtype=request",
			"WARC-Block-Digest: "+sha(ask)),
		old("fault: none\r\n", "WARC-Type: metadata", "WARC-Record-ID: "+uuid(3), date,
			"WARC-Target-URI: http://a.example/", "WARC-Concurrent-To: "+uuid(1),
			"WARC-Concurrent-To: "+uuid(2), info, "Content-Type: application/warc-fields"),
		old("later", "WARC-Type: metadata", "WARC-Record-ID: "+uuid(4), "WARC-Date: 2026-02",
			"WARC-Refers-To: "+uuid(1), "Content-Type: text/plain; charset=utf-8"),
		old("HTTP/1.1 200 OK\r\n\r\n", "WARC-Type: revisit", "WARC-Record-ID: "+uuid(5),
			"WARC-Date: 2026-01-03T03:04:05+02:00", "WARC-Target-URI: http://a.example/",
			"WARC-Profile: "+identicalPayload, "WARC-Refers-To: "+uuid(1),
			"WARC-Refers-To-Target-URI: http://a.example/",
			"WARC-Refers-To-Date: 2026-01-02T03:04:05.678901Z", "WARC-Concurrent-To: "+uuid(6),
			"WARC-Truncated: length", "WARC-Payload-Digest: "+sha("<html>"),
			"Content-Type: application/http; msgtype=response"),
		old("", "WARC-Type: revisit", "WARC-Record-ID: "+uuid(6), "WARC-Date: 2026-01-03T03:04:05Z",
			"WARC-Target-URI: http://a.example/",
			"WARC-Profile: http://netpreserve.org/warc/1.1/server-not-modified"),
		old("converted", "WARC-Type: conversion", "WARC-Record-ID: "+uuid(7), date,
			"WARC-Target-URI: http://a.example/", "WARC-Refers-To: "+uuid(1), "Content-Type: text/plain"),
		old("20260102030405\r\na.example. 600 IN A 192.0.2.1\r\n", "WARC-Type: resource",
			"WARC-Record-ID: "+uuid(8), date, "WARC-Target-URI: dns:a.example", "Content-Type: text/dns"),
		old("by another writer", "WARC-Type: response", "WARC-Record-ID: "+uuid(9), date,
			"WARC-Target-URI: dns:b.example", "Content-Type: text/dns"),
		old(nested, "WARC-Type: resource", "WARC-Record-ID: <http://a.example/id/1>", date,
			"WARC-Target-URI: "+long, "Content-Type: application/warc",
			"WARC-Block-Digest: sha256:nothing that can be checked"),
		old(binary, "WARC-Type: resource", "WARC-Record-ID: <uuid:odd>", date,
			"WARC-Target-URI: http://a.example/a b\u2028c", "Content-Type: image/png"),
		old("", "WARC-Type: resource", "WARC-Record-ID: bare:id", date,
			"WARC-Target-URI: http://a.example/empty"),
		old(large, "WARC-Type: response", "WARC-Record-ID: "+uuid(20), date,
			"WARC-Target-URI: http://a.example/large", info, "WARC-Block-Digest: "+sha(large),
			"WARC-Truncated: disconnect", "Content-Type: application/http; msgtype=response"),
		old(text, "WARC-Type: resource", "WARC-Record-ID: "+uuid(21), date,
			"WARC-Target-URI: http://a.example/text", info, "WARC-Block-Digest: "+sha(text),
			"Content-Type: text/plain"),
		old(large[:memory/2], "WARC-Type: resource", "WARC-Record-ID: "+uuid(22), date,
			"WARC-Target-URI: http://a.example/half", "Content-Type: application/x-half"),
		old("x", "WARC-Type: screenshot", "WARC-Record-ID: "+uuid(23), date, "WARC-Target-URI: urn:x",
			"Content-Type: image/png", "WARC-Page-ID: 7", "Truncated: a", "Verbatim-Truncated: b",
			"Related-Record-ID: c", "Checksum: md5:00", "Converted-From: d", "Empty: ", "Subject-URI: e"),
		old("x", "WARC-Type: warcinfo", "WARC-Record-ID: "+uuid(24), date, info),
		old("x", "WARC-Type: resource", "WARC-Record-ID: "+uuid(25), "WARC-Date: some day",
			"WARC-Target-URI: urn:y", "WARC-IP-Address: 2001:DB8::0001", "WARC-Concurrent-To: <>"),
		old("", "Empty: "),
	}
}

// lines are a header's fields, in an order that does not depend on theirs; of those of one name the
// order counts.
func lines(h warc.Header) []string {
	byName := make(map[string][]string)
	for _, f := range h {
		name := strings.ToLower(f.Name)
		byName[name] = append(byName[name], name+": "+f.Value)
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, byName[name]...)
	}
	return all
}

func sameRecords(t *testing.T, got, want []made) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d records, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		g, w := lines(got[i].header), lines(want[i].header)
		if !slices.Equal(g, w) {
			t.Errorf("record %d:\ngot  %.3000q\nwant %.3000q", i, g, w)
		}
		if got[i].block != want[i].block {
			t.Errorf("record %d: another block, %d bytes, want %d", i, len(got[i].block), len(want[i].block))
		}
	}
}

// importAll has an Importer write the records of the 0.9 files at paths, which may hold segments of
// the same records.
func importAll(im *Importer, paths ...string) error {
	for _, path := range paths {
		r, err := Open(path)
		if err != nil {
			return errors.Join(err, im.drop())
		}
		if err := errors.Join(im.Read(r), r.Close()); err != nil {
			return errors.Join(err, im.drop())
		}
	}
	return im.Close()
}
