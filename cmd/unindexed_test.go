//go:build unix

package cmd

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// transactions returns the number of the last transaction of an index (bbolt, page.go and meta.go: the
// two pages at its beginning, the later of which counts).
func transactions(t *testing.T, path string) (last uint64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const header, txid = 16, 48
	for page := range 2 {
		var number [8]byte
		if _, err := f.ReadAt(number[:], int64(page*os.Getpagesize()+header+txid)); err != nil {
			t.Fatal(err)
		}
		last = max(last, binary.LittleEndian.Uint64(number[:]))
	}
	return last
}

// TestAskedForOthers: who asks a recorder for what has nothing to do with what it has just recorded
// makes no transaction of its index; who asks for that finds it, in one.
func TestAskedForOthers(t *testing.T) {
	origin, _, _ := countedPages(t)
	rec := startRecording(t, "--index-interval", "1h", "--commit-interval", "1ms", "--replay-listen",
		"127.0.0.1:0")
	index := filepath.Join(rec.dir, "collections", "default", "index.bolt")
	var now status
	look := func() {
		t.Helper()
		if err := json.Unmarshal([]byte(rec.page("/status")), &now); err != nil {
			t.Fatal(err)
		}
	}
	recorded := int64(0)
	record := func(page string) {
		t.Helper()
		rec.fetch(page)
		recorded++
		eventually(t, "the exchange is on disk", func() bool { look(); return now.Exchanges == recorded })
	}
	look()
	second := &program{t: t, address: now.Replay.Address}
	record(origin + "/a")
	file := filepath.Base(fileOfLine(t, rec.page("/export")))
	for i, c := range []struct{ other, same string }{ // NEW is the URL that was recorded last
		{"/export?url=" + url.QueryEscape(origin+"/a"), "/export?url=NEW"},
		{"/export?match=host&url=http://example.com/", "/export"},
		{"/export?to=2025&all=yes", "/export?from=2025"},
		{"/selection?url=" + url.QueryEscape(origin+"/a"), "/selection?url=NEW"},
		{"/cdx?url=" + url.QueryEscape(origin+"/a"), "/cdx?url=NEW"},
		{"/web/id_/" + origin + "/a", "/web/id_/NEW"},
		{"/cdx?matchType=host&url=example.com", "/warc/index.cdxj"},
		{"/web/timemap/json/" + origin + "/a", "/web/timemap/json/NEW"},
		{"/status", "/warc/" + file},
		{"/status", "/pages"},
		{"replay " + origin + "/a", "replay NEW"},
		{"replay " + origin + "/none", "replay NEW"},
	} {
		url := fmt.Sprint(origin, "/new/", i)
		record(url)
		before := transactions(t, index)
		ask := func(what string) string {
			t.Helper()
			if target, is := strings.CutPrefix(what, "replay "); is {
				_, body := second.get(strings.ReplaceAll(target, "NEW", url))
				return body
			}
			return rec.page(strings.ReplaceAll(what, "NEW", url))
		}
		if answer := ask(c.other); strings.Contains(answer, fmt.Sprint("/new/", i)) && c.other != "/status" {
			t.Errorf("%s: %s", c.other, answer)
		}
		if n := transactions(t, index) - before; n != 0 {
			t.Errorf("%s: %d transactions", c.other, n)
		}
		answer, isText := ask(c.same), c.same != "/pages" && !strings.HasSuffix(c.same, file)
		if isText && !strings.Contains(answer, fmt.Sprint("/new/", i)) {
			t.Errorf("%s: %s", c.same, answer)
		}
		if n := transactions(t, index) - before; n != 1 {
			t.Errorf("%s: %d transactions", c.same, n)
		}
	}
	if code := rec.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, rec.stderr)
	}
}

// fileOfLine returns the file that the first of some lines names.
func fileOfLine(t *testing.T, lines string) string {
	t.Helper()
	_, object, _ := strings.Cut(lines, "{")
	object, _, _ = strings.Cut(object, "\n")
	var line struct{ Filename string }
	if err := json.Unmarshal([]byte("{"+object), &line); err != nil {
		t.Fatal(err)
	}
	return line.Filename
}
