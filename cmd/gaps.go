package cmd

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"warcorder/store"
)

type gapsCommand struct {
	collectionFlags
	Reason string `placeholder:"REASON" enum:",${reasons}" default:""`
	Limit  int    `short:"n" default:"100"`
	JSON   bool   `name:"json"`
}

// Run prints what is missing, also of a collection that is being recorded.
func (c *gapsCommand) Run(line *commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	gaps, unclean := gapsOf(dir)
	if unclean != nil && !errors.Is(unclean, errUnclean) {
		return fmt.Errorf("gaps: %w", unclean)
	}
	if c.Reason != "" {
		gaps.Latest = slices.DeleteFunc(gaps.Latest,
			func(g store.Gap) bool { return g.Reason != c.Reason })
		maps.DeleteFunc(gaps.Counts, func(reason string, _ int64) bool { return reason != c.Reason })
	}
	if c.Limit > 0 && len(gaps.Latest) > c.Limit {
		gaps.Latest = gaps.Latest[:c.Limit]
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return cmp.Or(out.Encode(gaps), unclean)
	}
	out := bufio.NewWriter(os.Stdout)
	for _, g := range slices.Backward(gaps.Latest) {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", g.Time.UTC().Format(time.RFC3339), g.Reason, printable(g.URL),
			printable(gapDetail(g)))
	}
	if err := out.Flush(); err != nil { // before what follows on standard error
		return err
	}
	for _, reason := range slices.Sorted(maps.Keys(gaps.Counts)) {
		line.remark("%8d %s", gaps.Counts[reason], reason)
	}
	return unclean
}

// gapDetail is what a gap says in words, until when included.
func gapDetail(g store.Gap) string {
	if g.Until.IsZero() {
		return g.Detail
	}
	return "until " + g.Until.UTC().Format(time.RFC3339) + ": " + g.Detail
}
