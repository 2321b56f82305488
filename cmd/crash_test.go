//go:build faults

package cmd

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/fault"
)

var (
	crashRounds = flag.Int("crash-rounds", 20, "how often TestCrash ends the recorder")
	crashSeed   = flag.Uint64("crash-seed", 0, "what TestCrash draws its chances from; 0 is a new one")
)

// roundsOfCollection is how many rounds use the same collection: each looks at all of it.
const roundsOfCollection = 8

// TestCrash ends the recorder again and again, under load and in the middle of its recovery, and
// holds what is on disk against what clients got. Half of the ends come at a named point, and half
// after some number of exchanges. Now and then the index is lost too, or the end of a file.
func TestCrash(t *testing.T) {
	seed := *crashSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	c := &crash{
		t:         t,
		random:    rand.New(rand.NewPCG(seed, 0)),
		site:      newSite(t),
		ca:        filepath.Join(t.TempDir(), "ca"),
		struck:    map[string]int{},
		underLoad: strikeList{all: strikesUnderLoad()},
		atStart:   strikeList{all: strikesAtStart()},
	}
	began := time.Now()
	rounds := 0
	// More rounds only while chance has left a point out: how often it comes differs by the machine.
	for ; rounds < *crashRounds || rounds < *crashRounds+60 && len(c.unstruck()) > 0; rounds++ {
		c.round(rounds)
		if t.Failed() {
			t.Fatalf("round %d; the same chances again: -crash-seed %d", rounds, seed)
		}
		if (rounds+1)%roundsOfCollection == 0 {
			c.endCollection()
		}
		if t.Failed() {
			t.Fatalf("at the end of the collection of round %d; the same chances again: -crash-seed %d",
				rounds, seed)
		}
	}
	if c.collections != "" {
		c.endCollection()
	}
	t.Logf(
		"seed %d: %d rounds in %v: %d ends at points, %d others; %d exchanges, %d captures, %d answers "+
			"not kept when it ended; %d refused",
		seed, rounds, time.Since(began).Round(time.Second), c.atPoints, c.byKill, c.serial.Load(),
		c.captures, c.unkept, c.refused)
	t.Logf("ends at points: %v", c.struck)
	if points := c.unstruck(); len(points) > 0 {
		t.Errorf("no recorder has ended at %v", points)
	}
}

// crash is what TestCrash knows.
type crash struct {
	t         *testing.T
	random    *rand.Rand
	site      *site
	ca        string
	serial    atomic.Int64
	underLoad strikeList
	atStart   strikeList
	struck    map[string]int // how often each strike has ended a recorder

	*kept                // of the collection
	collections string   // the directory that it lies in; "" before the first
	flags       []string // of its recorder
	keys        []string // the same for all commands
	alive       time.Time
	died        time.Time // when the last recorder was seen dead; zero if the gap list told of it

	atPoints, byKill, captures, unkept int
	refused                            int64
}

// chance is true once in n times.
func (c *crash) chance(n int) bool { return c.random.IntN(n) == 0 }

// round lets a recorder start on what the last one left, looks at that, and ends the recorder under
// load.
func (c *crash) round(n int) {
	c.t.Helper()
	var plan []strike
	if c.collections == "" {
		c.beginCollection()
	} else {
		plan = append(plan, c.atStart.next(c.struck))
		c.harm(plan[0].point)
	}
	atPoint := n%5%2 == 0
	if atPoint {
		plan = append(plan, c.underLoad.next(c.struck))
	}
	r := c.start(plan)
	c.checkCrashGap(r)
	if lines, ok := c.exportOf(r); ok {
		c.checkNames()
		c.check(lines, c.alive, false)
	}
	if c.t.Failed() {
		return
	}
	if atPoint {
		c.untilStruck(r)
	} else {
		c.untilKilled(r)
	}
	c.ended(r)
}

// beginCollection takes a new directory, and other settings than the one before.
func (c *crash) beginCollection() {
	c.collections = c.t.TempDir()
	c.kept = newKept(c.t, filepath.Join(c.collections, "default"), newReceived())
	c.alive, c.died = time.Time{}, time.Time{}
	c.keys = nil
	if c.chance(2) {
		c.keys = []string{"--keys-extra", "path,form"}
	}
	c.flags = slices.Concat([]string{"--min-free-space", "0"}, c.keys, [][]string{
		{"--warc-max-size", "300kB"},
		{"--warc-max-size", "100kB", "--commit-interval", "5ms", "--index-interval", "5ms"},
		{"--warc-max-size", "1MB", "--sync", "always"},
		{"--warc-max-size", "5MB", "--commit-interval", "200ms", "--index-interval", "300ms",
			"--queue-size", "2MB"},
	}[c.random.IntN(4)])
}

// start starts a recorder that is to end by itself at certain points. If it comes to one before it
// records it is started again, until it does. Sometimes the collection is recovered first, or its
// index made anew.
func (c *crash) start(plan []strike) *recording {
	c.t.Helper()
	switch c.random.IntN(6) {
	case 0, 1:
		plan = c.repair("recover", plan)
	case 2:
		plan = c.repair("rebuild", plan)
	}
	for {
		r := launch(c.t, c.collections, c.ca, faultsOf(plan), c.flags...)
		if r.address != "" {
			return r
		}
		plan = c.without(plan, r)
	}
}

