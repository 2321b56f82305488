package removing

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/selection"
)

// text is a body that is long enough for others to refer to it.
func text(word string) string { return strings.Repeat(word+" ", 200) }

// found are the files of a collection in which a text is: as they are, and with their gzip members
// inflated.
func (r *recording) found(needle string) (names []string) {
	r.t.Helper()
	err := filepath.WalkDir(string(r.dir), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.Contains(b, []byte(needle)) || bytes.Contains(inflated(b), []byte(needle)) {
			names = append(names, entry.Name())
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return names
}

// inflated are the gzip members in b, wherever they begin.
func inflated(b []byte) (text []byte) {
	for {
		at := bytes.Index(b, []byte("\x1f\x8b\x08"))
		if at < 0 {
			return text
		}
		in := bytes.NewReader(b[at:])
		if z, err := gzip.NewReader(in); err == nil {
			z.Multistream(false)
			whole, _ := io.ReadAll(z)
			text = append(text, whole...)
		}
		b = b[at+1:]
	}
}

// seconds makes a moment of a recording, so many seconds behind its beginning.
func seconds(n int) string {
	return time.Date(2026, 5, 1, 12, 0, n, 0, time.UTC).Format("20060102150405")
}

// fill records some of everything: 14 exchanges, in two files.
func (r *recording) fill() {
	conditional := "If-None-Match: \"one\"\r\n"
	tagged := func(body string) string {
		return strings.Replace(page(body), "\r\n", "\r\nETag: \"one\"\r\n", 1)
	}
	r.get("https://example.com/secret", page(text("whisper"))) // 1
	r.get("https://example.com/other", page(text("whisper")))  // 2 revisit of 1
	r.get("https://example.com/third", page(text("whisper")))  // 3 revisit of 1
	r.get("https://example.com/tagged", tagged(text("etag")))  // 4
	r.send("GET", "https://example.com/tagged", conditional, "", "HTTP/1.1 304 Not Modified\r\n"+
		"ETag: \"one\"\r\n\r\n") // 5 revisit of 4, without a body
	r.get("https://example.com/kept", page(text("plain")))                        // 6
	r.send("POST", "https://example.com/secret", "", "name=hush", page("posted")) // 7
	r.send("GET", "https://example.com/secret", "Cookie: biscuit\r\n", "", "")    // 8 no response
	r.rotate()
	r.get("https://example.com/fourth", page(text("whisper")))          // 9 revisit of 1, in another file
	r.get("https://example.com/secret", page(text("second version")))   // 10
	r.get("https://example.com/fifth", page(text("second version")))    // 11 revisit of 10
	r.get("https://example.com/secret?q=1", page(text("with a query"))) // 12
	r.get("https://example.com/chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+
		"400\r\n"+text("in chunks")[:1024]+"\r\n0\r\n\r\n") // 13
	r.get("https://example.com/chunked2", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+
		"200\r\n"+text("in chunks")[:512]+"\r\n200\r\n"+text("in chunks")[512:1024]+"\r\n0\r\n\r\n") // 14
}

// TestRemove: what is selected is gone from every file, with its requests, and everything else is
// shown as before; the referee agrees, and so does an index that is made anew.
func TestRemove(t *testing.T) {
	secret := "https://example.com/secret"
	for name, test := range map[string]struct {
		sel    selection.Selection
		forget bool
		gone   []string // paths of captures
		never  []string // texts that no file may have
		want   Removed
	}{
		"a URL": {
			sel: selection.Selection{URL: secret}, gone: []string{"/secret"},
			never: []string{"posted", "name=hush", "biscuit", "no answer from"},
			want:  summary(3, 2, 2, 2, 0),
		},
		"a URL, forgotten": {
			sel: selection.Selection{URL: secret}, forget: true, gone: []string{"/secret"},
			never: []string{"posted", "biscuit", "example.com/secret\n", "example.com/secret\r\n"},
			want:  summary(3, 2, 2, 2, 0),
		},
		"all that begins so": {
			sel:  selection.Selection{URL: secret, Match: store.Prefix},
			gone: []string{"/secret", "/secret?q=1"}, never: []string{"with a query", "posted", "biscuit"},
			want: summary(4, 2, 2, 2, 0),
		},
		"a time": {
			sel: selection.Selection{URL: secret, From: seconds(10), To: seconds(10)}, gone: []string{"/secret 10"},
			want: summary(1, 1, 1, 0, 0),
		},
		"what a 304 refers to": {
			sel: selection.Selection{To: seconds(4), From: seconds(4)}, gone: []string{"/tagged 4"},
			never: []string{"etag etag"}, want: summary(1, 1, 0, 0, 1),
		},
		"the framing of the original": {
			sel: selection.Selection{URL: "https://example.com/chunked"}, gone: []string{"/chunked"},
			want: summary(1, 1, 1, 0, 0),
		},
		"a revisit": {
			sel: selection.Selection{URL: "https://example.com/third"}, gone: []string{"/third"},
			want: summary(1, 1, 0, 0, 0),
		},
		"an original and its revisits": {
			sel:  selection.Selection{To: seconds(3)},
			gone: []string{"/secret 1", "/other", "/third"}, want: summary(3, 2, 1, 0, 0),
		},
		"everything": {
			sel: selection.Selection{URL: "https://example.com/", Match: store.Host}, gone: []string{"*"},
			never: []string{"whisper", "biscuit", "second", "etag", "plain"}, want: summary(13, 2, 0, 0, 0),
		},
		"nothing": {sel: selection.Selection{URL: "https://example.com/none"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			r.fill()
			before := r.all()
			done := r.remove(test.sel, func(w *Wish) { w.Forget, w.Reason = test.forget, "asked by A. B." })
			maps.DeleteFunc(before, func(_ string, s shown) bool { return s.isOf(test.gone) })
			r.same(before)
			r.rotate()
			for _, needle := range test.never {
				if names := r.found(needle); len(names) > 0 {
					t.Errorf("%q is still in %q", needle, names)
				}
			}
			got := summary(done.Captures, done.Files, done.Moved, done.Redirected, done.Bodiless)
			if got.Summary.Captures != test.want.Captures || got.Files != test.want.Files ||
				got.Moved != test.want.Moved || got.Redirected != test.want.Redirected ||
				got.Bodiless != test.want.Bodiless || done.Done != (test.want.Captures > 0) {
				t.Errorf("got %+v, want %+v", done, test.want)
			}
			r.verified()
			r.rebuilt(before)
		})
	}
}

func summary(captures int64, files int, moved, redirected, bodiless int64) (r Removed) {
	r.Captures, r.Files, r.Moved, r.Redirected, r.Bodiless = captures, files, moved, redirected, bodiless
	return r
}

// isOf reports whether a capture is one of those paths, or one at a number of seconds.
func (s shown) isOf(gone []string) bool {
	for _, one := range gone {
		path, second, dated := strings.Cut(one, " ")
		if one == "*" || "https://example.com"+path == s.url &&
			(!dated || s.time.Format("5") == second || s.time.Format("05") == second) {
			return true
		}
	}
	return false
}

// same holds all captures against what was shown before.
func (r *recording) same(want map[string]shown) {
	r.t.Helper()
	got := r.all()
	for key, w := range want {
		g, found := got[key]
		g.mime, w.mime = "", "" // a revisit may have become a response
		if !found || g != w {
			r.t.Errorf("%s at %s is %.300s, and was %.300s", w.url, w.time, g.head+g.body, w.head+w.body)
		}
		delete(got, key)
	}
	for _, g := range got {
		r.t.Errorf("%s at %s is still there", g.url, g.time)
	}
}

// rebuilt makes the index anew, and holds it against what was shown before.
func (r *recording) rebuilt(want map[string]shown) {
	r.t.Helper()
	if _, err := recovery.Rebuild(recovery.Config{}, r.dir, zerolog.Nop()); err != nil {
		r.t.Fatal(err)
	}
	r.open()
	r.same(want)
	r.close()
}

// TestFormerFilePutBack: a former file that somebody has put back, from a backup, is not read on from
// where its successor ended; who means it says rebuild.
func TestFormerFilePutBack(t *testing.T) {
	r := start(t, nil)
	r.get("https://example.com/secret", page("one"))
	r.get("https://example.com/kept", page("two"))
	r.rotate()
	paths, _ := filepath.Glob(r.dir.WARC("*.warc.gz"))
	former, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	r.remove(selection.Selection{URL: "https://example.com/secret"}, func(w *Wish) { w.Forget = true })
	kept := r.all()
	r.close()
	if err := os.WriteFile(paths[0], append(former, former...), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := recorder.Recover(r.cfg, r.dir, zerolog.Nop())
	if err != nil || len(found.Left) != 1 || found.Captures != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if err := os.WriteFile(paths[0], former, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := recovery.Rebuild(recovery.Config{}, r.dir, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	r.open()
	if all := r.all(); len(all) != 2 || len(kept) != 1 {
		t.Errorf("rebuilt: %v, before %v", all, kept)
	}
	if done := r.remove(selection.Selection{URL: "https://example.com/secret"}, nil); done.Captures != 1 {
		t.Errorf("%+v", done)
	}
	r.same(kept)
	r.verified()
}

// TestRemoveRefuses: what cannot be read, and is needed, is not removed, and nothing else is; an index
// that is wrong is not believed.
func TestRemoveRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		harm func(b []byte, at int64)
	}{
		"a damaged original":            {func(b []byte, at int64) { b[at+400] ^= 0xff }},
		"an original that is not there": {func(b []byte, at int64) { b[at] ^= 0xff }},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			r.get("https://example.com/secret", page(text("whisper")))
			r.get("https://example.com/other", page(text("whisper")))
			r.rotate()
			at := int64(-1)
			r.Index().Captures(store.Query{URL: "https://example.com/secret"}, func(c *store.Capture) bool {
				at = c.Offset
				return true
			})
			paths, _ := filepath.Glob(r.dir.WARC("*.warc.gz"))
			b, err := os.ReadFile(paths[0])
			if err != nil || at < 0 {
				t.Fatal(err, at)
			}
			test.harm(b, at)
			if err := os.WriteFile(paths[0], b, 0o600); err != nil {
				t.Fatal(err)
			}
			wish := Wish{Choose: Chosen(t.Context(), selection.Selection{URL: "https://example.com/secret"})}
			done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, wish)
			if err == nil || done.Done {
				t.Errorf("removed: %+v", done)
			}
			after, err2 := os.ReadFile(paths[0])
			if err2 != nil || !bytes.Equal(after, b) {
				t.Error("the file has changed", err2)
			}
			if left, _ := filepath.Glob(string(r.dir) + "/*/*.rewritten"); len(left) > 0 {
				t.Errorf("left over: %q", left)
			}
			if n, err := r.Index().Count(); n != 2 || err != nil {
				t.Errorf("the index has %d captures, %v", n, err)
			}
			t.Log(err)
		})
	}
}
