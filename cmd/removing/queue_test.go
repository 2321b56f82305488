package removing

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"warcorder/recorder"
	"warcorder/store/removal"
)

// slow is a removal that ends when it is told to, or when its context ends.
type slow struct {
	began, end chan struct{}
	result     Removed
}

func newSlow() *slow { return &slow{began: make(chan struct{}), end: make(chan struct{})} }

func (s *slow) work(ctx context.Context, progress func(Progress)) (Removed, error) {
	close(s.began)
	progress(Progress{Writes, 1, 2})
	select {
	case <-ctx.Done():
		return Removed{}, ctx.Err()
	case <-s.end:
		return s.result, nil
	}
}

// states are the states of all jobs, the newest first.
func states(q *Queue) (all string) {
	for _, j := range q.All() {
		all += string(j.State[:1])
	}
	return all
}

// TestQueue: one removal goes on at a time, the others wait, and what waits or goes on can be stopped.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		one, two, three := newSlow(), newSlow(), newSlow()
		for _, s := range []*slow{one, two, three} {
			if _, err := q.Add("page", false, s.work); err != nil {
				t.Fatal(err)
			}
		}
		<-one.began
		synctest.Wait()
		if got := states(&q); got != "wwr" {
			t.Errorf("%s", got)
		}
		if waiting, running := q.Going(); waiting != 2 || running != 1 {
			t.Errorf("%d wait, %d run", waiting, running)
		}
		if step := q.All()[2].Step; step != (Progress{Writes, 1, 2}) {
			t.Errorf("it does %+v", step)
		}
		one.result.Captures = 7
		close(one.end)
		<-two.began
		if !q.Stop("2") || !q.Stop("1") || q.Stop("9") {
			t.Error("a job is not known, or one is that is none")
		}
		<-three.began
		synctest.Wait()
		if got := states(&q); got != "rsd" || q.All()[2].Result.Captures != 7 {
			t.Errorf("%s, %+v", got, q.All())
		}
		q.Close()
		if _, err := q.Add("", false, newSlow().work); states(&q) != "ssd" || !errors.Is(err, ErrEnding) {
			t.Errorf("%s, %v", states(&q), err)
		}
	})
}

// TestQueueTooLate: what is done when it is to stop is done, and what fails says why.
func TestQueueTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		began, decided := make(chan struct{}), make(chan struct{})
		q.Add("", false, func(ctx context.Context, _ func(Progress)) (Removed, error) {
			close(began)
			<-ctx.Done()
			<-decided
			return Removed{Done: true}, nil
		})
		<-began
		q.Stop("1")
		if states(&q) != "r" {
			t.Errorf("%s, while it goes on", states(&q)) // whoever looks must look again
		}
		close(decided)
		q.Add("", false, func(context.Context, func(Progress)) (Removed, error) {
			return Removed{}, errors.New("disk full")
		})
		synctest.Wait()
		if got := q.All(); states(&q) != "fd" || got[0].Err.Error() != "disk full" {
			t.Errorf("%+v", got)
		}
	})
}

// TestQueueAlone: where another removes already, as keep-for does, it is waited for.
func TestQueueAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		tries := 0
		q.Add("", false, func(context.Context, func(Progress)) (Removed, error) {
			if tries++; tries < 4 {
				return Removed{}, fmt.Errorf("remove: %w", recorder.ErrAlone)
			}
			return Removed{Done: true}, nil
		})
		q.runs.Wait()
		if states(&q) != "d" || tries != 4 {
			t.Errorf("%s after %d tries", states(&q), tries)
		}
	})
}

// TestQueueIsBounded: however many are asked for, only so many wait, and so many are kept.
func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		first := newSlow()
		q.Add("", false, first.work)
		refused := 0
		for range 100 {
			if _, err := q.Add("", false, func(context.Context, func(Progress)) (Removed, error) {
				return Removed{}, nil
			}); err != nil {
				refused++
			}
		}
		if n := len(q.All()); n != 1+mostWaiting || refused != 100-mostWaiting {
			t.Errorf("%d are there, %d were refused", n, refused)
		}
		close(first.end)
		q.runs.Wait()
		synctest.Wait()
		if got := states(&q); len(got) != mostOver {
			t.Errorf("%d are kept: %s", len(got), got)
		}
	})
}

// TestQueueForgets: what went is not named any more, neither by who removed it nor by who looked before.
func TestQueueForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		for _, done := range []bool{false, true} {
			q.Add("", !done, func(context.Context, func(Progress)) (Removed, error) {
				return Removed{Done: done, Summary: removal.Summary{Captures: 3,
					First: []removal.URL{{URL: "https://secret.example/"}}, Alike: []string{"http://secret.example/"}}}, nil
			})
			synctest.Wait()
			for _, j := range q.All() {
				if named := len(j.Result.First)+len(j.Result.Alike) > 0; named == done || j.Result.Captures != 3 {
					t.Errorf("done %v: %+v", done, j.Result)
				}
			}
		}
	})
}