// repair runs a command on a collection that nobody records, again and again until it comes to its
// end, and looks at what it has left. It returns the strikes that it has not come to.
func (c *crash) repair(command string, plan []strike) []strike {
	c.t.Helper()
	if _, err := os.Stat(c.dir); err != nil {
		return plan // nothing has been recorded
	}
	for {
		args := append([]string{command}, c.keys...)
		r := launchCommand(c.t, c.collections, c.ca, faultsOf(plan), args...)
		if r.cmd.ProcessState.Success() {
			c.checkCopies(r)
			c.checkNames()
			c.check(c.export(), c.alive, false)
			return plan
		}
		plan = c.without(plan, r)
	}
}

// without takes the strike that has ended a recorder before it recorded from a plan.
func (c *crash) without(plan []strike, r *recording) []strike {
	c.t.Helper()
	point := c.ended(r)
	left := slices.DeleteFunc(slices.Clone(plan), func(s strike) bool { return s.point == point })
	if len(left) == len(plan) {
		c.t.Fatalf("it does not start: %v: %s", r.cmd.ProcessState, r.tail())
	}
	return left
}

// ended takes down how a recorder has ended, and at which point.
func (c *crash) ended(r *recording) fault.Point {
	c.t.Helper()
	c.note(r)
	c.checkCopies(r)
	if r.address != "" {
		c.alive = r.alive
		if r.killed() {
			c.died = r.alive
		}
	}
	off := r.lines("recording is off: new requests are refused until writing works again")
	if len(off) > len(r.lines("recording is on again")) {
		c.alive = time.Time{} // what came before it was killed may have waited long
	}
	for _, line := range r.log {
		if line.Fault != "" {
			c.struck[fmt.Sprint(line.Fault, " ", line.Hit)]++
			c.atPoints++
			return fault.Point(line.Fault)
		}
	}
	return ""
}

// endCollection looks at all of a collection after a clean end, and once more after its index has
// been made anew.
func (c *crash) endCollection() {
	c.t.Helper()
	lines := c.restart()
	c.check(lines, c.alive, true)
	if c.chance(2) {
		c.repair("rebuild", nil)
	} else {
		c.breakIndex()
	}
	if again := c.restart(); again != lines {
		c.t.Errorf("a new index gives other lines: %s", difference(lines, again))
	}
	c.captures += strings.Count(lines, "\n")
	c.unkept += c.kept.unkept
	c.collections = ""
}

// restart starts a recorder, ends it as its operator would, and returns the lines.
func (c *crash) restart() string {
	c.t.Helper()
	r := c.start(nil)
	lines, _ := c.exportOf(r)
	r.stop()
	c.checkNames()
	if after := c.export(); after != lines {
		c.t.Errorf("the lines change when it stops: %s", difference(lines, after))
	}
	return lines
}

// difference is the first line that two exports do not share.
func difference(a, b string) string {
	was, is := bytes.SplitAfter([]byte(a), []byte("\n")), bytes.SplitAfter([]byte(b), []byte("\n"))
	for i := range min(len(was), len(is)) {
		if !bytes.Equal(was[i], is[i]) {
			return fmt.Sprintf("%q, it was %q", is[i], was[i])
		}
	}
	return fmt.Sprintf("%d lines, it was %d", len(is)-1, len(was)-1)
}

// exportOf asks a recorder for the lines. It is false if that has ended.
func (c *crash) exportOf(r *recording) (lines string, ok bool) {
	c.t.Helper()
	code, lines, err := r.get("/export")
	if err != nil || code != http.StatusOK {
		if !r.hasEnded() {
			c.t.Errorf("/export: %d %s, %v: %s", code, lines, err, r.tail())
		}
		return "", false
	}
	return lines, true
}

// checkCrashGap: the gap list tells of the last recorder's death.
func (c *crash) checkCrashGap(r *recording) {
	c.t.Helper()
	var gaps store.Gaps
	code, body, err := r.get("/gaps")
	if err != nil || code != http.StatusOK || json.Unmarshal([]byte(body), &gaps) != nil {
		if !r.hasEnded() {
			c.t.Errorf("/gaps: %d %s, %v", code, body, err)
		}
		return
	}
	told := slices.ContainsFunc(gaps.Latest,
		func(g store.Gap) bool { return g.Reason == "crash" && !g.Until.Before(c.died) })
	if !c.died.IsZero() && !told {
		c.t.Errorf("a recorder died after %v, and no gap tells of it: %s", c.died, body)
	}
	c.died = time.Time{}
}

// checkCopies: of what a recovery says it cut off there is a copy, of just that size.
func (c *crash) checkCopies(r *recording) {
	c.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range r.log {
		if line.Copy == "" {
			continue
		}
		info, err := os.Stat(line.Copy)
		if err != nil || line.File != "" && info.Size() != line.Cut+line.Kept {
			c.t.Errorf("no such copy: %v, %s", err, line.text)
		}
	}
}
