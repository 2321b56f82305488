package recorder

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"warcorder/recorder/record"
	"warcorder/recorder/recovery/foreign"
	"warcorder/store"
	"warcorder/store/warc"
)

func sha1Of(body string) string {
	sum := sha1.Sum([]byte(body))
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

// TestUntrustedOriginals: what a file that says it is ours claims of a response gets into no record
// of ours, unless it is what we would have written and the payload has the digest.
func TestUntrustedOriginals(t *testing.T) {
	t.Parallel()
	const (
		uri  = "http://example.com/original"
		id   = "<urn:uuid:11111111-1111-4111-8111-111111111111>"
		date = "2026-01-01T00:00:00.123456Z"
	)
	response := answerOf(200, "", body2K)
	digest := sha1Of(body2K)
	for _, test := range []struct {
		name, uri, id, date, digest string
		response                    string
		want                        bool
	}{
		{"as we write it", uri, id, date, digest, response, true},
		{"a date to the second", uri, id, "2026-01-01T00:00:00Z", digest, response, true},
		{"entity digest", uri, id, date, digest, answerOf(200, inChunks, chunkedBy(100, body2K)),
			true},
		{"wire digest", uri, id, date, sha1Of(chunkedBy(100, body2K)), answerOf(200, inChunks,
			chunkedBy(100, body2K)), true},
		{"a URI with a space", uri + " x", id, date, digest, response, false},
		{"a URI with a CR", uri + "\rWARC-Evil: 1", id, date, digest, response, false},
		{"a URI with a fold", uri + "\r\n WARC-Evil: 1", id, date, digest, response, false},
		{"a URI with a control character", uri + "\x01", id, date, digest, response, false},
		{"a URI with a NUL", uri + "\x00", id, date, digest, response, false},
		{"a URI with a tab", uri + "\tx", id, date, digest, response, false},
		{"a URI that is not ASCII", uri + "\xff", id, date, digest, response, false},
		{"a URI that is none", "example", id, date, digest, response, false},
		{"a URI without a host", "http:///", id, date, digest, response, false},
		{"a URI of another scheme", "urn:x:y", id, date, digest, response, false},
		{"no URI", "", id, date, digest, response, false},
		{"a long URI", uri + strings.Repeat("x", record.MaxOriginalURL), id, date, digest, response,
			false},
		{"an ID with more behind it", uri, id + " x", date, digest, response, false},
		{"an ID in capitals", uri, strings.Replace(id, "4111-8", "4ABC-8", 1), date, digest,
			response, false},
		{"no ID", uri, "", date, digest, response, false},
		{"a date with an offset", uri, id, "2026-01-01T00:00:00+01:00", digest, response, false},
		{"a date with nine digits", uri, id, "2026-01-01T00:00:00.123456789Z", digest, response,
			false},
		{"a date with a comma", uri, id, "2026-01-01T00:00:00,123456Z", digest, response, false},
		{"the year 1", uri, id, "0001-01-01T00:00:00Z", digest, response, false},
		{"the year 9999", uri, id, "9999-01-01T00:00:00Z", digest, response, false},
		{"another digest", uri, id, date, sha1Of("x"), response, false},
		{"a digest with a CR", uri, id, date, digest + "\rWARC-Evil: 1", response, false},
		{"a digest in hexadecimal digits", uri, id, date, fmt.Sprintf("sha1:%x",
			sha1.Sum([]byte(body2K))), response, false},
		{"a digest of another length", uri, id, date, digest[:20], response, false},
		{"a digest of another algorithm", uri, id, date, "md5:" + digest[5:], response, false},
		{"a digest without one", uri, id, date, digest[5:], response, false},
		{"no digest", uri, id, date, "", response, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			var file bytes.Buffer
			head := fmt.Sprintf(
				"WARC-Type: response\r\nWARC-Record-ID: %s\r\nWARC-Date: %s\r\nWARC-Target-URI: %s\r\n"+
					"WARC-Payload-Digest: %s\r\n",
				test.id, test.date, test.uri, test.digest)
			request := fmt.Sprintf(
				"WARC-Type: request\r\nWARC-Record-ID: <urn:uuid:22222222-1111-4111-8111-111111111111>\r\n"+
					"WARC-Date: %s\r\nWARC-Target-URI: %s\r\nWARC-Concurrent-To: %s\r\n",
				test.date,
				test.uri,
				test.id,
			)
			if err := foreign.Own(&file, [2]string{head, test.response}, [2]string{request,
				exampleRequest}); err != nil {
				t.Fatal(err)
			}
			archive := filepath.Join(dir, "archive")
			if err := os.Mkdir(archive, 0o700); err != nil {
				t.Fatal(err)
			}
			crafted := filepath.Join(archive, "crafted.warc.gz")
			write(t, crafted, file.Bytes())
			c := open(t, dir, Config{})
			c.commit("http://example.com/again", exampleRequest, test.response)
			c.close()
			names, _ := filepath.Glob(filepath.Join(archive, "warcorder-*"))
			if len(names) != 1 {
				t.Fatal(names)
			}
			kind := "response"
			if test.want {
				kind = "revisit"
			}
			checkOwnHeaders(t, names[0], kind)
			if lines := export(t, dir); strings.ContainsFunc(lines,
				func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
				t.Errorf("in the index: %q", lines)
			}
		})
	}
}

