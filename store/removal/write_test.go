package removal

import "testing"

// TestFits: a removal leaves the room that recording needs, if there is as much.
func TestFits(t *testing.T) {
	for name, c := range map[string]struct {
		need, free, minFree int64
		want                bool
	}{
		"enough":                     {10, 100, 50, true},
		"nothing is to stay free":    {99, 100, 0, true},
		"all of it":                  {100, 100, 0, false},
		"recording would stop":       {50, 100, 50, false},
		"recording has stopped":      {10, 40, 50, true},
		"that, and there is no room": {40, 40, 50, false},
	} {
		if got := fits(c.need, c.free, c.minFree); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
