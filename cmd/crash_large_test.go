//go:build faults

package cmd

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warcorder/store/fault"
)

// TestCrashLarge kills the recorder under a load of bodies of 1 to 100 MiB, in both directions.
// Whatever a client had whole at that moment is there after the next start, whole and once; there
// is no time in which it could be lost. What was in flight may be there, cut. Half of the starts
// are killed too.
func TestCrashLarge(t *testing.T) {
	rounds, most := 4, 8<<20
	if os.Getenv("CI_LONG") != "" {
		rounds, most = 100, 100<<20
	}
	seed := *crashSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	c := &largeCrash{
		t:      t,
		random: rand.New(rand.NewPCG(seed, 0)),
		site:   newSite(t),
		ca:     filepath.Join(t.TempDir(), "ca"),
		most:   most,
	}
	defer func() { t.Logf("-crash-seed %d", seed) }()
	for n := range rounds {
		if n%roundsOfCollection == 0 {
			c.begin()
		}
		c.round(n)
		if t.Failed() {
			t.Fatalf("in round %d", n)
		}
	}
	t.Logf("%d rounds: %d bodies that clients had whole, %d of them from spill/, %d cut", rounds,
		c.whole, c.recovered, c.cut)
}

// largeCrash is what TestCrashLarge knows.
type largeCrash struct {
	*kept
	t           *testing.T
	random      *rand.Rand
	site        *site
	ca          string
	collections string
	serial      atomic.Int64
	most        int // bytes of a body

	whole          int
	recovered, cut int64
}

// begin takes a new collection.
func (c *largeCrash) begin() {
	c.collections = c.t.TempDir()
	c.kept = newKept(c.t, filepath.Join(c.collections, "default"), newReceived())
}

// mixed is a body between 1 MiB and the most, in one direction or the other; small ones are more.
func (c *largeCrash) mixed(n int64) (method, path string, body []byte) {
	random := rand.New(rand.NewPCG(uint64(n), 1))
	size := 1<<20 + 100<<10
	for size < c.most/2 && random.IntN(3) > 0 {
		size *= 2
	}
	size += random.IntN(size)
	size = min(size, c.most)
	if n%3 == 0 {
		path = fmt.Sprintf("/bytes/%d/%d", n, 10+n%2)
		return "POST", path, content(fmt.Sprintf("/bytes/%d/%d", n, size))
	}
	return "GET", fmt.Sprintf("/%s/%d/%d", [2]string{"text", "bytes"}[n%2], n, size), nil
}

// round records until it kills the recorder, and looks at what the next start makes of it.
func (c *largeCrash) round(n int) {
	c.t.Helper()
	r := launch(c.t, c.collections, c.ca, c.faults(), "--min-free-space", "0", "--warc-max-size",
		"50MB")
	for r.address == "" { // killed at its start
		r = launch(c.t, c.collections, c.ca, "", "--min-free-space", "0", "--warc-max-size", "50MB")
	}
	c.check(c.exportFrom(r), time.Now().Add(time.Hour), false)
	for _, line := range r.lines("recorded what the last recorder had left in spill/") {
		c.recovered, c.cut = c.recovered+line.Whole, c.cut+line.Cut
	}
	before, enough := c.got.len(), 1+c.random.IntN(8)
	l := &load{
		r:      r,
		site:   c.site,
		trust:  trustOf(c.t, c.ca),
		got:    c.got,
		kind:   c.mixed,
		serial: &c.serial,
	}
	l.run(4, func() bool {
		if c.got.len()-before >= enough && !r.hasEnded() {
			r.cmd.Process.Kill() // while the others are under way
		}
		return c.got.len()-before >= enough
	})
	r.kill()
	c.whole += c.got.len() - before
	if left, _ := filepath.Glob(filepath.Join(c.dir, "archive", "*spill*")); len(left) > 0 {
		c.t.Errorf("in archive/: %v", left)
	}
}

// faults kill half of the recorders at a point of their own: under load, or while they recover.
func (c *largeCrash) faults() string {
	points := []fault.Point{
		fault.Spill, fault.SpillNote, fault.RecoverSpill, fault.RecoverSpilled, fault.WARCWrite,
		fault.WARCSynced, fault.IndexCommit,
	}
	if c.random.IntN(2) == 0 {
		return ""
	}
	return fmt.Sprintf("kill %s %d", points[c.random.IntN(len(points))], 1+c.random.IntN(6))
}

// exportFrom asks a recorder for the lines; of one that has ended meanwhile they are read from the
// index.
func (c *largeCrash) exportFrom(r *recording) string {
	c.t.Helper()
	code, lines, err := r.get("/export")
	if err == nil && code == 200 {
		return lines
	}
	r.kill()
	if strings.Contains(r.tail(), "panic") {
		c.t.Error(r.tail())
	}
	return c.export()
}
