package replaying

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"warcorder/store"
)

// answers is an answerer that looks at the index, and says yes.
type answers struct {
	look func(context.Context, store.Question)
}

func (a answers) Answer(ctx context.Context, _, _ string, _ []byte, _ io.Reader) (
	[]byte, io.ReadCloser, error) {
	a.look(ctx, store.Everything)
	return []byte("yes"), nil, nil
}

// settler is a recorder: a client that does not take its bytes, a disk and an index that take their
// time, or one that is off.
type settler struct {
	calls  int // of onDisk
	looks  int // of index
	client bool
	disk   time.Duration
	writes time.Duration // of the index
	off    error
}

func (s *settler) onDisk(ctx context.Context, patience time.Duration) (bool, error) {
	s.calls++
	if s.off != nil {
		return false, s.off
	}
	if s.client {
		time.Sleep(patience)
	}
	select {
	case <-time.After(s.disk):
		return !s.client, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func (s *settler) index(ctx context.Context, _ store.Question) error {
	s.looks++
	select {
	case <-time.After(s.writes):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fresh answers from the recorder.
func (s *settler) fresh() *Fresh {
	f := &Fresh{OnDisk: s.onDisk, Index: s.index}
	f.By = answers{f.Await}
	return f
}

// TestFresh: a request waits for a slow disk, each time; not long for a client that does not take
// its bytes, and then no more; nor for a disk, or an index, that does nothing.
func TestFresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(settler)
		f := s.fresh()
		ask := func(what string, want time.Duration, calls, looks int) {
			t.Helper()
			began := time.Now()
			if got, _, err := f.Answer(t.Context(), "GET", "http://a/", nil, nil); string(got) != "yes" || err != nil {
				t.Error(got, err)
			}
			if took := time.Since(began); took != want || s.calls != calls || s.looks != looks {
				t.Errorf("%s: it took %v, want %v; asked %d and %d times, want %d and %d", what, took, want,
					s.calls, s.looks, calls, looks)
			}
		}
		ask("all is there", 0, 1, 1)
		s.disk, s.writes = 3*time.Second, 2*time.Second
		ask("a slow disk", s.disk+s.writes, 2, 2)
		ask("a slow disk again", s.disk+s.writes, 3, 3)
		s.client, s.disk, s.writes = true, time.Second/2, 0
		ask("a client takes nothing", clientPatience+s.disk, 4, 4)
		ask("it still takes nothing, the disk is waited for", s.disk, 5, 5)
		time.Sleep(notAgainFor)
		s.client, s.disk = false, time.Hour
		ask("a disk that does nothing", diskPatience, 6, 5)
		ask("and again", 0, 6, 5)
		time.Sleep(notAgainFor)
		s.disk, s.writes = 0, time.Hour
		ask("an index that does nothing", diskPatience, 7, 6)
		ask("and again", 0, 7, 6)
		time.Sleep(notAgainFor)
		s.off, s.writes = errors.New("recording is off"), 0
		ask("recording is off", 0, 8, 7)
		s.off, s.disk = nil, time.Second
		ask("it is on again", s.disk, 9, 8)
	})
}

// TestFreshGone: a client that has gone keeps nobody else from what is new.
func TestFreshGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, s := range []*settler{{disk: time.Hour}, {writes: time.Hour}} {
			f := s.fresh()
			gone, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			f.Answer(gone, "GET", "http://a/", nil, nil)
			s.disk, s.writes = time.Second, time.Second
			began := time.Now()
			f.Answer(t.Context(), "GET", "http://a/", nil, nil)
			if took := time.Since(began); took != s.disk+s.writes || s.calls != 2 || s.looks != 2 {
				t.Errorf("it took %v, asked %d and %d times", took, s.calls, s.looks)
			}
		}
	})
}
