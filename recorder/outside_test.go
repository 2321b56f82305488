package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/outside"
	"warcorder/recorder/record"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// outsideURL is the page that another archive has.
const outsideURL = "http://example.com/a"

// elsewhere records responses into a collection of its own.
func elsewhere(t *testing.T, cfg Config, responses ...[2]string) (dir string) {
	t.Helper()
	c := open(t, t.TempDir(), cfg)
	for _, r := range responses {
		c.commit(r[0], exampleRequest, r[1])
	}
	c.close()
	return c.dir
}

// settled commits a response, and waits until it is in the index.
func (c *recording) settled(url, request, response string) {
	c.t.Helper()
	c.commit(url, request, response)
	if err := c.Settle(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
}

// found counts the originals that were found in all archives.
func (c *recording) found() (n int64) {
	for _, s := range c.Status().DedupFrom {
		n += s.Found
	}
	return n
}

// revisitsOf returns the revisits among the records of a collection.
func revisitsOf(t *testing.T, dir string) (all []storedRecord) {
	for _, r := range readBack(t, dir) {
		if r.get("WARC-Type") == "revisit" {
			all = append(all, r)
		}
	}
	return all
}

// checkOutside checks that the only revisits of a collection are so many of that response of another one,
// and that an index that is made anew is the same.
func checkOutside(t *testing.T, dir, other string, cfg Config, n int) {
	t.Helper()
	var original storedRecord
	for _, r := range readBack(t, other) {
		if r.get("WARC-Type") == "response" {
			original = r
		}
	}
	all := revisitsOf(t, dir)
	if len(all) != n {
		t.Errorf("%d revisits, want %d", len(all), n)
	}
	for _, r := range all {
		if r.get("WARC-Refers-To-Target-URI") != original.get("WARC-Target-URI") ||
			r.get("WARC-Refers-To-Date") != original.get("WARC-Date") ||
			r.get("WARC-Payload-Digest") != original.get("WARC-Payload-Digest") ||
			r.get("WARC-Refers-To") != "" || r.faults != "" ||
			!strings.HasSuffix(r.get("WARC-Profile"), "/revisit/identical-payload-digest") ||
			r.get("WARC-Truncated") != "length" || !strings.HasSuffix(r.block, "\r\n\r\n") {
			t.Errorf("%v %s\nof %v", r.header, r.faults, original.header)
		}
	}
	checkIndex(t, dir, readBack(t, dir))
	cfg.DedupFrom = nil
	checkRebuild(t, dir, cfg)
}

// TestOutsideCollection: what another collection has is not stored, wherever this one is set to look and
// that one was; but for what is no original here, either.
func TestOutsideCollection(t *testing.T) {
	t.Parallel()
	every, byURL := record.DedupConfig{}, record.DedupConfig{Dedup: record.DedupURL}
	off := record.DedupConfig{Dedup: record.DedupOff}
	plain := answerOf(200, "X: 1\r\n", body2K)
	inParts := answerOf(200, inChunks, chunkedBy(100, body2K))
	part := answerOf(206, "Content-Range: bytes 0-2047/4096\r\nETag: \"a\"\r\n", body2K)
	big := randomText(3 << 20)
	const u2 = outsideURL + "2"
	for _, c := range []struct {
		name             string
		there, here      record.DedupConfig
		url, first, next string
		want             int
	}{
		{"the same", every, every, outsideURL, plain, plain, 1},
		{"another URL", every, every, u2, plain, answerOf(200, "Y: 2\r\n", body2K), 1},
		{"another body", every, every, outsideURL, plain, answerOf(200, "", body2K+"x"), 0},
		{"another status", every, every, outsideURL, plain, answerOf(203, "", body2K), 0},
		{"in chunks, of plain", every, every, outsideURL, plain, inParts, 0},
		{"in other chunks", every, every, outsideURL, inParts, answerOf(200, inChunks, chunkedBy(77, body2K)), 1},
		{"by URL there", byURL, every, outsideURL, plain, plain, 1},
		{"by URL there, another URL", byURL, every, u2, plain, plain, 0},
		{"by URL here", every, byURL, outsideURL, plain, plain, 1},
		{"by URL here, another URL", every, byURL, u2, plain, plain, 0},
		{"by URL in both", byURL, byURL, outsideURL, plain, plain, 1},
		{"off there", off, every, outsideURL, plain, plain, 0},
		{"too old", every, record.DedupConfig{DedupFor: time.Nanosecond}, outsideURL, plain, plain, 0},
		{"too small here", every, record.DedupConfig{MinSize: 4096}, outsideURL, plain, plain, 0},
		{"too small there", record.DedupConfig{MinSize: 4096}, every, outsideURL, plain, plain, 0},
		{"a part", every, byURL, outsideURL, part, part, 1},
		{"a part of another URL", every, every, u2, part, part, 0},
		{"a redirect", every, every, outsideURL, answerOf(302, "", body2K), answerOf(302, "", body2K), 0},
		{"a large one", every, every, u2, answerOf(200, "", big), answerOf(200, "", big), 1},
		{"a large one, by URL there", byURL, every, outsideURL, answerOf(200, "", big), answerOf(200, "", big), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			other := elsewhere(t, Config{Dedup: c.there}, [2]string{outsideURL, c.first})
			cfg := Config{Dedup: c.here, DedupFrom: []string{other}}
			r := open(t, t.TempDir(), cfg)
			for range 2 { // the second one finds no original here
				r.settled(c.url, exampleRequest, c.next)
			}
			if c.want > 0 && r.found() != 2 {
				t.Errorf("%+v", r.Status().DedupFrom)
			}
			r.close()
			if c.want > 0 {
				checkOutside(t, r.dir, other, cfg, 2)
			} else {
				for _, revisit := range revisitsOf(t, r.dir) {
					if revisit.get("WARC-Refers-To") == "" {
						t.Errorf("%v", revisit.header)
					}
				}
			}
		})
	}
}

