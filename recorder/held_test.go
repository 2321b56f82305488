package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
)

// TestHasConfirmed: whether the collection has what a 304 would confirm, where that is in each
// place on its way: in the queue, waiting for the index, and in the index, also after the next
// start.
func TestHasConfirmed(t *testing.T) {
	t.Parallel()
	const page = "http://example.com/Page?b=1"
	const monday, tuesday = "Mon, 14 Nov 1994 08:12:31 GMT", "Tue, 15 Nov 1994 08:12:31 GMT"
	tag := func(tag string) string { return "If-None-Match: " + tag + "\r\n" }
	since := func(date string) string { return "If-Modified-Since: " + date + "\r\n" }
	v1 := answerOf(200, "ETag: \"1\"\r\nLast-Modified: "+monday+"\r\n", "one")
	v2 := answerOf(200, "etag:W/\"2,0\"\r\nLast-Modified: "+tuesday+"\r\n", body2K)
	for _, c := range []struct {
		name     string
		stored   []string // of that URL
		url      string   // asked for; "" is the same
		fields   string
		want     bool
		unqueued bool // what is in the queue is known by its spelling alone, and the last of each URL
	}{
		{"by tag", []string{v1}, "", tag(`"1"`), true, false},
		{"by tag, weak", []string{v2}, "", tag(`"2,0"`), true, false},
		{"by weak tag", []string{v1}, "", tag(`W/"1"`), true, false},
		{"by another tag", []string{v1}, "", tag(`"2"`), false, false},
		{"by part of a tag", []string{v2}, "", tag(`"2`), false, false},
		{"by two tags", []string{v1, v2}, "", tag(`"1", W/"2,0"`), true, true},
		{"by two tags in a tight list", []string{v1, v2}, "", tag(`,"2,0","1",`), true, true},
		{"by two tags, one of them wanting", []string{v1, v2}, "", tag(`"1", "3"`), false, false},
		{"by the tag of an older one", []string{v1, v2}, "", tag(`"1"`), true, true},
		{"by any tag", []string{v1}, "", tag(`*`), false, false},
		{"by no tag", []string{v1}, "", tag(``), false, false},
		{"by a tag that does not end", []string{v1}, "", tag(`"1`), false, false},
		{"by tags without a comma", []string{v1}, "", tag(`"1" "1"`), false, false},
		{"by tags in two fields", []string{v1}, "", tag(`"1"`) + tag(`"1"`), false, false},
		{"by a folded tag", []string{v1}, "", "If-None-Match:\r\n \"1\"\r\n", false, false},
		{"by more tags than are looked for", []string{v1}, "",
			tag(strings.Repeat(`"1",`, record.MaxTags+1)), false, false},
		{"by a tag without quotes", []string{answerOf(200, "ETag: 1\r\n", "x")}, "", tag(`1`), true, false},
		{"in odd letters", []string{v1}, "", "iF-nONE-mATCH : \"1\" \r\n", true, false},
		{"by tag, whatever the date", []string{v1}, "", tag(`"1"`) + since(tuesday), true, false},
		{"by date, whatever the tag", []string{v1}, "", tag(`"3"`) + since(monday), false, false},
		{"by date", []string{v1}, "", since(monday), true, false},
		{"by the same date in another form", []string{v1}, "", since("Monday, 14-Nov-94 08:12:31 GMT"),
			true, false},
		{"by the date of an older one", []string{v1, v2}, "", since(monday), true, true},
		{"by a later date", []string{v1}, "", since(tuesday), false, false},
		{"by a date that is none", []string{v1}, "", since("yesterday"), false, false},
		{"by no date", []string{answerOf(200, "Last-Modified:\r\n", "x")}, "", since(""), false, false},
		{"by date, and it varies",
			[]string{answerOf(200, "Vary: Cookie\r\nLast-Modified: "+monday+"\r\n", "x")}, "",
			since(monday), false, false},
		{"by no condition", []string{v1}, "", "Accept: */*\r\n", false, false},
		{"by tag, under the same key", []string{v1}, "https://www.example.com:443/page?b=1#x",
			tag(`"1"`), true, true},
		{"by date, under the same key", []string{v1}, "https://example.com/Page?b=1", since(monday),
			false, false},
		{"of another page", []string{v1}, "http://example.com/page?b=2", tag(`"1"`), false, false},
		{"of none", nil, "", tag(`"1"`), false, false},
		{"of an error", []string{answerOf(404, "ETag: \"1\"\r\n", "x")}, "", tag(`"1"`), false, false},
		{"of a part", []string{answerOf(206, "ETag: \"1\"\r\n", "x")}, "", tag(`"1"`), false, false},
		{"of a large one", []string{answerOf(200, "ETag: \"1\"\r\n", strings.Repeat("x", 2<<20))}, "",
			tag(`"1"`), true, false},
	} {
		for _, dedup := range []string{record.DedupCollection, record.DedupOff} {
			t.Run(c.name+", dedup "+dedup, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					cfg := Config{Dedup: record.DedupConfig{Dedup: dedup, MinSize: 1}}
					r := open(t, t.TempDir(), cfg)
					url := c.url
					if url == "" {
						url = page
					}
					request := []byte("GET /Page?b=1 HTTP/1.1\r\nHost: example.com\r\n" + c.fields + "\r\n")
					check := func(where string, want bool) {
						t.Helper()
						if got := r.HasConfirmed(url, request); got != want {
							t.Errorf("%s: %v", where, got)
						}
					}
					r.get("http://example.com/before")
					for _, answer := range c.stored {
						r.commit(page, exampleRequest, answer)
					}
					check("in the queue", c.want && (!c.unqueued || c.url == ""))
					synctest.Wait()
					time.Sleep(handfulFor)
					synctest.Wait()
					check("waiting", c.want && !c.unqueued)
					time.Sleep(time.Second)
					synctest.Wait()
					r.Index()
					check("in the index", c.want)
					r.close()
					r = open(t, r.dir, cfg)
					check("after the next start", c.want)
					r.close()
				})
			})
		}
	}
}

