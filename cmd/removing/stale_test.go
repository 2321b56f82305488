package removing

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/removal"
	"warcorder/store/selection"
)

// fileText is what a WARC file holds.
func (r *recording) fileText(name string) string {
	r.t.Helper()
	b, err := os.ReadFile(r.dir.WARC(name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

// TestStale: a place that was read before a removal leads to no other version of its URL.
func TestStale(t *testing.T) {
	var all strings.Builder
	for i := range 5 {
		all.WriteString(stranger("response", i, "/p", page(fmt.Sprint("version", i)), "X-A: 1"))
	}
	r := strange(t, all.String())
	var list []store.Capture
	err := r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
		list = append(list, *c)
		return true
	})
	if err != nil || len(list) != 5 {
		t.Fatal(list, err)
	}
	files := readback.New(r.dir, r.Index())
	defer files.Close()
	r.remove(selection.Selection{To: "20260101000000"}, nil)
	for i := range list {
		got, err := files.Response(&list[i])
		if err != nil {
			continue
		}
		body, err := io.ReadAll(got.Body)
		if err = errors.Join(err, got.Close()); err != nil || string(body) != fmt.Sprint("version", i) {
			t.Errorf("version %d is %q, %v", i, body, err)
		}
	}
}

// TestRequestOfMinutes: a date that the index takes is one to a removal too.
func TestRequestOfMinutes(t *testing.T) {
	request := stranger("request", 2, "/hush", "GET / HTTP/1.1\r\nCookie: biscuit\r\n\r\n")
	request = strings.Replace(request, dateOf(2), "2026-01-01T00:00Z", 1)
	r := strange(t, stranger("response", 1, "/hush", page("a"), "X-A: 1")+request+
		stranger("response", 3, "/o", page("b"), "X-A: 1"))
	r.remove(selection.Selection{URL: "https://example.com/hush"}, nil)
	if b := r.fileText("x0.warc"); strings.Contains(b, "biscuit") {
		t.Error("the request is still there")
	}
}

// TestExportMeanwhile: the lines of an export that ends when the removal is decided go too.
func TestExportMeanwhile(t *testing.T) {
	r := strange(t, stranger("response", 1, "/hush", page("a"), "X-A: 1"))
	r.remove(selection.Selection{URL: "https://example.com/hush"}, func(w *Wish) {
		w.Confirm = func(*removal.Summary) (bool, error) {
			return true, os.WriteFile(r.dir.CDXJ(), []byte("example.com/hush"), 0o600)
		}
	})
	if _, err := os.Stat(r.dir.CDXJ()); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the export is still there", err)
	}
}

// TestAwayUnlike: what a revisit in a file that is missing may need stays, though digests do not tell.
func TestAwayUnlike(t *testing.T) {
	for _, digest := range []string{sha256A, "X-None: 1"} {
		r := strange(t, stranger("response", 1, "/hush", page(text("aaaa")), digestA),
			again(3, "/r", digest, "/hush", 1))
		r.close()
		if err := os.Rename(r.dir.WARC("x1.warc"), t.TempDir()+"/aside"); err != nil {
			t.Fatal(err)
		}
		r.open()
		done := r.remove(selection.Selection{URL: "https://example.com/hush"}, nil)
		if done.Captures != 0 || done.Needed != 1 {
			t.Errorf("%s: %+v", digest, done)
		}
	}
}

// TestSegmentNeeded: a response of several segments is not moved without the others: it stays, and counts.
func TestSegmentNeeded(t *testing.T) {
	whole := page(text("aaaa"))
	r := strange(t, stranger("response", 1, "/hush", whole[:400], digestA, "WARC-Segment-Number: 1")+
		stranger("continuation", 2, "/hush", whole[400:], "WARC-Segment-Number: 2",
			"WARC-Segment-Origin-ID: "+idOf(1), fmt.Sprint("WARC-Segment-Total-Length: ", len(whole)))+
		again(3, "/r", digestA, "/hush", 1))
	before := r.fileText("x0.warc")
	done := r.remove(selection.Selection{URL: "https://example.com/hush"}, nil)
	if done.Captures != 0 || done.Needed != 1 || r.fileText("x0.warc") != before {
		t.Errorf("%+v, or the file has changed", done)
	}
}

// TestEmpty304: a revisit without a block stays one.
func TestEmpty304(t *testing.T) {
	r := strange(t, stranger("response", 1, "/hush", page(text("aaaa")), digestA)+
		stranger("revisit", 2, "/r", "",
			"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified",
			"WARC-Refers-To-Target-URI: https://example.com/hush", "WARC-Refers-To-Date: "+dateOf(1)))
	r.remove(selection.Selection{URL: "https://example.com/hush"}, func(w *Wish) { w.Forget = true })
	if b := r.fileText("x0.warc"); strings.Contains(b, "hush") || !strings.Contains(b, "Type: revisit") {
		t.Errorf("%s", b)
	}
}

// TestRouted: a way within a page is no URL of a capture.
func TestRouted(t *testing.T) {
	r := strange(t, stranger("response", 1, "/", page("a"), "X-A: 1"))
	_, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, Wish{
		Choose: Chosen(t.Context(), selection.Selection{URL: "https://example.com/#/private"})})
	if err == nil || !strings.Contains(err.Error(), "behind the #") {
		t.Error(err)
	}
}
