package recorder

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/recorder/record"
	"warcorder/store/warc"
)

// TestStyles records with each option, and reads all back.
func TestStyles(t *testing.T) {
	t.Parallel()
	chunked := answerOf(200, inChunks, chunkedBy(100, body2K))
	sums := func(d record.Digester, s string) string { sum := d.SumBytes([]byte(s)); return sum.String() }
	sha1Of, sha256Of := record.Digester{}, record.Digester{Algorithm: record.SHA256}
	const asStored = " of what follows the HTTP header as it is stored, chunk framing included (wire)"
	const decoded = " of what follows the HTTP header, without the transfer coding (entity)"
	const millis, seconds = "2000-01-01T00:00:01.500000Z", "2000-01-01T00:00:01Z"
	wire := sums(sha1Of, chunkedBy(100, body2K))
	for _, c := range []struct {
		name    string
		cfg     Config
		payload string // digest of chunked
		version string
		date    string
		info    []string // lines of the warcinfo record
	}{
		{"default", Config{}, wire, "WARC/1.1", millis,
			[]string{"format: WARC File Format 1.1", "isPartOf: COLLECTION",
				"payloadDigest: sha1" + asStored}},
		{"sha256", Config{Digest: "sha256"}, sums(sha256Of, chunkedBy(100, body2K)), "WARC/1.1", millis,
			[]string{"payloadDigest: sha256" + asStored}},
		{"entity", Config{PayloadDigest: "entity"}, sums(sha1Of, body2K), "WARC/1.1", millis,
			[]string{"payloadDigest: sha1" + decoded}},
		{"1.0", Config{WARCVersion: "1.0"}, wire, "WARC/1.0", seconds,
			[]string{"format: WARC File Format 1.0", "conformsTo: http://iipc.github.io/" +
				"warc-specifications/specifications/warc-format/warc-1.0/"}},
		{"no sl", Config{NoSL: true}, wire, "WARC/1.1", millis, nil},
		{"warcinfo", Config{WARCInfo: record.WARCInfo{
			Operator: "The Operator <o@example.org>", IsPartOf: "a whole", Description: "düsseldorf",
			Robots: "obey",
		}}, wire, "WARC/1.1", millis,
			[]string{"operator: The Operator <o@example.org>", "isPartOf: a whole",
				"description: düsseldorf", "robots: obey"}},
		{"name", Config{WARCName: "{serial}.{timestamp}"}, wire, "WARC/1.1", millis, nil},
		{"all", Config{Digest: "sha256", PayloadDigest: "entity", WARCVersion: "1.0", NoSL: true},
			sums(sha256Of, body2K), "WARC/1.0", seconds, nil},
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
				rec("http://example.com/again", exampleRequest,
					answerOf(200, "ETag: \"1\"\r\n"+inChunks, chunkedBy(64, body2K)), plain)
				rec("http://example.com/again", "GET / HTTP/1.1\r\nIf-None-Match: \"1\"\r\n\r\n",
					answerOf(304, "", ""), plain)
				rec("http://example.com/post", postOf("POST", inChunks, chunkedBy(10, body2K)),
					answerOf(200, "", body2K), plain)
				rec("http://example.com/unverified", exampleRequest, answerOf(200, "", "x"),
					func(x *Exchange) { x.Unverified = "expired" })
				rec("http://example.com/large", exampleRequest,
					answerOf(200, inChunks, chunkedBy(1<<20, randomText(2<<20))), plain)
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
							line = strings.ReplaceAll(line, "COLLECTION", filepath.Base(r.dir))
							if !strings.Contains(rec.block, line+"\r\n") {
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

// TestRecoverStyles: recovery finds the whole exchanges of a damaged file, however they are
// written, and what they refer to.
func TestRecoverStyles(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]Config{
		"default": {}, "no sl": {NoSL: true},
		"1.0":        {WARCVersion: "1.0", Digest: "sha256", PayloadDigest: "entity"},
		"1.0, no sl": {WARCVersion: "1.0", NoSL: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := open(t, t.TempDir(), cfg)
				for i := range 5 {
					c.commit(fmt.Sprint("http://example.com/", i), exampleRequest,
						answerOf(200, "", strings.Repeat(fmt.Sprint(i%3), 2000)))
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
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				loseIndex(t, c.dir)
				write(t, path+".open", content[:len(content)-10])
				c = open(t, c.dir, cfg)
				urls := c.urls()
				c.commit("http://example.com/again", exampleRequest,
					answerOf(200, "", strings.Repeat("1", 2000)))
				c.close()
				if !slices.Equal(urls, []string{
					"http://example.com/0", "http://example.com/1", "http://example.com/3",
				}) {
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