// TestOutsideFirst: what is here is named before what is elsewhere, and of the archives the first that
// has it.
func TestOutsideFirst(t *testing.T) {
	t.Parallel()
	of := func(body string) string { return answerOf(200, "", body) }
	first := elsewhere(t, Config{}, [2]string{outsideURL, of(body2K)})
	second := elsewhere(t, Config{}, [2]string{outsideURL, of(body2K)}, [2]string{outsideURL, of(body2K + "x")})
	r := open(t, t.TempDir(), Config{DedupFrom: []string{first, second}})
	r.settled("http://example.com/here", exampleRequest, of(body2K+"y"))
	for i, end := range []string{"", "x", "y"} {
		r.settled(fmt.Sprint("http://example.com/", i), exampleRequest, of(body2K+end))
	}
	status := r.Status().DedupFrom
	if status[0].Found != 1 || status[1].Found != 1 || status[0].Archive != first || status[0].Asked != 3 {
		t.Errorf("%+v", status)
	}
	r.close()
	if last := revisitsOf(t, r.dir)[2]; last.get("WARC-Refers-To") == "" {
		t.Errorf("what is here is sought elsewhere: %v", last.header)
	}
	archives, err := collection.DedupFrom(filepath.Join(r.dir, "archive", readBack(t, r.dir)[0].file))
	if err != nil || len(archives) != 2 || archives[0] != first || archives[1] != second {
		t.Errorf("%q, %v", archives, err)
	}
}

// TestOutsideGone: a collection whose file was taken away has no original, one that is recorded is left
// alone, and one that has been changed meanwhile is looked at as it is.
func TestOutsideGone(t *testing.T) {
	t.Parallel()
	page := answerOf(200, "", body2K)
	other := elsewhere(t, Config{}, [2]string{outsideURL, page})
	r := open(t, t.TempDir(), Config{DedupFrom: []string{other}})
	defer r.close()
	archive := filepath.Join(other, "archive")
	if err := os.Rename(archive, archive+"2"); err != nil {
		t.Fatal(err)
	}
	r.settled(outsideURL, exampleRequest, answerOf(200, "", body2K))
	if r.found() != 0 {
		t.Error("a file that is missing is referred to")
	}
	if err := os.Rename(archive+"2", archive); err != nil {
		t.Fatal(err)
	}
	again := open(t, other, Config{})
	again.settled(outsideURL, exampleRequest, answerOf(200, "", body2K+"new"))
	r.settled(outsideURL, exampleRequest, answerOf(200, "", body2K+"new"))
	s := r.Status().DedupFrom[0]
	if s.Found != 0 || s.Failed != 1 || !strings.Contains(s.Reason, "a recorder has it open") || s.Until == nil ||
		r.log.count("left alone", "dedup-from") != 1 {
		t.Errorf("%+v", s)
	}
	again.close()
	archives, err := outside.Open([]string{other}, collection.Dir(r.dir), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	archives.Close()
}

// TestOutsideChanged: an index that is written between two looks is read as it is then, and one that was
// put in its place too.
func TestOutsideChanged(t *testing.T) {
	t.Parallel()
	other := elsewhere(t, Config{}, [2]string{outsideURL, answerOf(200, "", body2K)})
	r := open(t, t.TempDir(), Config{DedupFrom: []string{other}})
	defer r.close()
	for i := range 3 {
		new := answerOf(200, "", body2K+fmt.Sprint(i))
		c := open(t, other, Config{})
		c.commit(outsideURL, exampleRequest, new)
		c.close()
		if i > 0 {
			rebuildOnly(t, other)
		}
		r.settled(outsideURL, exampleRequest, new)
		if s := r.Status().DedupFrom[0]; s.Found != int64(i+1) || s.Failed != 0 {
			t.Fatalf("%d: %+v", i, s)
		}
	}
}

// TestOutsideRefused: what is no collection, or is this one, is an error at the start that says so.
func TestOutsideRefused(t *testing.T) {
	own := elsewhere(t, Config{})
	for name, want := range map[string]string{
		t.TempDir():                     "no collection that has been recorded",
		filepath.Join(own, "nowhere"):   "no such file",
		own:                             "the collection that is recorded",
		filepath.Join(own, "archive/."): "no collection that has been recorded",
	} {
		_, err := Open(Config{DedupFrom: []string{name}}, collection.Dir(own), zerolog.Nop())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "dedup-from") {
			t.Errorf("%s: %v", name, err)
		}
	}
	off := Config{Dedup: record.DedupConfig{Dedup: record.DedupOff}, DedupFrom: []string{"http://a/cdx"}}
	if _, err := Open(off, collection.Dir(own), zerolog.Nop()); err == nil ||
		!strings.Contains(err.Error(), "dedup: off") {
		t.Error(err)
	}
	open(t, own, Config{}).close() // nothing is left locked
}

