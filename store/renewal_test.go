package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// renewable is an index of three files, with captures of every kind, originals and gaps. The second
// file has the URLs with a word in them.
func renewable(t *testing.T, word string) *Bolt {
	t.Helper()
	b := newIndex(t)
	for f := range 3 {
		file := addFile(t, b, fmt.Sprintf("%d.warc.gz", f))
		var captures []Capture
		for i := range 300 {
			name := fmt.Sprintf("kept%d", f)
			if f == 1 {
				name = word
			}
			captures = append(captures, renewed(file.Name, name, i))
		}
		file.Committed, file.Sealed = 300*1000, f < 2
		commit(t, b, captures, file)
	}
	gaps := []Gap{{Time: testTime, Reason: "upstream", URL: "https://example.com/" + word},
		{Time: testTime, Reason: "cut", URL: "https://example.com/other"}}
	if err := b.AddGaps(gaps, map[string]int64{"upstream": 7}); err != nil {
		t.Fatal(err)
	}
	return b
}

// renewed is a capture: a GET, a revisit, or a POST with a long body and all keys.
func renewed(file, name string, i int) Capture {
	c := captureOf(fmt.Sprintf("https://example.com/%s/%d", name, i), testTime.Add(time.Duration(i)*time.Second),
		file, int64(i)*1000)
	switch i % 3 {
	case 0:
		c.Original = &Original{Key: OriginalKey{byte(i), byte(i >> 8), file[0]}, Time: c.Time, URL: c.URL,
			Digest: c.Digest}
	case 1:
		c.MIME = revisitMIME
	case 2:
		c.Method, c.RequestBody = "POST", strings.Repeat(name, 500)
		c.URLKey += "?" + c.RequestBody
		c.SpecBody, c.FormKey, c.QueryKey = name, name+"form", name+"query"
	}
	return c
}

