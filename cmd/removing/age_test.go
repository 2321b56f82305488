package removing

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"warcorder/recorder"
	"warcorder/store"
)

// TestOlder: what is too old goes with its whole file, or when one of its file is so by a quarter of
// the age; what younger revisits need of it stays with them.
func TestOlder(t *testing.T) {
	begin := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	at := func(s float64) time.Time { return begin.Add(time.Duration(s * float64(time.Second))) }
	for name, test := range map[string]struct {
		limit   float64 // second before which captures are too old
		age     time.Duration
		gone    []string // by path and second
		moved   int64
		emptied int
	}{
		"nothing is":               {limit: 0.5, age: time.Hour},
		"a part of the first file": {limit: 2.5, age: time.Hour},
		"a part, and long ago": {limit: 2.5, age: 5 * time.Second,
			gone: []string{"/secret 1", "/other"}, moved: 1},
		"a part, at once": {limit: 2.5, age: 2 * time.Second, gone: []string{"/secret 1", "/other"}, moved: 1},
		"the first file": {limit: 8.5, age: time.Hour, emptied: 1, moved: 1, gone: []string{"/secret 1",
			"/other", "/third", "/tagged", "/kept", "/secret 7"}},
		"everything": {limit: 1000, age: time.Hour, emptied: 2, gone: []string{"*"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			r.fill()
			r.rotate()
			before := r.all()
			now := at(test.limit).Add(test.age)
			old, err := HasOlder(t.Context(), r.Index(), test.age, now)
			if err != nil || old != (len(test.gone) > 0) {
				t.Errorf("there is something: %v, %v", old, err)
			}
			done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode,
				Wish{Choose: Older(t.Context(), test.age, now), Forget: true})
			if err != nil || done.Moved != test.moved || done.Emptied != test.emptied {
				t.Errorf("%+v, %v", done, err)
			}
			for key, s := range before {
				if s.isOf(test.gone) {
					delete(before, key)
				}
			}
			r.same(before)
			r.verified()
		})
	}
}

// TestKeepRemoving: to remove by age again and again comes to an end: what is left is removed when it
// is too old, and nothing is written anew for nothing.
func TestKeepRemoving(t *testing.T) {
	r := start(t, func(c *recorder.Config) { c.WARCMaxSize = 8000 })
	for i := range 40 {
		r.get(fmt.Sprintf("https://example.com/%d", i%10), page(text(fmt.Sprint("version ", i%10))))
	}
	r.rotate()
	files := 0
	for hour := range 50 {
		now := r.now.Add(time.Duration(hour) * time.Second)
		done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode,
			Wish{Choose: Older(t.Context(), 8*time.Second, now), Forget: true})
		if err != nil {
			t.Fatal(err)
		}
		files += done.Files
		limit := now.Add(-10 * time.Second)
		var times []time.Time
		err = r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
			times = append(times, c.Time)
			return true
		})
		if err != nil || slices.ContainsFunc(times, limit.After) {
			t.Fatalf("after %d seconds there are %v, %v", hour, times, err)
		}
	}
	if len(r.all()) > 0 || files > 100 {
		t.Errorf("%d captures are left; files were written anew %d times", len(r.all()), files)
	}
	r.verified()
}
