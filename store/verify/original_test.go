package verify_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store/collection"
)

// TestLostOriginal: in a collection, a revisit of ours whose original is in none of the files is
// wrong. In a part of it, or while the original may be in a file that is not read, it is not.
func TestLostOriginal(t *testing.T) {
	dir := t.TempDir()
	text := page(strings.Repeat("text ", 1000))
	record(t, recorder.Config{}, dir,
		[]exchange{{url: "http://example.com/1", request: get, response: text}})
	first := archive(t, dir)
	record(t, recorder.Config{}, dir,
		[]exchange{{url: "http://example.com/2", request: get, response: text}})
	all := archive(t, dir)
	if found := checkAll(t, dir); len(all) != 2 || len(found.all) > 0 ||
		found.Records["revisit"] != 1 {
		t.Fatalf("%q: %+v", all, found)
	}
	isOriginal := func(code string) bool { return strings.Contains(code, "original") }
	said := func(c checked) string {
		codes := c.codes()
		if i := slices.IndexFunc(codes, isOriginal); i >= 0 {
			return codes[i][strings.Index(codes[i], " ")+1:]
		}
		return ""
	}
	foreign := filepath.Join(dir, "archive", "foreign.warc.gz")
	write(t, foreign, []byte(each(warcinfo(),
		warcRecord("revisit", "v", "HTTP/1.1 200 OK\r\n\r\n", "WARC-Payload-Digest", sha("x"),
			"WARC-Refers-To", "<urn:x:r>"))))
	if got := said(checkAll(t, dir)); got != "original note" {
		t.Errorf("another program's: %q", got)
	}
	if err := os.Remove(foreign); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(first[0]); err != nil {
		t.Fatal(err)
	}
	if got := said(checkAll(t, dir)); got != "original" {
		t.Errorf("the collection: %q", got)
	}
	if got := said(files(t, archive(t, dir)...)); got != "original note" {
		t.Errorf("the files alone: %q", got)
	}
	r, err := recorder.Open(recorder.Config{}, collection.Dir(dir), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := said(checkAll(t, dir)); got != "original" {
		t.Errorf("in use, and nothing is written: %q", got)
	}
	write(t, filepath.Join(dir, "archive", "x.warc.gz.open"), nil)
	if got := said(checkAll(t, dir)); got != "original note" {
		t.Errorf("while a file is written: %q", got)
	}
}

// TestOutside: revisits of ours that name records of another collection are counted, and nothing is wrong
// with them; both collections together have them.
func TestOutside(t *testing.T) {
	text := page(strings.Repeat("text ", 1000))
	other, dir := t.TempDir(), t.TempDir()
	record(t, recorder.Config{}, other, []exchange{{url: "http://example.com/1", request: get, response: text}})
	record(t, recorder.Config{DedupFrom: []string{other}}, dir, []exchange{
		{url: "http://example.com/1", request: get, response: text},
		{url: "http://example.com/2", request: get, response: text},
	})
	if found := checkAll(t, dir); len(found.all) > 0 || found.Outside != 2 || found.Records["revisit"] != 2 {
		t.Errorf("the collection: %+v", found)
	}
	if found := files(t, archive(t, dir)...); len(found.all) > 0 || found.Outside != 2 {
		t.Errorf("its files alone: %+v", found)
	}
	if found := files(t, append(archive(t, dir), archive(t, other)...)...); len(found.all) > 0 ||
		found.Outside != 0 {
		t.Errorf("both: %+v", found)
	}
}
