package readback

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"warcorder/recorder/recovery/foreign"
	"warcorder/store"
)

const (
	helloDigest = "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N" // of "hello"
	helloHex    = "SHA-1:aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"
	otherDigest = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)

// at is a record of another tool, made in that second; "|" ends a line of the block.
func at(second int, kind, url, more, block string) string {
	return foreign.Record(fmt.Sprintf("WARC/1.0\nWARC-Type: %s\nWARC-Record-ID: <urn:%s:%d>\n"+
		"WARC-Target-URI: %s\nWARC-Date: 2026-11-21T12:00:%02dZ\n"+
		"Content-Type: application/http; msgtype=response\n%s", kind, url, second, url, second, more), block)
}

// refers are the fields by which a revisit names its original.
func refers(url string, second int, digest string) string {
	return fmt.Sprintf("WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\n"+
		"WARC-Refers-To-Target-URI: %s\nWARC-Refers-To-Date: 2026-11-21T12:00:%02dZ\n"+
		"WARC-Payload-Digest: %s", url, second, digest)
}

// TestOriginals finds the originals of revisits, whatever they say of them, or says which one is
// missing.
func TestOriginals(t *testing.T) {
	const a, b, own = "http://example.com/a", "http://example.com/b", "HTTP/1.1 200 OK|X: own||"
	digest := func(d string) string { return "WARC-Payload-Digest: " + d }
	post := func(second int, url, id string) string {
		return foreign.Record(fmt.Sprintf("WARC/1.0\nWARC-Type: request\nWARC-Record-ID: <urn:q:%d>\n"+
			"WARC-Target-URI: %s\nWARC-Date: 2026-11-21T12:00:%02dZ\nWARC-Concurrent-To: %s\n"+
			"Content-Type: application/http; msgtype=request", second, url, second, id),
			"POST / HTTP/1.1|Content-Type: application/x-www-form-urlencoded|Content-Length: 3||a=b")
	}
	first := at(0, "response", a, digest(helloDigest), foreign.HTML)
	for name, c := range map[string]struct {
		revisit string
		others  []string
		want    string // body
		head    string // "" is own
		err     error
	}{
		"named": {at(9, "revisit", b, refers(a, 0, helloDigest), own), []string{first}, "hello", "", nil},
		"named, in angle brackets": {at(9, "revisit", b, refers("<"+a+">", 0, helloDigest), own),
			[]string{first}, "hello", "", nil},
		"named, with a digest in hexadecimal": {at(9, "revisit", b, refers(a, 0, helloHex), own),
			[]string{first}, "hello", "", nil},
		"named, without a digest": {at(9, "revisit", b,
			strings.Replace(refers(a, 0, ""), "\nWARC-Payload-Digest: ", "", 1), own),
			[]string{first}, "hello", "", nil},
		"named, with a head of nothing": {at(9, "revisit", b, refers(a, 0, helloDigest), ""),
			[]string{first}, "hello", foreign.HTML[:len(foreign.HTML)-5], nil},
		"named, of a POST": {at(9, "revisit", b, refers(a, 0, helloDigest), own),
			[]string{first, post(0, a, "<urn:"+a+":0>")}, "hello", "", nil},
		"named, of another time": {at(9, "revisit", b, refers(a, 1, helloDigest), own),
			[]string{first}, "", "", ErrNoOriginal},
		"named, with another digest": {at(9, "revisit", b, refers(a, 0, otherDigest), own),
			[]string{first}, "", "", ErrNoOriginal},
		"named wrongly, and its own URL has it": {at(9, "revisit", a, refers(b, 0, helloDigest), own),
			[]string{first}, "hello", "", nil},
		"not named": {at(9, "revisit", a, digest(helloDigest), own), []string{first}, "hello", "", nil},
		"not named, the nearest": {at(9, "revisit", a, digest(helloDigest), own),
			[]string{first, at(8, "response", a, digest(helloDigest)+"\nX: y", foreign.HTML+"|other")},
			"hello|other", "", nil},
		"not named, of another URL": {at(9, "revisit", b, digest(helloDigest), own), []string{first}, "",
			"", ErrNoOriginal},
		"nothing is told": {at(9, "revisit", b, "X: y", own), []string{first}, "", "", ErrNoOriginal},
		"nothing is there": {at(9, "revisit", b, refers(a, 0, helloDigest), own), nil, "", "",
			ErrNoOriginal},
		"a revisit of a revisit": {at(9, "revisit", b, refers(a, 5, helloDigest), own),
			[]string{at(5, "revisit", a, digest(helloDigest), own)}, "", "", ErrNoOriginal},
		"a revisit of itself": {at(9, "revisit", b, refers(b, 9, helloDigest), own), nil, "", "",
			ErrNoOriginal},
		"with a body": {at(9, "revisit", b, refers(a, 0, helloDigest), own+"its own"), nil, "its own", "",
			nil},
		"with a body that was cut": {at(9, "revisit", b, refers(a, 0, helloDigest)+
			"\nWARC-Truncated: length", own+"its"), nil, "", "", ErrNoOriginal},
		"with a body, and the original": {at(9, "revisit", b, refers(a, 0, helloDigest), own+"its own"),
			[]string{first}, "hello", "", nil},
		"with a text that is no message": {strings.Replace(at(9, "revisit", b,
			refers(a, 0, helloDigest), "own"), "application/http; msgtype=response", "text/plain", 1),
			[]string{first}, "hello", "HTTP/1.1 200 OK|Content-Type: text/plain|Content-Length: 3||", nil},
		"not modified": {at(9, "revisit", a, "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/"+
			"server-not-modified", "HTTP/1.1 304 Not Modified||"), []string{first}, "",
			"HTTP/1.1 304 Not Modified||", nil},
		"not modified, with a head of nothing": {at(9, "revisit", a, "WARC-Profile: http://"+
			"netpreserve.org/warc/1.0/revisit/server-not-modified", ""), []string{first}, "",
			"HTTP/1.1 304 Not Modified||", nil},
		"not modified, by the status alone": {at(9, "revisit", a, digest(helloDigest),
			"HTTP/1.1 304 Not Modified||"), []string{first}, "", "HTTP/1.1 304 Not Modified||", nil},
		"an original that is a part": {at(9, "revisit", b, refers(a, 0, helloDigest), own),
			[]string{strings.Replace(first, "WARC-Date", "WARC-Truncated: time\r\nWARC-Date", 1)},
			"hello", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			content := map[string][]byte{"r.warc.gz": foreign.Gzip(c.revisit)}
			for _, other := range c.others {
				content["o.warc"] = append(content["o.warc"], other...)
			}
			files, _ := imported(t, content)
			revisit := revisitIn(t, files)
			got, err := files.Response(&revisit)
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Fatalf("%v", err)
			}
			if err != nil {
				if !strings.Contains(err.Error(), "r.warc.gz at 0") {
					t.Errorf("%v", err)
				}
				return
			}
			defer got.Close()
			head := strings.ReplaceAll(c.head, "|", "\r\n")
			if head == "" {
				head = strings.ReplaceAll(own, "|", "\r\n")
			}
			body := strings.ReplaceAll(c.want, "|", "\r\n")
			if is := all(t, got.Body); string(got.Head) != head || is != body ||
				got.Size != int64(len(body)) {
				t.Errorf("%q, %q of %d", got.Head, is, got.Size)
			}
			if err := got.again(); err != nil || all(t, got.Body) != body {
				t.Errorf("not the same body again: %v", err)
			}
			if inOther := body != "" && body != "its own"; (got.Original != nil) != inOther {
				t.Errorf("the original lies at %v", got.Original)
			}
			if (got.Truncated != "") != strings.Contains(name, "a part") {
				t.Errorf("truncated %q", got.Truncated)
			}
		})
	}
}

