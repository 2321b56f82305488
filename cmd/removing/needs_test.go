package removing

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/record"
	"warcorder/recorder/recovery"
	"warcorder/store/collection"
	"warcorder/store/selection"
)

// strange begins a recording in a collection to which files of another tool were added.
func strange(t *testing.T, files ...string) *recording {
	t.Helper()
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval = time.Millisecond, time.Millisecond
	cfg.MinFreeSpace = 0
	r := &recording{t: t, cfg: cfg, dir: collection.Dir(t.TempDir())}
	for i, text := range files {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("x%d.warc", i))
		put(t, path, text)
		if _, err := recovery.Add(recovery.Config{}, r.dir, []string{path}, false, zerolog.Nop()); err != nil {
			t.Fatal(err)
		}
	}
	r.open()
	t.Cleanup(func() { r.Recorder.Close() })
	return r
}

// stranger is a record of another tool, of that second, with an ID that ends so.
func stranger(kind string, second int, url, block string, fields ...string) string {
	head := fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: %s\r\nWARC-Date: %s\r\n"+
		"WARC-Target-URI: https://example.com%s\r\n", kind, idOf(second), dateOf(second), url)
	if kind != "metadata" {
		head += "Content-Type: application/http; msgtype=response\r\n"
	}
	for _, field := range fields {
		head += field + "\r\n"
	}
	return head + fmt.Sprintf("Content-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block)
}

func idOf(second int) string { return fmt.Sprintf("<urn:uuid:00000000-0000-4000-8000-%012d>", second) }
func dateOf(second int) string {
	return fmt.Sprintf("2026-01-01T00:00:%02dZ", second)
}

// again is a revisit of what a URL was at a second.
func again(second int, url, digest, of string, at int) string {
	return stranger("revisit", second, url, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", digest,
		"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
		"WARC-Refers-To-Target-URI: https://example.com"+of, "WARC-Refers-To-Date: "+dateOf(at))
}

var (
	digestA = digestField(record.SHA1, "aaaa")
	digestB = digestField(record.SHA1, "bbbb")
	sha256A = digestField(record.SHA256, "aaaa")
)

func digestField(of record.Algorithm, word string) string {
	sum := of.SumBytes([]byte(text(word)))
	return "WARC-Payload-Digest: " + sum.String()
}

// TestRemoveNeeded: what stays has the body that it had, whatever revisits say of it, and names nothing
// that went.
func TestRemoveNeeded(t *testing.T) {
	a := func(second int, url string) string {
		return stranger("response", second, url, page(text("aaaa")), digestA)
	}
	b := func(second int, url string) string {
		return stranger("response", second, url, page(text("bbbb")), digestB)
	}
	for name, test := range map[string]struct {
		files []string
		sel   selection.Selection
		gone  []string // paths of captures
		want  Removed
		never string
	}{
		"a digest of another algorithm": {
			files: []string{a(1, "/o") + again(2, "/r", sha256A, "/o", 1)},
			sel:   selection.Selection{URL: "https://example.com/o"}, gone: []string{"/o"},
			want: summary(1, 1, 1, 0, 0), never: "/o",
		},
		"a revisit without a digest": {
			files: []string{a(1, "/o") + again(2, "/r", "X-None: 1", "/o", 1)},
			sel:   selection.Selection{URL: "https://example.com/o"}, gone: []string{"/o"},
			want: summary(1, 1, 1, 0, 0), never: "/o",
		},
		"a response without a digest": {
			files: []string{stranger("response", 1, "/o", page(text("aaaa"))) + b(3, "/o2") +
				again(2, "/r", digestA, "/o", 1)},
			sel: selection.Selection{URL: "https://example.com/o"}, gone: []string{"/o"},
			want: summary(1, 1, 1, 0, 0), never: "/o ",
		},
		"two responses of one URL and time": {
			files: []string{a(1, "/o") + b(5, "/o"), b(1, "/o") + again(9, "/r", digestB, "/o", 1)},
			sel:   selection.Selection{Files: []string{"x0.warc"}}, gone: []string{"/o 5"},
			want: summary(2, 1, 0, 0, 0),
		},
		"a revisit that names a revisit": {
			files: []string{a(1, "/r") + again(2, "/hush", digestA, "/r", 1) + again(3, "/r", digestA, "/hush", 2)},
			sel:   selection.Selection{URL: "https://example.com/hush"}, gone: []string{"/hush"},
			want: summary(1, 1, 0, 1, 0), never: "hush",
		},
		"the earliest gets the body": {
			files: []string{a(1, "/o") + again(5, "/late", digestA, "/o", 1) + again(3, "/early", digestA, "/o", 1)},
			sel:   selection.Selection{URL: "https://example.com/o"}, gone: []string{"/o"},
			want: summary(1, 1, 1, 1, 0), never: "/o",
		},
		"a 304 with the digest of nothing": {
			files: []string{a(1, "/o") + stranger("revisit", 2, "/r", "HTTP/1.1 304 Not Modified\r\n\r\n",
				"WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
				"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified",
				"WARC-Refers-To-Target-URI: https://example.com/o", "WARC-Refers-To-Date: "+dateOf(1))},
			sel: selection.Selection{URL: "https://example.com/o"}, gone: []string{"/o"},
			want: summary(1, 1, 0, 0, 1), never: "/o",
		},
		"what broke off": {
			files: []string{stranger("response", 1, "/o", page(text("aaaa")), digestA, "WARC-Truncated: length") +
				again(2, "/r", digestA, "/o", 1)},
			sel: selection.Selection{URL: "https://example.com/o"}, gone: []string{"/o"},
			want: summary(1, 1, 1, 0, 0), never: "/o",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := strange(t, test.files...)
			before := r.all()
			broken := strings.Contains(test.files[0], "WARC-Truncated")
			done := r.remove(test.sel, func(w *Wish) { w.Forget = true })
			got := summary(done.Captures, done.Files, done.Moved, done.Redirected, done.Bodiless)
			if got.Summary.Captures != test.want.Captures || got.Moved != test.want.Moved ||
				got.Redirected != test.want.Redirected || got.Bodiless != test.want.Bodiless {
				t.Errorf("%+v", done)
			}
			maps.DeleteFunc(before, func(_ string, s shown) bool { return s.isOf(test.gone) })
			r.same(before)
			b, err := os.ReadFile(r.dir.WARC("x0.warc"))
			if err != nil || test.never != "" && strings.Contains(string(b)+" ", test.never) {
				t.Errorf("%s, %v", b, err)
			}
			if broken != strings.Contains(string(b), "WARC-Truncated: length") {
				t.Errorf("that it broke off: %v, and now %s", broken, b)
			}
			if early := strings.Index(string(b), "/early"); early >= 0 &&
				strings.Index(string(b), "aaaa") < early {
				t.Errorf("the body is not with the earliest: %s", b)
			}
			r.verified()
		})
	}
}

