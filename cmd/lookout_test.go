package cmd

import (
	"testing"
	"time"
)

// TestLookoutBreaks: a look that panics ends nothing: who asks gets what was found before, somebody is
// told once, and the next look counts again.
func TestLookoutBreaks(t *testing.T) {
	looks, told := 0, 0
	l := &lookout[int]{patience: time.Minute, broke: func(any) { told++ }, look: func() int {
		if looks++; looks == 2 || looks == 3 {
			panic("broken")
		}
		return looks
	}}
	for i, want := range []int{1, 1, 1, 4} {
		if got := l.now(); got != want {
			t.Errorf("look %d: %d, want %d", i+1, got, want)
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

// TestLookoutSeen: who does not wait gets what was found before, also while a look hangs; what that finds
// is there for who comes next.
func TestLookoutSeen(t *testing.T) {
	release := make(chan struct{})
	l := &lookout[int]{patience: time.Minute, interval: time.Hour, look: func() int { <-release; return 1 }}
	for range 2 {
		if found, going := l.seen(); found != 0 || going == nil {
			t.Errorf("%d, %v", found, going)
		}
	}
	close(release)
	_, going := l.seen()
	if going != nil { // else it has ended already
		<-going
	}
	if found, going := l.seen(); found != 1 || going != nil {
		t.Errorf("%d, %v", found, going)
	}
}
