package recovery_test

import (
	"errors"
	"os"
	"slices"
	"testing"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/objects"
)

// set changes what the index knows of a file's copy.
func (w *awayWorld) set(name string, change func(*store.Remote) *store.Remote) {
	w.t.Helper()
	index, err := store.Open(w.dir.Index(), store.Options{})
	w.must(err)
	f, _ := index.File(name)
	known := new(store.Remote)
	if f.Remote != nil {
		*known = *f.Remote
	}
	w.must(errors.Join(index.SetRemote(name, change(known)), index.Close()))
}

// bring puts a file of the bucket back into archive/.
func (w *awayWorld) bring(name string, change func([]byte) []byte) {
	w.t.Helper()
	content, err := os.ReadFile(w.storage.Dir + "/warcs/test/" + name)
	w.must(err)
	w.must(os.WriteFile(w.dir.WARC(name), change(content), 0o600))
}

func asItIs[T any](v T) T { return v }

// note changes the note of where a file has a copy.
func (w *awayWorld) note(name string, change func(*store.Remote)) {
	w.t.Helper()
	remote := new(store.Remote)
	w.must(w.dir.ReadNote(w.dir.AwayNote(name), remote))
	change(remote)
	w.must(w.dir.WriteNote(w.dir.AwayNote(name), 0, remote))
}

// awayState is what a kill, or a person, may have left of the first file, and what comes of it.
type awayState struct {
	name   string
	leave  func(w *awayWorld, name string)
	isAway bool // the index and the note say so then
	here   bool // the file is in archive/, too
}

var awayStates = []awayState{
	{"as it is", func(*awayWorld, string) {}, true, false},
	{"no note", func(w *awayWorld, name string) { w.must(w.dir.DropNote(w.dir.AwayNote(name))) }, true, false},
	{"a note of rubbish", func(w *awayWorld, name string) {
		w.must(os.WriteFile(w.dir.AwayNote(name), []byte(`{"bucket":"../..","key":"`), 0o600))
	}, true, false},
	{"a note of another file", func(w *awayWorld, name string) {
		w.note(name, func(r *store.Remote) { r.Key, r.SHA256 = "test/other.warc.gz", store.Sum{1} })
	}, true, false},
	{"a note, which the index lacks", func(w *awayWorld, name string) {
		w.set(name, func(*store.Remote) *store.Remote { return nil })
	}, true, false},
	{"not let go, and gone", func(w *awayWorld, name string) {
		w.set(name, func(r *store.Remote) *store.Remote { r.Released = false; return r })
		w.note(name, func(r *store.Remote) { r.Released = false })
	}, true, false},
	{"let go, and still here", func(w *awayWorld, name string) { w.bring(name, asItIs) }, true, true},
	{"let go, still here, no note", func(w *awayWorld, name string) {
		w.bring(name, asItIs)
		w.must(w.dir.DropNote(w.dir.AwayNote(name)))
	}, true, true},
	{"about to be removed", func(w *awayWorld, name string) {
		w.bring(name, asItIs)
		w.must(os.Rename(w.dir.WARC(name), w.dir.WARC(name)+".removing"))
	}, true, true},
	{"noted, here, and the index lacks it", func(w *awayWorld, name string) {
		w.bring(name, asItIs)
		w.set(name, func(*store.Remote) *store.Remote { return nil })
	}, true, true},
	{"half brought back", func(w *awayWorld, name string) {
		w.bring(name, func(b []byte) []byte { return b[:len(b)/2] })
		w.must(os.Rename(w.dir.WARC(name), w.dir.WARC(name)+collection.CopyingSuffix))
	}, true, false},
	{"brought back, and no more in the index", func(w *awayWorld, name string) {
		w.bring(name, asItIs)
		w.set(name, func(*store.Remote) *store.Remote { return nil })
		w.must(w.dir.DropNote(w.dir.AwayNote(name)))
	}, false, true},
}

// TestAwayStates: whatever a kill leaves between the note that a file is away and the end of its copy here,
// the next start brings index, note and file into agreement, without object storage, and loses nothing;
// a start after that has nothing to do.
func TestAwayStates(t *testing.T) {
	w := newAwayWorld(t)
	first := w.names[0]
	for _, c := range awayStates {
		for _, lost := range []bool{false, true} {
			name := c.name
			if lost {
				name += ", without an index"
			}
			t.Run(name, func(t *testing.T) {
				w := *w
				w.t = t
				before, err := os.ReadFile(w.dir.Index())
				w.must(err)
				back := w.everything()
				defer func() { w.restore(back, before) }()
				c.leave(&w, first)
				note := new(store.Remote)
				noted := w.dir.ReadNote(w.dir.AwayNote(first), note) == nil && note.Check(first) == nil &&
					note.Key == "test/"+first
				if lost && !noted && !c.here {
					return // nothing knows of it then: TestRebuildFrom
				}
				isAway := c.isAway
				if lost {
					w.loseIndex()
					isAway = noted // who else should know
				} else {
					w.down()
				}
				found, err := w.open()
				if err != nil || len(found.Missing)+len(found.Unread)+len(found.Left)+len(found.Short) > 0 {
					t.Errorf("%+v, %v", found, err)
				}
				w.up()
				if got := w.exported(); got != w.lines {
					t.Errorf("the index has\n%s\nand had\n%s", got, w.lines)
				}
				want := w.names[:2]
				if !isAway {
					want = w.names[1:2]
				}
				w.away(want...)
				if _, err := os.Stat(w.dir.WARC(first)); (err == nil) != c.here {
					t.Errorf("here: %v", err)
				}
				if v := w.verified(true); v.Findings > 0 || v.Files != 3 {
					t.Errorf("%+v", v)
				}
				w.down()
				again, err := w.open()
				if err != nil || again.Files > 0 || len(again.Unread) > 0 {
					t.Errorf("there was more to do: %+v, %v", again, err)
				}
				w.up()
			})
		}
	}
}

