package browser

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestPatience: a page is there when nothing moves any more; one that never rests ends too.
func TestPatience(t *testing.T) {
	const second = time.Second
	broken := errors.New("broken")
	patience := Patience{Quiet: 3 * second, Endless: 15 * second, First: 30 * second, Most: 120 * second}
	for _, c := range []struct {
		name     string
		activity func(at time.Duration) (Activity, error)
		after    time.Duration // the earliest
		before   time.Duration
		want     error
	}{
		{"a page", func(at time.Duration) (Activity, error) {
			return Activity{Ended: int64(min(at, 4*second) / second)}, nil
		}, 7 * second, 8 * second, nil},
		{"an origin that takes its time", func(at time.Duration) (Activity, error) {
			if at > second && at < 12*second {
				return Activity{InFlight: 1}, nil
			}
			return Activity{Ended: int64(at / (12 * second) % 2)}, nil
		}, 15 * second, 16 * second, nil},
		{"an EventSource without end", func(at time.Duration) (Activity, error) {
			return Activity{Ended: 5, InFlight: int(min(at/second, 1))}, nil
		}, 16 * second, 17 * second, nil},
		{"another's EventSource beside the page", func(at time.Duration) (Activity, error) {
			return Activity{Ended: int64(min(at/second, 2)), InFlight: 1}, nil
		}, 5 * second, 6 * second, nil},
		{"a page that asks again and again", func(at time.Duration) (Activity, error) {
			return Activity{Ended: int64(at / second)}, nil
		}, 120 * second, 121 * second, ErrMost},
		{"nothing", func(time.Duration) (Activity, error) { return Activity{Ended: 9}, nil },
			30 * second, 31 * second, ErrNothing},
		{"a recorder that is gone", func(at time.Duration) (Activity, error) {
			if at > second {
				return Activity{}, broken
			}
			return Activity{}, nil
		}, second, 2 * second, broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				first, err := c.activity(0)
				if err != nil {
					t.Fatal(err)
				}
				err = patience.Wait(t.Context(), first, func() (Activity, error) {
					return c.activity(time.Since(start))
				})
				if took := time.Since(start); err != c.want || took < c.after || took > c.before {
					t.Errorf("%v after %v", err, took)
				}
			})
		})
	}
}

// TestPatienceEnds: who waits no more is not held.
func TestPatienceEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := DefaultPatience.Wait(ctx, Activity{}, func() (Activity, error) { return Activity{}, nil }); err != nil {
		t.Error(err)
	}
}

// TestPatienceQuick: a browser that asks for all before the first look at it has asked.
func TestPatienceQuick(t *testing.T) {
	for name, c := range map[string]struct {
		now  Activity
		want error
	}{
		"it is all there": {Activity{Ended: 1}, nil},
		"it goes on":      {Activity{InFlight: 1}, ErrMost},
	} {
		synctest.Test(t, func(t *testing.T) {
			patience := Patience{Quiet: time.Second, Endless: time.Minute, First: 2 * time.Second, Most: 3 * time.Second}
			err := patience.Wait(t.Context(), Activity{}, func() (Activity, error) { return c.now, nil })
			if err != c.want {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}