// TestRenewal: the new index has what the old one had but for the files that are left out, what was
// committed meanwhile, and what it is given of those files; nothing else is in its bytes.
func TestRenewal(t *testing.T) {
	const word = "unspeakable"
	b := renewable(t, word)
	path := b.writing.db.Path()
	r, err := b.Renew(path+".new", []uint32{2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Renew(path+".new2", nil); err == nil {
		t.Error("two at once")
	}
	late := addFile(t, b, "late.warc.gz")
	late.Committed = 1000
	commit(t, b, []Capture{renewed("late.warc.gz", "late", 0)}, late)
	instead := renewed("1.warc.gz", "instead", 0)
	err = r.Fill(func() error {
		file, _ := r.Index().File("1.warc.gz")
		file.Committed, file.Sealed, file.Reduced = 5000, true, true
		return r.Index().Commit([]Capture{instead}, []File{file})
	})
	err = errors.Join(err, r.Copy(t.Context()))
	commit(t, b, []Capture{renewed("2.warc.gz", "later", 400)}, File{ID: 3, Committed: 401_000, Sealed: true})
	checked := 0
	r.Check = func(*Capture) error { checked++; return nil }
	err = errors.Join(err, r.Synced())
	var seen *writing
	if err2 := b.readSame(&seen, func(snapshot) error { return nil }); err2 != nil {
		t.Fatal(err2)
	}
	err = errors.Join(err, r.Take(
		func(g *Gap) bool { return strings.Contains(g.URL, word) },
		decided, func() error { return Move(path+".new", path) }, forward), r.Abandon())
	if err != nil || checked != 1 {
		t.Fatal(err, checked)
	}
	if err := b.readSame(&seen, func(snapshot) error { return nil }); !errors.Is(err, ErrReplaced) {
		t.Errorf("who has read the old index gets %v", err)
	}
	want := newIndex(t)
	for f := range 3 {
		file := addFile(t, want, fmt.Sprintf("%d.warc.gz", f))
		var captures []Capture
		for i := 0; i < 300 && f != 1; i++ {
			captures = append(captures, renewed(file.Name, fmt.Sprintf("kept%d", f), i))
		}
		file.Committed, file.Sealed = 300*1000, true
		if f == 1 {
			captures, file.Committed, file.Reduced = []Capture{instead}, 5000, true
		}
		if f == 2 {
			captures, file.Committed = append(captures, renewed(file.Name, "later", 400)), 401_000
		}
		commit(t, want, captures, file)
	}
	addFile(t, want, "late.warc.gz")
	commit(t, want, []Capture{renewed("late.warc.gz", "late", 0)}, late)
	got, wanted := stateBytes(t, b), stateBytes(t, want)
	if !reflect.DeepEqual(got, wanted) {
		t.Errorf("the new index is not one that was made so at once: %d rows, want %d", len(got), len(wanted))
	}
	gaps, err := b.Gaps(0)
	if err != nil || len(gaps.Latest) != 1 || gaps.Counts["upstream"] != 8 || gaps.Counts["cut"] != 1 {
		t.Errorf("gaps: %+v, %v", gaps, err)
	}
	totals, err := b.Totals()
	if err != nil || totals.Captures != 603 || *totals.Revisits != 201 {
		t.Errorf("totals: %+v, %v", totals, err)
	}
	commit(t, b, []Capture{renewed("late.warc.gz", "after", 1)}, late)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + ".closed"} {
		if content, err := os.ReadFile(name); err != nil || bytes.Contains(content, []byte(word)) {
			t.Errorf("%s: %v, or it has what was removed", name, err)
		}
	}
	if names, _ := filepath.Glob(path + ".new*"); len(names) > 0 {
		t.Errorf("left over: %q", names)
	}
	b, err = Open(path, Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
}

// stateBytes are all rows of an index but those of gaps and of the session.
func stateBytes(t *testing.T, b *Bolt) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := b.writing.db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
			return bucket.ForEach(func(k, v []byte) error {
				if string(name) != "gaps" && !strings.HasPrefix(string(k), "gap ") {
					all[string(name)+" "+string(k)] = string(v)
				}
				return nil
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRenewalEnds: a Renewal that is given up, by an error of its caller too, leaves the index as it
// was, and no file.
func TestRenewalEnds(t *testing.T) {
	b := renewable(t, "word")
	path := b.writing.db.Path()
	before := stateBytes(t, b)
	for name, do := range map[string]func(*Renewal) error{
		"at once": func(*Renewal) error { return errors.New("given up") },
		"by Fill": func(r *Renewal) error { return r.Fill(func() error { return errors.New("no") }) },
		"by Check": func(r *Renewal) error {
			r.Check = func(*Capture) error { return errors.New("no") }
			commit(t, b, []Capture{renewed("2.warc.gz", "kept2", 0)}, File{ID: 3, Committed: 300_000})
			return r.Take(func(*Gap) bool { return true }, decided, decided, forward)
		},
		"by decide": func(r *Renewal) error {
			return r.Take(func(*Gap) bool { return true }, func() error { return errors.New("no room") },
				func() error { t.Error("it was not decided"); return nil }, forward)
		},
		"by place, undone": func(r *Renewal) error {
			return r.Take(func(*Gap) bool { return true }, decided, func() error { return os.ErrPermission },
				func() (bool, error) { return true, nil })
		},
	} {
		r, err := b.Renew(path+".new", []uint32{1})
		if err != nil {
			t.Fatal(err)
		}
		if err := do(r); err == nil {
			t.Errorf("%s: no error", name)
		}
		if err := r.Abandon(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if names, _ := filepath.Glob(path + ".new*"); len(names) > 0 {
			t.Errorf("%s: left over: %q", name, names)
		}
		if !reflect.DeepEqual(stateBytes(t, b), before) {
			t.Errorf("%s: the index has changed", name)
		}
	}
}

func decided() error { return nil }

// forward is the undo of what is not undone.
func forward() (undone bool, err error) { return false, nil }

// TestRenewalSwapFails: where the places cannot be taken, the index can be used no more.
func TestRenewalSwapFails(t *testing.T) {
	b := renewable(t, "word")
	r, err := b.Renew(b.writing.db.Path()+".new", []uint32{1})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Take(func(*Gap) bool { return false }, decided, func() error { return os.ErrPermission }, forward)
	if !errors.Is(err, os.ErrPermission) {
		t.Error(err)
	}
	if err := b.AddGaps([]Gap{{Reason: "x"}}, nil); !errors.Is(err, ErrBroken) {
		t.Errorf("it was used: %v", err)
	}
	if _, err := b.Count(); !errors.Is(err, ErrBroken) {
		t.Errorf("it was read: %v", err)
	}
	if err := r.Abandon(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(r.path); err != nil {
		t.Errorf("who goes on with it needs the new index: %v", err)
	}
}

// TestRenewalPanics: a panic before decide is called leaves the index as it was, in use, and nothing is
// taken down for the new one any more; behind that the index can be used no more.
func TestRenewalPanics(t *testing.T) {
	panics, nothing := func() error { panic("a fault") }, func(*Capture) error { return nil }
	denied := func() error { return os.ErrPermission }
	for name, c := range map[string]struct {
		check         func(*Capture) error
		decide, place func() error
		undo          func() (bool, error)
		broken        bool
	}{
		"check":  {func(*Capture) error { panic("a fault") }, decided, decided, forward, false},
		"decide": {nothing, panics, decided, forward, true},
		"place":  {nothing, decided, panics, forward, true},
		"undo":   {nothing, decided, denied, func() (bool, error) { panic("a fault") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := renewable(t, "word")
			r, err := b.Renew(b.writing.db.Path()+".new", []uint32{1})
			if err != nil {
				t.Fatal(err)
			}
			r.Check = c.check
			commit(t, b, []Capture{renewed("2.warc.gz", "meanwhile", 400)}, File{ID: 3, Committed: 401_000})
			noted := len(r.noted)
			func() {
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				r.Take(func(*Gap) bool { return false }, c.decide, c.place, c.undo)
			}()
			if err := errors.Join(r.Abandon(), r.Abandon()); err != nil {
				t.Error(err)
			}
			err = b.Commit([]Capture{renewed("2.warc.gz", "later", 500)}, nil)
			_, left := os.Stat(r.path)
			if errors.Is(err, ErrBroken) != c.broken || (left == nil) != c.broken || len(r.noted) > noted {
				t.Errorf("a commit says %v, the new index %v, %d captures are taken down", err, left, len(r.noted))
			}
			if _, err := b.Count(); errors.Is(err, ErrBroken) != c.broken {
				t.Errorf("who reads gets %v", err)
			}
			if c.broken {
				return
			}
			again, err := b.Renew(r.path, nil)
			if err == nil {
				err = again.Abandon()
			}
			if err != nil {
				t.Errorf("another one: %v", err)
			}
		})
	}
}
