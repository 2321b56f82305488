package inorder

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
)

// TestOrder: later jobs end first, and are handed on behind; no more are under way than may be.
func TestOrder(t *testing.T) {
	const all = 50
	var got []int
	var under atomic.Int64
	ended := make([]chan bool, all+1)
	for i := range ended {
		ended[i] = make(chan bool)
	}
	jobs := Jobs[int]{Take: func(n int) error {
		under.Add(-1)
		got = append(got, n)
		return nil
	}}
	for i := range all {
		if n := under.Add(1); n > int64(Most()) && i < Most() {
			t.Errorf("%d jobs", n)
		}
		err := jobs.Do(func() (int, error) {
			if i%2 == 0 && i+1 < all { // waits for the one behind it
				<-ended[i+1]
			}
			close(ended[i])
			return i, nil
		})
		if n := under.Load(); err != nil || n > int64(Most()) {
			t.Fatalf("%d jobs are not handed on, %v", n, err)
		}
	}
	if err := jobs.End(); err != nil {
		t.Fatal(err)
	}
	if len(got) != all || !slices.IsSorted(got) {
		t.Errorf("%d", got)
	}
}

// TestError: behind the first error nothing is handed on, and no job is left when End returns.
func TestError(t *testing.T) {
	broken := errors.New("broken")
	for name, take := range map[string]int{"of a job": -1, "of Take": 3} {
		var got []int
		var under atomic.Int64
		jobs := Jobs[int]{Take: func(n int) error {
			if n == take {
				return broken
			}
			got = append(got, n)
			return nil
		}}
		var err error
		for i := 0; i < 20 && err == nil; i++ {
			under.Add(1)
			err = jobs.Do(func() (int, error) {
				defer under.Add(-1)
				if i == 3 && take < 0 {
					return 0, broken
				}
				return i, nil
			})
			if err != nil {
				under.Add(-1)
			}
		}
		if !errors.Is(err, broken) || !errors.Is(jobs.End(), broken) {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(got, []int{0, 1, 2}) || under.Load() != 0 {
			t.Errorf("%s: %d, %d under way", name, got, under.Load())
		}
	}
}
