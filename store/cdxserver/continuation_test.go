package cdxserver

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestContinuation: however the lines are cut, and wherever they begin anew, each is passed once,
// and those that came meanwhile if they belong behind.
func TestContinuation(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var all []string
	for i := range 300 {
		all = append(all, fmt.Sprintf("com,site)/%03d %s\n", i, strings.Repeat("x", random.IntN(50))))
	}
	later := append(slices.Clone(all), "com,site)/2995 late\n", "com,site)/0005 too late\n")
	slices.Sort(later)
	for range 200 {
		var got strings.Builder
		c := NewContinuation(&got)
		for range random.IntN(4) {
			feed(t, random, c, strings.Join(all, ""), random.IntN(len(all)*30))
			c.Again()
		}
		passed := strings.Count(got.String(), "\n")
		feed(t, random, c, strings.Join(later, ""), 1<<30)
		var want []string
		for i, line := range later {
			if _, old := slices.BinarySearch(all, line); old || passed == 0 || line > all[passed-1] {
				want = append(want, later[i])
			}
		}
		if got.String() != strings.Join(want, "") {
			t.Fatalf("after %d lines: %d lines, want %d", passed, strings.Count(got.String(), "\n"),
				len(want))
		}
	}
}

// feed writes text in pieces, up to a limit.
func feed(t *testing.T, random *rand.Rand, c *Continuation, text string, limit int) {
	t.Helper()
	for text = text[:min(len(text), limit)]; text != ""; {
		n := min(len(text), 1+random.IntN(400))
		if written, err := c.Write([]byte(text[:n])); written != n || err != nil {
			t.Fatal(written, err)
		}
		text = text[n:]
	}
}