// TestHasNot: what is not whole, or cannot be read any more, does not count.
func TestHasNot(t *testing.T) {
	t.Parallel()
	const url = "http://example.com/"
	tagged := answerOf(200, "ETag: \"1\"\r\n", body2K)
	any := func(record.Validators) bool { return true }
	remove := func(path string) error { return os.Remove(path) }
	damage := func(path string) error {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		_, err = f.WriteAt(make([]byte, info.Size()), 0)
		return err
	}
	for _, c := range []struct {
		name   string
		commit func(r *recording)
		harm   func(path string) error
		want   bool
	}{
		{"a whole one", func(r *recording) { r.commit(url, exampleRequest, tagged) }, nil, true},
		{"truncated", func(r *recording) {
			x := r.begin(url, exampleRequest, tagged)
			x.Truncated = "disconnect"
			x.Commit()
		}, nil, false},
		{"of a POST", func(r *recording) {
			x := r.begin(url, "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", tagged)
			x.Method = "POST"
			x.Commit()
		}, nil, false},
		{"of a HEAD", func(r *recording) {
			x := r.begin(url, "HEAD / HTTP/1.1\r\n\r\n", answerOf(200, "ETag: \"1\"\r\n", ""))
			x.Method = "HEAD"
			x.Commit()
		}, nil, false},
		{"discarded", func(r *recording) { r.begin(url, exampleRequest, tagged).Discard() }, nil, false},
		{"a revisit", func(r *recording) {
			r.commit("http://example.org/", exampleRequest, tagged)
			r.Index()
			r.commit(url, exampleRequest, tagged)
		}, nil, true},
		{"a revisit of what is gone", func(r *recording) {
			r.commit("http://example.org/", exampleRequest, tagged)
			r.Index()
			r.commit(url, exampleRequest, tagged)
		}, remove, false},
		{"in a file that is gone", func(r *recording) { r.commit(url, exampleRequest, tagged) }, remove,
			false},
		{"in a file that is damaged", func(r *recording) { r.commit(url, exampleRequest, tagged) }, damage,
			false},
		{"confirmed alone", func(r *recording) {
			r.commit(url, exampleRequest, tagged)
			eventually(t, "recorded", func() bool { return r.Status().Exchanges == 1 })
			for range 1005 {
				r.commit(url, "GET / HTTP/1.1\r\nIf-None-Match: \"1\"\r\n\r\n", answerOf(304, "", ""))
			}
		}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t, t.TempDir(), Config{})
			c.commit(r)
			r.close()
			if c.harm != nil {
				paths, _ := filepath.Glob(filepath.Join(r.dir, "archive", "*"))
				if err := c.harm(paths[0]); err != nil {
					t.Fatal(err)
				}
			}
			r = open(t, r.dir, Config{})
			defer r.Close()
			if got := r.Has(url, any); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
			request := []byte("GET / HTTP/1.1\r\nIf-None-Match: \"1\"\r\n\r\n")
			if got := r.HasConfirmed(url, request); got != c.want {
				t.Errorf("confirmed: %v, want %v", got, c.want)
			}
		})
	}
}

