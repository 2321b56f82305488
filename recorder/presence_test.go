package recorder

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
)

// TestOriginalGone: what lies in a file that was taken away or cut is stored again, and referred to
// from then on.
func TestOriginalGone(t *testing.T) {
	cut := func(path string) error { return os.Truncate(path, 400) }
	for _, c := range []struct {
		name   string
		cfg    Config
		reopen bool
		harm   func(path string) error
		want   []string
	}{
		{"nothing, after a start", Config{}, true, func(string) error { return nil },
			[]string{"revisit", "revisit"}},
		{"nothing, finished", Config{WARCMaxSize: 1}, false, func(string) error { return nil },
			[]string{"revisit", "revisit"}},
		{"missing at the start", Config{}, true, os.Remove, []string{"response", "revisit"}},
		{"short at the start", Config{}, true, cut, []string{"response", "revisit"}},
		{"a finished one", Config{WARCMaxSize: 1}, false, os.Remove, []string{"response", "revisit"}},
		{"the one that is written", Config{}, false, os.Remove, []string{"response", "revisit"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := open(t, t.TempDir(), c.cfg)
				commit := func(url string) {
					r.commit(url, exampleRequest, answerOf(200, "", body2K))
					synctest.Wait()
					time.Sleep(presentFor)
				}
				commit("http://example.com/1")
				paths, _ := filepath.Glob(filepath.Join(r.dir, "archive", "*"))
				if c.cfg.WARCMaxSize > 0 { // another one finishes it
					r.get("http://example.com/other")
					synctest.Wait()
					time.Sleep(time.Minute)
					paths, _ = filepath.Glob(filepath.Join(r.dir, "archive", "*"))
					slices.Sort(paths)
				}
				if c.reopen {
					r.close()
					paths, _ = filepath.Glob(filepath.Join(r.dir, "archive", "*"))
				}
				if err := c.harm(paths[0]); err != nil {
					t.Fatal(err)
				}
				if c.reopen {
					r = open(t, r.dir, c.cfg)
				}
				commit("http://example.com/2")
				commit("http://example.com/3")
				if got := kindsOf(t, r, "2", "3"); !slices.Equal(got, c.want) {
					t.Errorf("%q, want %q", got, c.want)
				}
				_ = r.Close()
			})
		})
	}
}

// TestOriginalGoneSoon: when a write shows that a file was taken away, nothing that is recorded
// from then on refers to it.
func TestOriginalGoneSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, t.TempDir(), Config{})
		commit := func(url, body string) {
			r.commit(url, exampleRequest, answerOf(200, "", body))
			synctest.Wait()
			time.Sleep(presentFor / 4)
		}
		commit("http://example.com/1", body2K)
		commit("http://example.com/2", body2K)
		paths, _ := filepath.Glob(filepath.Join(r.dir, "archive", "*"))
		if err := os.Remove(paths[0]); err != nil {
			t.Fatal(err)
		}
		commit("http://example.com/3", "other")
		commit("http://example.com/4", body2K)
		if got := kindsOf(t, r, "2", "4"); !slices.Equal(got, []string{"revisit", "response"}) {
			t.Errorf("%q", got)
		}
		_ = r.Close()
	})
}

// kindsOf returns as what the index has the pages of those names.
func kindsOf(t *testing.T, c *recording, names ...string) (kinds []string) {
	t.Helper()
	for _, name := range names {
		newest, err := c.Index().
			Newest("http://example.com/"+name, 1, func(*store.Capture) bool { return true })
		if len(newest) == 0 || err != nil {
			t.Fatal(name, err)
		}
		kind := "response"
		if newest[0].MIME == record.RevisitMIME {
			kind = "revisit"
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// TestOriginalAway: what lies in a file that is away is not stored again; but nobody waits for object
// storage to say whether a version of a page is the one that a client has.
func TestOriginalAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, t.TempDir(), Config{WARCMaxSize: 1})
		commit := func(url string) {
			r.commit(url, exampleRequest, answerOf(200, "ETag: \"1\"\r\n", body2K))
			synctest.Wait()
			time.Sleep(time.Minute)
		}
		commit("http://example.com/1")
		r.get("http://example.com/other") // finishes the file
		synctest.Wait()
		time.Sleep(time.Minute)
		has := func() bool {
			return r.Has("http://example.com/1", func(v record.Validators) bool { return true })
		}
		if !has() {
			t.Error("what is here does not count as here")
		}
		paths, _ := filepath.Glob(filepath.Join(r.dir, "archive", "*"))
		name := filepath.Base(slices.Min(paths))
		known, _ := r.Index().File(name)
		remote := store.Remote{Bucket: "b", Key: name, Size: known.Committed, Released: true}
		if err := errors.Join(r.Index().SetRemote(name, &remote), os.Remove(slices.Min(paths))); err != nil {
			t.Fatal(err)
		}
		time.Sleep(presentFor)
		if has() {
			t.Error("a version counts that nobody can read at once")
		}
		commit("http://example.com/2")
		if got := kindsOf(t, r, "2"); !slices.Equal(got, []string{"revisit"}) {
			t.Errorf("%q", got)
		}
		_ = r.Close()
	})
}
