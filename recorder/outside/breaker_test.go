package outside

import (
	"net/http"
	"testing"
	"time"
)

// TestBreaker: pauses grow up to the longest, one question at a time ends them, and what was asked
// before says nothing.
func TestBreaker(t *testing.T) {
	b := breaker{patience: 3, first: 10 * time.Second, most: 30 * time.Second}
	now := time.Now()
	fail := http.ErrAbortHandler
	for i := range 3 {
		if may, trial := b.begin(now); !may || trial {
			t.Fatal(i)
		}
		if changed, _ := b.end(false, fail, now); changed != (i == 2) {
			t.Fatal(i)
		}
	}
	b.end(false, fail, now) // asked before
	b.end(false, nil, now)
	for _, pause := range []time.Duration{10, 20, 30, 30} {
		pause *= time.Second
		if may, _ := b.begin(now.Add(pause - 1)); may {
			t.Fatalf("asked before %s", pause)
		}
		now = now.Add(pause)
		if may, trial := b.begin(now); !may || !trial {
			t.Fatalf("not asked after %s", pause)
		}
		if may, _ := b.begin(now.Add(time.Hour)); may {
			t.Fatal("two are asked at once")
		}
		if changed, _ := b.end(true, fail, now); changed {
			t.Fatal("said again")
		}
	}
	now = now.Add(time.Minute)
	b.begin(now)
	if changed, _ := b.end(true, nil, now); !changed {
		t.Fatal("not said")
	}
	if _, reason := b.state(); reason != nil {
		t.Fatal(reason)
	}
	if may, trial := b.begin(now); !may || trial {
		t.Fatal("still left alone")
	}
	if b.end(false, fail, now); b.pause != 0 {
		t.Fatal("the pauses go on")
	}
}
