//go:build faults

package cmd

import (
	"fmt"
	"strings"

	"warcorder/store/fault"
)

// strike is a moment at which the recorder ends itself: when it comes to a point for the hit-th
// time.
type strike struct {
	point fault.Point
	hit   int
	with  string // other faults that lead there
}

// name is the point and the hit.
func (s strike) name() string { return fmt.Sprintf("%s %d", s.point, s.hit) }

// faults is what the recorder is told.
func (s strike) faults() string { return strings.TrimPrefix(s.with+",kill "+s.name(), ",") }

// strikesUnderLoad are the points that a recorder comes to while it records, first the first hits
// of all. A file is cut when a write has failed.
func strikesUnderLoad() []strike {
	return strikes([][]strike{
		hits(fault.Record, 1, 2, 30),
		hits(fault.WARCCreate, 1, 2, 5),
		hits(fault.WARCCreated, 1, 2, 5),
		hits(fault.WARCWrite, 1, 2, 30),
		hits(fault.WARCSync, 1, 2, 9),
		hits(fault.WARCSynced, 1, 2, 9),
		{
			{fault.WARCTruncate, 1, "fail warc-write 6-6"},
			{fault.WARCTruncate, 2, ""},
			{fault.WARCTruncate, 4, "fail warc-write 20-20"},
		},
		hits(fault.WARCRename, 1, 2, 4),
		hits(fault.WARCRenamed, 1, 2, 4),
		hits(fault.IndexAddFile, 1, 2, 4),
		hits(fault.IndexCommit, 1, 2, 9),
		hits(fault.IndexCommitted, 1, 2, 9),
		hits(fault.Spill, 1, 2, 5),
		hits(fault.SpillNote, 1, 2, 5),
	})
}

// strikesAtStart are those that it comes to when it starts on what a crash has left.
func strikesAtStart() []strike {
	return strikes([][]strike{
		hits(fault.RecoverScan, 1, 2, 1),
		hits(fault.RebuildFile, 1, 2, 5),
		hits(fault.RecoverCopy, 1, 2, 1),
		hits(fault.RebuildSwap, 1, 1, 1),
		hits(fault.RecoverCut, 1, 2, 1),
		hits(fault.RebuildDone, 1, 1, 1),
		hits(fault.RecoverFinish, 1, 2, 1),
		hits(fault.RecoverSeal, 1, 2, 1),
		hits(fault.RecoverRewrite, 1, 2, 3),
		hits(fault.RecoverSpill, 1, 1, 1),
		hits(fault.RecoverSpilled, 1, 1, 1),
	})
}

func hits(point fault.Point, numbers ...int) (all []strike) {
	for _, n := range numbers {
		all = append(all, strike{point, n, ""})
	}
	return all
}

// strikes takes the first of each, then the second of each, and so on.
func strikes(byPoint [][]strike) (all []strike) {
	for i := range byPoint[0] {
		for _, of := range byPoint {
			all = append(all, of[i])
		}
	}
	return all
}

// strikeList gives out strikes, one after another and then again from the first one.
type strikeList struct {
	all   []strike
	given int
	tries int // of the one given last
}

// next gives the same strike again, a few times, as long as it has not ended a recorder: chance
// decides whether there was something to strike at.
func (l *strikeList) next(struck map[string]int) strike {
	if l.tries > 0 {
		last := l.all[(l.given-1)%len(l.all)]
		if struck[last.name()] == 0 && l.tries < 4 {
			l.tries++
			return last
		}
	}
	l.given, l.tries = l.given+1, 1
	return l.all[(l.given-1)%len(l.all)]
}

func faultsOf(plan []strike) string {
	var faults []string
	for _, s := range plan {
		faults = append(faults, s.faults())
	}
	return strings.Join(faults, ",")
}

// unstruck are the points at which no recorder has ended: they are dead, or the test does not lead
// there.
func (c *crash) unstruck() (points []fault.Point) {
	for _, point := range fault.Points {
		n := 0
		for name, times := range c.struck {
			if strings.HasPrefix(name, string(point)+" ") {
				n += times
			}
		}
		if n == 0 {
			points = append(points, point)
		}
	}
	return points
}
