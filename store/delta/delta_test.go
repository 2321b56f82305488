package delta_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/delta"
)

// part is a part of an entity, and whole all of it.
func part(tag string) string {
	return "HTTP/1.1 206 Partial Content\r\nContent-Type: text/plain\r\nETag: \"" + tag + "\"\r\n" +
		"Content-Range: bytes 0-3/8\r\nContent-Length: 4\r\n\r\nhalf"
}

func whole(tag string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nETag: \"" + tag + "\"\r\n" +
		"Content-Length: 8\r\n\r\nhalfhalf"
}

// TestSince: whoever takes one delta after another has what an export has, whatever happens between
// them, in each dialect, whether lines are kept by file or by key.
func TestSince(t *testing.T) {
	for name, query := range map[string]store.Query{
		"pywb": {}, "warciojs": {Dialect: canon.WarcioJS, All: true}, "no bodies": {NoBodies: true},
		"a time": {URL: "https://example.com/", Match: store.Host, From: "20260501120002"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			k := r.keeping(query)
			k.feed("nothing")
			r.get("/a", page("one"))
			r.get("/b", page("two"))
			r.send("POST", "/a", "x=1", page("posted"))
			k.feed("the first")
			r.get("/c", page("three"))
			r.get("/A b?z=1&a=2", page("odd"))
			k.feed("more of the same file")
			r.rotate()
			k.feed("finished")
			r.get("/a", page("four"))
			r.rotate()
			r.get("/d", page("five"))
			k.feed("two files")
			r.remove("/b", false)
			lines, done := k.feed("a removal")
			if done.Rewritten != 1 || !strings.Contains(lines, "!removed 2") {
				t.Errorf("%+v\n%s", done, lines)
			}
			r.get("/b", page("again"))
			r.rebuild()
			k.feed("a rebuild")
			r.rotate()
			r.remove("/a", false)
			r.get("/e", page("between"))
			r.remove("/c", false)
			k.feed("two removals")
			r.remove("/d", false)
			r.rebuild()
			k.feed("a removal and a rebuild")
			r.remove("/e", true)
			if _, done := k.feed("forgotten"); done.Unlisted != 1 {
				t.Errorf("%+v", done)
			}
		})
	}
}

// TestSinceParts: the line of a part is void when its whole has come, and comes again when that goes.
func TestSinceParts(t *testing.T) {
	t.Parallel()
	r := start(t)
	k := r.keeping(store.Query{})
	r.get("/v", part("x"))
	r.get("/w", part("y"))
	k.feed("parts")
	r.rotate()
	r.get("/v", whole("x"))
	r.get("/w", whole("other"))
	if lines, done := k.feed("a whole"); done.Void != 1 || !strings.Contains(lines, `"removed":"whole"}`) {
		t.Errorf("%+v\n%s", done, lines)
	}
	r.get("/v", part("x"))
	k.feed("a part that has no line")
	r.rotate()
	r.get("/v", whole("unlike"))
	k.feed("unlike")
	r.rotate()
	r.removeAt(time.Date(2026, 5, 1, 12, 0, 3, 0, time.UTC)) // the whole
	if lines, _ := k.feed("the whole removed"); strings.Count(lines, `"status":"206"`) != 2 {
		t.Errorf("%s", lines)
	}
}

// TestSincePartsAgain: the line of a part is void when its whole has come, also where something was removed
// from the file of the part, or of its URL.
func TestSincePartsAgain(t *testing.T) {
	for name, removed := range map[string]string{"of the file": "/x", "of the URL": "/v"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			k := r.keeping(store.Query{})
			r.get("/v", part("x"))
			if removed == "/x" {
				r.get("/x", page("one"))
			} else {
				r.rotate()
				r.get("/v", part("y"))
			}
			at := r.now
			k.feed("parts")
			r.rotate()
			r.get("/v", whole("x"))
			r.removeAt(at)
			if lines, done := k.feed("a whole and a removal"); done.Void != 1 ||
				strings.Count(lines, `"removed":"whole"}`) != 1 {
				t.Errorf("%+v\n%s", done, lines)
			}
			r.rotate()
			r.get("/w", page("two"))
			r.remove("/w", false)
			if lines, _ := k.feed("nothing of it"); strings.Contains(lines, "/v") {
				t.Error(lines)
			}
		})
	}
}

// TestSinceSecond: what is still there of a key and second comes again where another of it was removed.
func TestSinceSecond(t *testing.T) {
	for name, long := range map[string]string{"": "", "of a long key": strings.Repeat("l", 9000)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			k := r.keeping(store.Query{})
			r.get("/a"+long, page("one"))
			r.sendNow("POST", "/A"+long, "x=1", page("posted"))
			r.rotate()
			r.sendNow("GET", "/A"+long, "", page("of the same key"))
			k.feed("both")
			r.rotate()
			r.remove("/a"+long, false)
			lines, done := k.feed("one of them removed")
			if done.Removed != 1 || strings.Count(lines, "https://example.com/A"+long+"\"") != 2 {
				t.Errorf("%+v\n%s", done, lines)
			}
		})
	}
}

