package dns

import (
	"fmt"
	"testing"
	"time"
)

func TestOldAnswers(t *testing.T) {
	var n Names
	start := time.Now()
	for _, c := range []struct {
		uri   string
		after time.Duration
		want  bool
	}{
		{"a", 0, true},
		{"a", 59 * time.Second, false},
		{"b", 59 * time.Second, true},
		{"a", time.Minute, true},
		{"a", 2*time.Minute - 1, false},
	} {
		now := start.Add(c.after)
		if got := n.due(c.uri, now, now.Add(time.Minute)); got != c.want {
			t.Errorf("%s after %v: %v", c.uri, c.after, got)
		}
	}
	for i := range 2 * maxNames {
		n.due(fmt.Sprint(i), start, start.Add(time.Minute))
	}
	if len(n.until) > maxNames {
		t.Errorf("%d names are remembered", len(n.until))
	}
}