// TestOutsideNotModified: a 304 confirms a page whose body is elsewhere, before and after that is in the
// index; and the collection has that page.
func TestOutsideNotModified(t *testing.T) {
	t.Parallel()
	page := answerOf(200, "ETag: \"1\"\r\n", body2K)
	other := elsewhere(t, Config{}, [2]string{outsideURL, page})
	cfg := Config{DedupFrom: []string{other}}
	r := open(t, t.TempDir(), cfg)
	for range 2 {
		r.commit(outsideURL, exampleRequest, page)
		eventually(t, "a worker is through with it", func() bool {
			r.queue.coming.mu.Lock()
			defer r.queue.coming.mu.Unlock()
			return r.queue.coming.last == nil
		})
		r.settled(outsideURL, "GET / HTTP/1.1\r\nIf-None-Match: \"1\"\r\n\r\n", answerOf(304, "", ""))
		if !r.Has(outsideURL, func(v record.Validators) bool { return v.ETag == "\"1\"" }) {
			t.Error("the page is not there")
		}
	}
	r.close()
	all := revisitsOf(t, r.dir)
	if len(all) != 4 {
		t.Errorf("%d revisits", len(all))
	}
	for _, one := range all {
		if one.get("WARC-Refers-To") != "" || one.get("WARC-Refers-To-Target-URI") != outsideURL ||
			one.get("WARC-Refers-To-Date") != all[0].get("WARC-Refers-To-Date") || one.faults != "" {
			t.Errorf("%v %s", one.header, one.faults)
		}
	}
	checkRebuild(t, r.dir, Config{})
}

// TestOutsideRecovered: a revisit whose original is elsewhere is no orphan, whatever of its own file is
// lost; and it is the same as it was.
func TestOutsideRecovered(t *testing.T) {
	t.Parallel()
	other := elsewhere(t, Config{}, [2]string{outsideURL, answerOf(200, "", body2K)})
	r := open(t, t.TempDir(), Config{DedupFrom: []string{other}})
	r.settled(outsideURL, exampleRequest, answerOf(200, "", body2K))
	r.settled("http://example.com/b", exampleRequest, answerOf(200, "", body2K+"b"))
	r.settled("http://example.com/c", exampleRequest, answerOf(200, "", body2K+"b"))
	dir := filepath.Join(t.TempDir(), "c")
	if err := os.CopyFS(dir, os.DirFS(r.dir)); err != nil {
		t.Fatal(err)
	}
	r.close()
	loseIndex(t, dir)
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*"+warc.OpenSuffix))
	if len(files) != 1 {
		t.Fatal(files)
	}
	bytes, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	records := readBack(t, r.dir)
	var b storedRecord // which is damaged, and c refers to it
	for _, one := range records {
		if one.get("WARC-Type") == "response" {
			b = one
		}
	}
	bytes[b.offset+100] ^= 0xff
	write(t, files[0], bytes)
	log := recoverOnly(t, dir)
	if log.count("what revisits refer to is lost") != 1 {
		t.Error("c is kept")
	}
	lines := export(t, dir)
	line, _, _ := strings.Cut(lines, "\"filename")
	if strings.Count(lines, "\n") != 1 || !strings.Contains(export(t, r.dir), line) {
		t.Errorf("recovered:\n%swas:\n%s", lines, export(t, r.dir))
	}
}