// restore puts back what there was.
func (w *awayWorld) restore(all map[string]string, index []byte) {
	w.t.Helper()
	for path := range w.everything() {
		if _, was := all[path]; !was {
			w.must(os.Remove(path))
		}
	}
	for path, content := range all {
		w.must(os.WriteFile(path, []byte(content), 0o600))
	}
	w.must(os.WriteFile(w.dir.Index(), index, 0o600))
}

// TestAwayHarmed: a file that is here and is not what was uploaded, and an object that is not there or
// another one, are told of by name, and nothing is removed for it; what was put right is right again.
func TestAwayHarmed(t *testing.T) {
	w := newAwayWorld(t)
	first := w.names[0]
	object := w.storage.Dir + "/warcs/test/" + first
	content, err := os.ReadFile(object)
	w.must(err)
	flipped := slices.Clone(content)
	flipped[len(flipped)-1] ^= 1 // of the last member's length
	putBack := func() { put(t, "test/"+first, content) }
	for _, c := range []struct {
		name        string
		leave, mend func()
		rebuild     bool
		short, left []string
		missing     []string
		damaged     bool
	}{
		{"short here", func() { w.bring(first, func(b []byte) []byte { return b[:len(b)/2] }) },
			func() { w.must(os.Remove(w.dir.WARC(first))) }, false, []string{first}, nil, nil, false},
		{"longer here", func() { w.bring(first, func(b []byte) []byte { return append(b, "more"...) }) },
			func() { w.must(os.Remove(w.dir.WARC(first))) }, false, nil, []string{first}, nil, false},
		{"the object is gone", func() { w.must(os.Rename(object, object+".aside")) },
			func() { w.must(os.Rename(object+".aside", object)) }, true, nil, nil, []string{first}, false},
		{"another object", func() { put(t, "test/"+first, flipped) }, putBack, true, nil, nil, []string{first}, false},
		{"other bytes in the object", func() { w.must(os.WriteFile(object, flipped, 0o600)) },
			func() { w.must(os.WriteFile(object, content, 0o600)) }, true, nil, nil, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := *w
			w.t = t
			c.leave()
			before := w.everything()
			run := w.repair
			if c.rebuild {
				run = w.rebuild
			}
			found, err := run()
			if err != nil || !slices.Equal(found.Short, c.short) || !slices.Equal(found.Left, c.left) ||
				!slices.Equal(found.Missing, c.missing) || (len(found.Damaged) > 0) != c.damaged {
				t.Errorf("%+v, %v", found, err)
			}
			w.unchanged(before)
			c.mend()
			again := w.repair
			if c.damaged { // what is damaged is not in the index
				again = w.rebuild
			}
			if found, err := again(); err != nil ||
				len(found.Short)+len(found.Left)+len(found.Missing)+len(found.Unread) > 0 {
				t.Errorf("put right: %+v, %v", found, err)
			}
			w.whole()
		})
	}
}

// TestNoBucketIsNoLoss: where the bucket itself cannot be found, as when the environment names another
// storage, no file counts as gone: a rebuild changes nothing, and who begins to record says what is unread.
func TestNoBucketIsNoLoss(t *testing.T) {
	w := newAwayWorld(t)
	bucket := w.storage.Dir + "/warcs"
	w.must(os.Rename(bucket, bucket+"-aside"))
	if _, err := w.rebuild(); !errors.Is(err, objects.ErrRefused) {
		t.Errorf("rebuild: %v", err)
	}
	if got := w.exported(); got != w.lines {
		t.Errorf("the index has changed: %s", got)
	}
	w.loseIndex()
	found, err := w.open()
	if err != nil || !slices.Equal(found.Unread, w.names[:2]) || len(found.Missing) > 0 {
		t.Errorf("open: %+v, %v", found, err)
	}
	w.must(os.Rename(bucket+"-aside", bucket))
	if found, err := w.open(); err != nil || len(found.Unread) > 0 {
		t.Errorf("when it is there again: %+v, %v", found, err)
	}
	w.whole()
}
