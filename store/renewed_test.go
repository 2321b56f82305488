package store

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// renewedBy lets an index take the place of b in which the captures lie elsewhere.
func renewedBy(t *testing.T, b *Bolt, file File, captures []Capture) {
	t.Helper()
	path := b.writing.db.Path()
	r, err := b.Renew(path+".new", []uint32{file.ID})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Fill(func() error {
		now, _ := r.Index().File(file.Name)
		now.Committed, now.Sealed, now.Reduced = file.Committed, true, true
		for i := range captures {
			captures[i].Offset -= 500
		}
		return r.Index().Commit(captures, []File{now})
	})
	err = errors.Join(err, r.Copy(t.Context()), r.Synced(), r.Take(func(*Gap) bool { return false }, decided,
		func() error { return Move(path+".new", path) }, forward), r.Abandon())
	if err != nil {
		t.Fatal(err)
	}
}

// TestRenewalWhileRead: who reads captures or moments over a Renewal gets ErrReplaced, however it
// reads, and none of the new index.
func TestRenewalWhileRead(t *testing.T) {
	const many = 2 * sliceMoments
	timeline := func(b *Bolt, each func()) (err error) {
		for _, err = range b.Timeline(t.Context(), time.Time{}) {
			if err == nil {
				each()
			}
		}
		return err
	}
	yield := func(each func()) func(*Capture) bool {
		return func(*Capture) bool { each(); return true }
	}
	for name, c := range map[string]struct {
		step           time.Duration // from one capture to the next
		stretchMoments int
		read           func(b *Bolt, each func()) error
	}{
		"Timeline":                 {step: time.Second, read: timeline},
		"Timeline, sorted on disk": {stretchMoments: 100, read: timeline},
		"Nearest": {read: func(b *Bolt, each func()) error {
			return b.Nearest(URLKey, "com,example)/", testTime, many, yield(each))
		}},
		"Under": {read: func(b *Bolt, each func()) error {
			_, err := b.Under("com,example)/", many, yield(each))
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newIndex(t)
			b.stretchMoments = c.stretchMoments
			file := addFile(t, b, "1.warc.gz")
			var captures []Capture
			for i := range many {
				captures = append(captures, captureOf("https://example.com/",
					testTime.Add(time.Duration(i)*c.step), file.Name, int64(i+1)*1000))
			}
			file.Committed, file.Sealed = many*1001, true
			commit(t, b, captures, file)
			n := 0
			err := c.read(b, func() {
				if n++; n == 1 {
					renewedBy(t, b, file, captures)
				}
			})
			if !errors.Is(err, ErrReplaced) || n == many {
				t.Error(fmt.Sprint(n, " captures of the old index, and "), err)
			}
		})
	}
}