// TestRemoveAway: what lies in a file that is missing, and what may be needed there, stays, and who removes
// is told; what is not needed there goes.
func TestRemoveAway(t *testing.T) {
	r := start(t, nil)
	r.get("https://example.com/needed", page(text("whisper")))
	r.get("https://example.com/gone", page(text("loud")))
	r.rotate()
	r.get("https://example.com/revisit", page(text("whisper")))
	r.get("https://example.com/gone", page(text("second")))
	r.rotate()
	before := r.all()
	paths, err := filepath.Glob(r.dir.WARC("*.warc.gz"))
	if err != nil || len(paths) != 2 {
		t.Fatal(paths, err)
	}
	aside := filepath.Join(t.TempDir(), "aside")
	if err := os.Rename(paths[1], aside); err != nil {
		t.Fatal(err)
	}
	wish := Wish{Choose: Chosen(t.Context(), selection.Selection{To: "2999"}), DryRun: true}
	done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, wish)
	if err != nil || done.Captures != 1 || done.Needed != 1 || done.Away != 2 {
		t.Errorf("before the index says so: %+v, %v", done, err)
	}
	r.close()
	r.open()
	done = r.remove(selection.Selection{To: "2999"}, nil)
	if done.Captures != 1 || done.Needed != 1 || done.Away != 2 || done.Moved != 0 || !done.Done {
		t.Errorf("%+v", done)
	}
	r.close()
	if err := os.Rename(aside, paths[1]); err != nil {
		t.Fatal(err)
	}
	r.open()
	maps.DeleteFunc(before, func(_ string, s shown) bool { return s.isOf([]string{"/gone 2"}) })
	r.same(before)
	if done := r.remove(selection.Selection{To: "2999"}, nil); done.Captures != 3 || done.Away > 0 {
		t.Errorf("put back: %+v", done)
	}
	r.verified()
}

// TestOlderConfirmed: a response that a younger 304 confirms stays, and is gone when that is too old.
func TestOlderConfirmed(t *testing.T) {
	r := start(t, nil)
	tagged := strings.Replace(page(text("etag")), "\r\n", "\r\nETag: \"one\"\r\n", 1)
	r.get("https://example.com/tagged", tagged)
	r.get("https://example.com/other", page(text("other")))
	r.rotate()
	r.now = r.now.Add(80 * 24 * time.Hour)
	r.send("GET", "https://example.com/tagged", "If-None-Match: \"one\"\r\n", "",
		"HTTP/1.1 304 Not Modified\r\nETag: \"one\"\r\n\r\n")
	r.rotate()
	before := r.all()
	for _, test := range []struct {
		days, captures, confirmed int
	}{{11, 1, 1}, {12, 0, 1}, {91, 2, 0}} {
		now := r.now.Add(time.Duration(test.days) * 24 * time.Hour)
		done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode,
			Wish{Choose: Older(t.Context(), r.dir, 90*24*time.Hour, now), Forget: true})
		if err != nil || int(done.Captures) != test.captures || done.Confirmed != test.confirmed {
			t.Errorf("after %d days: %+v, %v", test.days, done, err)
		}
		if test.confirmed == 1 {
			maps.DeleteFunc(before, func(_ string, s shown) bool { return s.isOf([]string{"/other"}) })
			r.same(before)
		}
	}
	r.verified()
}

// TestLook: while nothing may go, no file is finished for that.
func TestLook(t *testing.T) {
	r := start(t, nil)
	r.get("https://example.com/kept", page(text("kept")))
	for _, finished := range []bool{false, true} {
		url := map[bool]string{false: "https://example.com/none", true: "https://example.com/kept"}[finished]
		done := r.remove(selection.Selection{URL: url}, func(w *Wish) { w.Look = true })
		files, err := r.Index().Files()
		if err != nil || done.Done != finished || (len(files) > 0 && files[0].Sealed) != finished {
			t.Errorf("%s: %+v, %+v, %v", url, done, files, err)
		}
	}
}