// TestSinceGone: a file that somebody has taken away is said to be, once the index does not know it; one
// that is only away changes nothing.
func TestSinceGone(t *testing.T) {
	t.Parallel()
	r := start(t)
	k := r.keeping(store.Query{})
	r.get("/a", page("one"))
	r.get("/b", page("two"))
	r.rotate()
	r.remove("/b", false)
	r.get("/c", page("three"))
	k.feed("two files")
	r.rotate()
	files, _ := filepath.Glob(r.dir.WARC("*.warc.gz"))
	aside := filepath.Join(t.TempDir(), "aside")
	if len(files) != 2 || os.Rename(files[0], aside) != nil || r.Close() != nil {
		t.Fatal(files)
	}
	r.open()
	k.feed("away")
	if err := errors.Join(r.Close(), os.Rename(aside, files[0])); err != nil {
		t.Fatal(err)
	}
	r.open()
	k.feed("back")
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	r.rebuild()
	if lines, done := k.feed("gone"); done.Gone != 1 || !strings.HasPrefix(lines, "!removed 0 ") {
		t.Errorf("%+v\n%s", done, lines)
	}
	other := start(t)
	other.get("/a", page("one"))
	if _, _, _, err := other.trySince(k.token, store.Query{}); !errors.Is(err, delta.ErrOther) {
		t.Errorf("the token of another collection: %v", err)
	}
}

// TestSinceNothing: nothing new is no line, and no key is looked at.
func TestSinceNothing(t *testing.T) {
	t.Parallel()
	if all := (&store.Since{Files: map[string]store.Stretch{"a": {From: 7, To: 7}}}); !all.IsEmpty() {
		t.Error("it is walked through")
	}
	r := start(t)
	for i := range 20 {
		r.get(fmt.Sprint("/", i), page("text"))
	}
	_, _, token := r.since("", store.Query{})
	if lines, done, now := r.since(token, store.Query{}); lines != "" || done.Lines != 0 || now != token {
		t.Errorf("%q %+v", lines, done)
	}
}

// TestSinceRemovedMeanwhile: who has begun to write when something is removed is told so, whether the
// removal comes before the first line or behind it; the token of before leads to all of it.
func TestSinceRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	r := start(t)
	k := r.keeping(store.Query{})
	r.get("/a", page("one"))
	r.get("/b", page("two"))
	r.rotate()
	k.feed("two")
	r.get("/c", page("three"))
	since, err := delta.Parse(k.token)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/a", "/b"} {
		d, err := delta.Begin(r.dir, r.Index(), store.Query{}, delta.Ask{Since: since})
		if err != nil {
			t.Fatal(err)
		}
		out := &once{then: func() { r.remove(path, false) }}
		if path == "/a" {
			out.then()
			out.then = nil
		}
		_, err = d.Write(out, nil)
		if !errors.Is(err, store.ErrReplaced) || out.then != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	k.feed("what is left")
}

// once calls then when the first bytes come.
type once struct{ then func() }

func (o *once) Write(p []byte) (int, error) {
	if then := o.then; then != nil {
		o.then = nil
		then()
	}
	return len(p), nil
}

// TestSinceTakenUp: a delta that broke off is taken up again with the token that it had: what was
// recorded meanwhile is not in it, nor lost; where it cannot be, that is said.
func TestSinceTakenUp(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.get("/a", page("one"))
	until, err := delta.Parse(tokenNow(t, r))
	if err != nil {
		t.Fatal(err)
	}
	r.get("/b", page("two"))
	r.rebuild()
	lines := func() (string, error) {
		d, err := delta.Begin(r.dir, r.Index(), store.Query{}, delta.Ask{Until: &until})
		if err != nil {
			return "", err
		}
		defer d.Close()
		var out strings.Builder
		_, err = d.Write(&out, nil)
		if d.Token().String() != until.String() {
			t.Error("it has another token")
		}
		return out.String(), err
	}
	first, err := lines()
	if err != nil || strings.Count(first, "\n") != 1 || !strings.Contains(first, "/a\"") {
		t.Errorf("%v %s", err, first)
	}
	if rest, _, _ := r.since(until.String(), store.Query{}); first+rest != r.lines(store.Query{}) {
		t.Errorf("and then %s", rest)
	}
	r.rotate()
	r.remove("/a", false)
	if _, err := lines(); !errors.Is(err, delta.ErrChanged) {
		t.Errorf("after a removal: %v", err)
	}
}

func tokenNow(t *testing.T, r *recording) string {
	t.Helper()
	_, _, token := r.since("", store.Query{})
	return token
}