// checkOwnHeaders checks that no header of ours has a control character or a line that came from
// elsewhere, and that the second record is of that kind.
func checkOwnHeaders(t *testing.T, path, kind string) {
	t.Helper()
	r, err := warc.Open(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for n := 0; ; n++ {
		rec, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(rec.RawHeader()), "\r\n") {
			if strings.Contains(line, "Evil") || strings.ContainsFunc(line, unicode.IsControl) {
				t.Errorf("a header of ours: %q", line)
			}
		}
		if n == 1 && rec.Type() != kind {
			t.Errorf("a %s, want a %s", rec.Type(), kind)
		}
	}
}

// TestUnsoundIndex: an index may hold what no check has seen.
func TestUnsoundIndex(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, Config{})
	c.commit("http://example.com/1", exampleRequest, answerOf(200, "", body2K))
	c.close()
	index, err := store.Open(filepath.Join(dir, "index.bolt"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []store.Capture
	if err := index.Captures(store.Query{}, func(c *store.Capture) bool {
		all = append(all, *c)
		return true
	}); err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	response := []byte(answerOf(200, "", body2K))
	h := record.ParseHead(response)
	var hash record.Content
	hash.Reset(&h, int64(len(body2K)))
	hash.Write([]byte(body2K))
	key, _ := hash.Key(&h, response[:h.Size], "")
	o, found, err := index.Original(key)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	o.URL = "http://example.com/\rWARC-Evil: 1"
	all[0].Original = &o
	if err := index.Commit(all, nil); err != nil {
		t.Fatal(err)
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	c = open(t, dir, Config{})
	c.commit("http://example.com/2", exampleRequest, answerOf(200, "", body2K))
	c.close()
	names, _ := filepath.Glob(filepath.Join(dir, "archive", "*"))
	for _, name := range names {
		checkOwnHeaders(t, name, "response")
	}
}

// TestUntrustedChain: a record that has the URI of our certificates, and is another, does not keep
// them from being recorded.
func TestUntrustedChain(t *testing.T) {
	dir := t.TempDir()
	chain := exampleChain("leaf")
	var file bytes.Buffer
	head := "WARC-Type: resource\r\nWARC-Record-ID: " +
		"<urn:uuid:11111111-1111-4111-8111-111111111111>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n" +
		"Content-Type: text/plain\r\nWARC-Target-URI: " + chain.uri() +
		"\r\nWARC-Payload-Digest: " + sha1Of("x") + "\r\n"
	if err := foreign.Own(&file, [2]string{head, "x"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "archive"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "archive", "crafted.warc.gz"), file.Bytes())
	for range 2 {
		c := open(t, dir, Config{})
		c.getOver(exampleChain("leaf"), "one")
		c.close()
	}
	var kept int
	for _, c := range captures(t, dir) {
		if c.URL == chain.uri() {
			kept++
		}
	}
	if kept != 2 {
		t.Errorf("%d captures of the certificates' URI, want the crafted one and ours", kept)
	}
}