// TestHasLooksBack: of a page with many versions the latest are looked for, and no more are read,
// however many there are.
func TestHasLooksBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const url, versions = "http://example.com/", maxVersions + 4
		r := open(t, t.TempDir(), Config{})
		for i := range versions {
			r.commit(url, exampleRequest, answerOf(200, fmt.Sprintf("ETag: \"%d\"\r\n", i), fmt.Sprint(i)))
			synctest.Wait()
			time.Sleep(time.Second)
		}
		r.close()
		r = open(t, r.dir, Config{})
		defer r.Close()
		var seen []string
		r.Has(url, func(v record.Validators) bool {
			seen = append(seen, v.ETag)
			return false
		})
		var want []string
		for i := range maxVersions {
			want = append(want, fmt.Sprintf("%q", fmt.Sprint(versions-1-i)))
		}
		if !slices.Equal(seen, want) {
			t.Errorf("%q, want %q", seen, want)
		}
		for i, want := range map[int]bool{versions - 1: true, versions - maxVersions: true,
			versions - maxVersions - 1: false} {
			request := fmt.Appendf(nil, "GET / HTTP/1.1\r\nIf-None-Match: \"%d\"\r\n\r\n", i)
			if got := r.HasConfirmed(url, request); got != want {
				t.Errorf("version %d: %v", i, got)
			}
		}
	})
}

// TestReadVersionsBounded: however many versions are read, and however long what they say, what is
// kept of them has an end.
func TestReadVersionsBounded(t *testing.T) {
	var r readVersions
	to := &record.Reference{}
	for i := range 2*maxKnown + 1 {
		r.note(store.Location{Offset: int64(i)}, version{to: to})
		if len(r.known) > maxKnown {
			t.Fatalf("%d are kept", len(r.known))
		}
	}
	if _, known := r.get(store.Location{Offset: 2 * maxKnown}); !known {
		t.Error("the last one is not known")
	}
	long := version{to: to, of: record.Validators{ETag: strings.Repeat("x", maxKnownText+1)}}
	for at, v := range map[int64]version{-1: long, -2: {}} {
		if r.note(store.Location{Offset: at}, v); len(r.known) > 1 {
			t.Errorf("%d is kept", at)
		}
	}
}

// TestComingBounded: of what is in the queue a part is looked through, and it is left in any order.
func TestComingBounded(t *testing.T) {
	r := open(t, t.TempDir(), Config{})
	defer r.close()
	var c coming
	var all []*Exchange
	for i := range maxComing + 3 {
		x := r.begin(fmt.Sprintf("http://example.com/%d", i), exampleRequest, answerOf(200, "", "x"))
		c.add(x)
		all = append(all, x)
	}
	any := func(record.Validators) bool { return true }
	has := func(i int) bool { return c.has(all[i].URL, any) }
	if !has(len(all)-1) || !has(3) || has(2) {
		t.Error("not the last of them are looked through")
	}
	for _, i := range []int{maxComing, maxComing + 2, 3} { // from the middle and from both ends
		c.remove(&all[i].transit)
		c.remove(&all[i].transit)
		if has(i) {
			t.Errorf("%d is still there", i)
		}
	}
	if !has(maxComing+1) || !has(0) {
		t.Error("others have gone too")
	}
	for _, x := range all {
		c.remove(&x.transit)
		x.Discard()
	}
	if c.last != nil {
		t.Error("something is left")
	}
}