// revisitIn returns the capture in the file r.warc.gz.
func revisitIn(t *testing.T, files *Files) (found store.Capture) {
	t.Helper()
	err := files.index.Captures(store.Query{}, func(c *store.Capture) bool {
		if c.File == "r.warc.gz" {
			found = *c
		}
		return true
	})
	if err != nil || found.File == "" {
		t.Fatal("no revisit", err)
	}
	return found
}

// TestOriginalAway: an original whose file is missing is named, unless another one is there.
func TestOriginalAway(t *testing.T) {
	const a, b = "http://example.com/a", "http://example.com/b"
	revisit := at(9, "revisit", b, refers(a, 0, helloDigest), "HTTP/1.1 200 OK||")
	original := at(0, "response", a, "WARC-Payload-Digest: "+helloDigest, foreign.HTML)
	again := at(5, "response", b, "WARC-Payload-Digest: "+helloDigest, foreign.HTML)
	for name, content := range map[string]map[string][]byte{
		"alone":        {"r.warc.gz": foreign.Gzip(revisit), "o.warc": []byte(original)},
		"with another": {"r.warc.gz": foreign.Gzip(revisit + again), "o.warc": []byte(original)},
	} {
		if name == "with another" {
			content["r.warc.gz"] = append(foreign.Gzip(revisit), foreign.Gzip(again)...)
		}
		files, dir := imported(t, content)
		if err := os.Remove(dir.WARC("o.warc")); err != nil {
			t.Fatal(err)
		}
		c := captures(t, files.index, b)
		for i := range c {
			if !c[i].IsRevisit() {
				continue
			}
			got, err := files.Response(&c[i])
			if name == "alone" {
				if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "o.warc at 0") {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			if err != nil || all(t, got.Body) != "hello" || got.Original.File != "r.warc.gz" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
