package recorder

import (
	"math"
	"testing"
	"time"
)

// TestRates: what comes evenly has that rate at once and over each time, also while the recorder is
// young; behind its end the shorter times forget it sooner.
func TestRates(t *testing.T) {
	var r rates
	now := time.Now()
	if got := r.look(now, 100, 1000); got != ([len(rateTimes)]Rate{}) {
		t.Errorf("at the beginning: %v", got)
	}
	if got := r.look(now, 100, 1000); got != ([len(rateTimes)]Rate{}) {
		t.Errorf("at the same moment: %v", got)
	}
	near := func(got, want float64) bool { return math.Abs(got-want) <= want/1e6 }
	exchanges, bytes := int64(100), int64(1000)
	for i := range 600 {
		pause := time.Duration(1+i%3) * time.Second
		now = now.Add(pause)
		exchanges += 3 * int64(pause/time.Second)
		bytes += 7000 * int64(pause/time.Second)
		for over, rate := range r.look(now, exchanges, bytes) {
			if !near(rate.Exchanges, 3) || !near(rate.Bytes, 7000) {
				t.Fatalf("over %v, %v after the beginning: %+v", rateTimes[over], now.Sub(r.began), rate)
			}
		}
	}
	now = now.Add(time.Minute)
	got := r.look(now, exchanges, bytes)
	if !near(got[0].Exchanges, 3/math.E) {
		t.Errorf("a minute later: %+v", got)
	}
	for i := range got[1:] {
		if got[i].Bytes >= got[i+1].Bytes {
			t.Errorf("a minute later: %+v", got)
		}
	}
	for range 3 {
		now = now.Add(400 * time.Hour) // a machine that slept
		got = r.look(now, exchanges, bytes)
	}
	for _, rate := range got {
		if rate.Exchanges > 1e-9 || math.IsNaN(rate.Bytes) {
			t.Errorf("long after: %+v", got)
		}
	}
}
