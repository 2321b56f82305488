package replaying

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// answers is an answerer that says yes.
type answers struct{}

func (answers) Answer(context.Context, string, string, []byte, io.Reader) ([]byte, io.ReadCloser, error) {
	return []byte("yes"), nil, nil
}

// settler is a recorder: a client that does not take its bytes, a disk that takes its time, or one
// that is off.
type settler struct {
	calls  int
	client bool
	disk   time.Duration
	off    error
}

func (s *settler) settle(ctx context.Context, patience time.Duration) (bool, error) {
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

// TestFresh: a request waits for a slow disk, each time; not long for a client that does not take
// its bytes, and then no more; nor for a disk that does nothing.
func TestFresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(settler)
		f := &Fresh{By: answers{}, Settle: s.settle}
		ask := func(what string, want time.Duration, calls int) {
			t.Helper()
			began := time.Now()
			if got, _, err := f.Answer(t.Context(), "GET", "http://a/", nil, nil); string(got) != "yes" || err != nil {
				t.Error(got, err)
			}
			if took := time.Since(began); took != want || s.calls != calls {
				t.Errorf("%s: it took %v, want %v; asked %d times, want %d", what, took, want, s.calls, calls)
			}
		}
		ask("all is there", 0, 1)
		s.disk = 3 * time.Second
		ask("a slow disk", s.disk, 2)
		ask("a slow disk again", s.disk, 3)
		s.client, s.disk = true, time.Second/2
		ask("a client takes nothing", clientPatience+s.disk, 4)
		ask("it still takes nothing, the disk is waited for", s.disk, 5)
		time.Sleep(notAgainFor)
		s.client, s.disk = false, time.Hour
		ask("a disk that does nothing", diskPatience, 6)
		ask("and again", 0, 6)
		time.Sleep(notAgainFor)
		s.off = errors.New("recording is off")
		ask("recording is off", 0, 7)
		s.off, s.disk = nil, time.Second
		ask("it is on again", s.disk, 8)
	})
}

// TestFreshGone: a client that has gone keeps nobody else from what is new.
func TestFreshGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &settler{disk: time.Hour}
		f := &Fresh{By: answers{}, Settle: s.settle}
		gone, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f.Answer(gone, "GET", "http://a/", nil, nil)
		s.disk = time.Second
		began := time.Now()
		f.Answer(t.Context(), "GET", "http://a/", nil, nil)
		if took := time.Since(began); took != s.disk || s.calls != 2 {
			t.Errorf("it took %v, asked %d times", took, s.calls)
		}
	})
}
