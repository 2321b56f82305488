package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// turnCaptures are so many that an export reads slices of 64, 512, and then turnSlices more.
const (
	turnSlices   = 5
	turnCaptures = fewKeys + moreKeys*fewKeys + turnSlices*sliceKeys
)

// fillTurns makes an index that has turnCaptures captures, most of them of one of two URLs.
func fillTurns(t *testing.T) (path string) {
	path = filepath.Join(t.TempDir(), "index.bolt")
	b, err := Open(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	file := addFile(t, b, "w.warc.gz")
	all := make([]Capture, turnCaptures)
	for i := range all {
		url := fmt.Sprintf("http://%d.example.com/", i%8/7)
		all[i] = captureOf(url, testTime.Add(time.Duration(i)*time.Second), file.Name, int64(i))
	}
	commit(t, b, all, File{ID: file.ID, Committed: turnCaptures})
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// busyIndex opens the index at path, as one for which there is always something to write.
func busyIndex(t *testing.T, path string) *Bolt {
	b, err := openToWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	b.Busy = func() bool { return true }
	return b
}

// took is how long work takes, in the time of a bubble, where only who stands back takes any.
func took(t *testing.T, work func() error) time.Duration {
	t.Helper()
	began := time.Now()
	if err := work(); err != nil {
		t.Error(err)
	}
	return time.Since(began)
}

func exportAll(b *Bolt) error {
	var lines bytes.Buffer
	_, err := b.Export(&lines, Query{}, nil)
	if n := bytes.Count(lines.Bytes(), []byte("\n")); n != turnCaptures {
		return errors.Join(err, fmt.Errorf("%d lines", n))
	}
	return err
}

// TestStandBack: while there is always something to write a long reading stands back before each
// slice but the first ones, and comes to its end; a short one does not, also not beside long ones; and
// several long ones together read no more than one does.
func TestStandBack(t *testing.T) {
	exactly := func(url string, most int) func(*Bolt) error {
		return func(b *Bolt) error {
			return b.Nearest(URLKey, url, testTime, most, func(*Capture) bool { return true })
		}
	}
	path := fillTurns(t)
	for name, test := range map[string]struct {
		read  func(*Bolt) error
		waits int // slices, after one for which nothing is to be waited for
	}{
		"export":    {exportAll, turnSlices - 2}, // the first large slice is still among the first keys
		"quick":     {exactly("com,example,0)/", sliceKeys/2), 0},
		"nearest":   {exactly("com,example,0)/", turnCaptures), 2},
		"under":     {allUnder, turnSlices - 2},
		"timeline":  {eachMoment(context.Background()), turnSlices - 1},
		"one":       {exactly("com,example,1)/", 1), 0},
		"two":       {oneByOne, 2*(turnSlices-1) - 1},
		"two ahead": {bothAtOnce, 2*(turnSlices-1) - 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := busyIndex(t, path)
				want := time.Duration(test.waits) * restTime
				if got := took(t, func() error { return test.read(b) }); got != want {
					t.Errorf("it stood back for %v, and not %v", got, want)
				}
				b.Busy = func() bool { return false }
				if got := took(t, func() error { return test.read(b) }); got > 0 {
					t.Errorf("it stood back for %v with nothing to write", got)
				}
			})
		})
	}
}

func allUnder(b *Bolt) error {
	_, err := b.Under("com,", turnCaptures, func(*Capture) bool { return true })
	return err
}

func eachMoment(ctx context.Context) func(*Bolt) error {
	return func(b *Bolt) error {
		for _, err := range b.Timeline(ctx, time.Time{}) {
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func oneByOne(b *Bolt) error { return errors.Join(exportAll(b), exportAll(b)) }

func bothAtOnce(b *Bolt) error {
	var group sync.WaitGroup
	var failed [2]error
	for i := range failed {
		group.Go(func() { failed[i] = exportAll(b) })
	}
	group.Wait()
	return errors.Join(failed[:]...)
}

// TestStandBackEnds: who stands back goes on as soon as there is nothing to write, and ends with its
// context; those who come later do not wait for the time that was not taken.
func TestStandBackEnds(t *testing.T) {
	path := fillTurns(t)
	synctest.Test(t, func(t *testing.T) {
		b := busyIndex(t, path)
		var busy atomic.Bool
		busy.Store(true)
		b.Busy = busy.Load
		for range 3 * sliceKeys { // much more than one reading
			b.turns.take()
			b.turns.leave()
		}
		b.turns.take()
		time.AfterFunc(restTime/2, func() { busy.Store(false) })
		if got := took(t, func() error { return exportAll(b) }); got > restTime/2+lookEvery {
			t.Errorf("it went on after %v", got)
		}
		busy.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), restTime/2)
		defer cancel()
		began := time.Now()
		err := eachMoment(ctx)(b)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > restTime/2 {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

// TestSliceGrows: who wants a few captures of many is not given thousands.
func TestSliceGrows(t *testing.T) {
	b := busyIndex(t, fillTurns(t))
	keys := 0
	span, err := Query{}.span()
	if err != nil {
		t.Fatal(err)
	}
	err = b.slices(span, func(s *slice) (bool, error) {
		keys += s.keys
		return false, nil
	})
	if keys > 2*fewKeys || err != nil {
		t.Errorf("%d keys for the first capture: %v", keys, err)
	}
}

// TestWalkLooked: a walk that goes on for one that has looked at much stands back at once, and one that
// is the first does not.
func TestWalkLooked(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "w.warc.gz")
	commit(t, b, []Capture{captureOf("http://example.com/", testTime, file.Name, 0)},
		File{ID: file.ID, Committed: 1})
	asked := 0
	b.Busy = func() bool { asked++; return false }
	for looked, want := range map[int]bool{0: false, quickKeys - 1: false, quickKeys: true} {
		asked = 0
		err := b.Walk(Walk{Query: Query{URL: "http://example.com/"}, Looked: looked},
			func(*Capture) bool { return true })
		if err != nil || (asked > 0) != want {
			t.Errorf("%d: asked %d times, %v", looked, asked, err)
		}
	}
}
