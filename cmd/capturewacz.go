package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warcorder/certs/stores"
	"warcorder/store/collection"
)

// captured is what belongs to a capture, among all that a collection holds: where the recorder was
// our own, the files that it began; else what was recorded meanwhile, which may be others' too.
type captured struct {
	before     []string // final names of the files that were there
	from, till time.Time
	own        bool
}

// begin notes what is there before anything is captured.
func (c *captured) begin(dir collection.Dir, own bool) error {
	c.own, c.from = own, time.Now()
	names, err := filesOf(dir)
	c.before = names
	return err
}

// filesOf are the final names of the files of a collection.
func filesOf(dir collection.Dir) (names []string, err error) {
	sizes, err := dir.Sizes()
	for name := range sizes {
		_, final := collection.StateOf(name)
		names = append(names, final)
	}
	slices.Sort(names)
	return names, err
}

// errNoneCaptured says that there is nothing to pack.
var errNoneCaptured = errors.New("nothing was captured")

// selection selects it.
func (c *captured) selection(dir collection.Dir) (s selectionFlags, err error) {
	if !c.own {
		const second = "20060102150405" // the precision of selections
		return selectionFlags{From: c.from.UTC().Format(second), To: c.till.UTC().Format(second)}, nil
	}
	names, err := filesOf(dir)
	for _, name := range names {
		if _, had := slices.BinarySearch(c.before, name); !had {
			s.Files = append(s.Files, name)
		}
	}
	if err == nil && len(s.Files) == 0 {
		err = errNoneCaptured
	}
	return s, err
}

// flags are the selection as one types it.
func (f *selectionFlags) flags() string {
	var words []string
	if f.From != "" {
		words = append(words, "--from "+f.From, "--to "+f.To)
	}
	for _, name := range f.Files {
		words = append(words, "--file "+name)
	}
	return strings.Join(words, " ")
}

// packing is the command that packs what is selected into --out. The text of each page is in it,
// which makes it searchable.
func (c *captureCommand) packing(selected selectionFlags) *waczCommand {
	return &waczCommand{collectionFlags: c.collectionFlags, selectionFlags: selected, Out: c.Out, Text: true,
		Mode: c.Recorder.Mode, Rules: c.Rules}
}

// pack writes the WACZ of what was captured; of a capture that did not come to its end it says how to
// write it.
func (c *capturing) pack(line *commandLine, isWhole bool) error {
	if c.Out == "" || c.at == nil || !isWhole && len(c.pages) == 0 {
		return nil
	}
	selected, err := c.captured.selection(c.at.dir)
	switch {
	case err != nil:
		return fmt.Errorf("-o %s is not written: %w", c.Out, err)
	case c.ended || !isWhole:
		say("-o %s is not written; %s writes it", c.Out,
			commandFor(c.at.dir, "wacz -o "+stores.Quoted(c.Out)+" "+selected.flags()))
		return nil
	}
	line.Quiet = c.silent
	return c.packing(selected).Run(line)
}
