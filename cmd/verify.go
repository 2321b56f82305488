package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/verify"
)

type verifyCommand struct {
	collectionFlags
	Remote bool     `name:"remote"`
	JSON   bool     `name:"json"`
	Files  []string `arg:"" optional:"" name:"file"`
}

// Run prints what is wrong, and what has been checked. Any finding that is no note makes the exit
// status 1. What was found in a collection is left there, for status.
func (c *verifyCommand) Run(line *commandLine) error {
	bar := byteBar{out: os.Stderr}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	began, first := time.Now(), ""
	dir, found, err := c.check(&verify.Checker{
		Report: func(f verify.Finding) {
			if first == "" && !f.Note {
				first = fmt.Sprintf("%s:%d: %s", f.File, f.Offset, f.Code) // no URL, which may be removed
			}
			bar.above(func() {
				if c.JSON {
					out.Encode(f)
				} else {
					fmt.Println(findingLine(f))
				}
			})
		},
		Progress: bar.show, // of the index, then of the files
		Remote:   c.Remote,
	})
	bar.finish()
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if dir != "" {
		c.leave(line, dir, began, &found, first)
	}
	if c.JSON {
		err = out.Encode(map[string]verify.Summary{"summary": found})
	} else {
		printVerified(found)
	}
	if found.Findings > 0 {
		err = errors.Join(err, fmt.Errorf("not all is as it must be: %s, see above",
			count(int(found.Findings), "finding")))
	}
	return err
}

// check checks the files that were named, or the collection, which it returns.
func (c *verifyCommand) check(checker *verify.Checker) (dir collection.Dir, found verify.Summary,
	err error) {
	if len(c.Files) > 0 {
		if c.Remote {
			return "", found, errors.New("--remote reads what a collection has in object storage: name no files")
		}
		found, err = checker.Files(c.Files)
		return "", found, err
	}
	if dir, err = c.dir(); err != nil {
		return dir, found, err
	}
	if !dir.Exists() {
		return dir, found, noCollection(dir)
	}
	var unnoted atomic.Pointer[error]
	checker.Lost = func(remote *store.Remote) {
		note := dir.AgainNote(path.Base(remote.Key))
		if err := dir.WriteNote(note, collection.DefaultMode, remote); err != nil {
			unnoted.CompareAndSwap(nil, &err)
		}
	}
	found, err = checker.Collection(dir)
	if why := unnoted.Load(); why != nil && err == nil {
		err = fmt.Errorf("warcorder upload will not send anew what has to be: it could not be noted: %w", *why)
	}
	return dir, found, err
}

// findingLine is a finding as people read it.
func findingLine(f verify.Finding) string {
	line := fmt.Sprintf("%s:%d: ", printable(f.File), f.Offset)
	if f.Note {
		line += "note: "
	}
	line += printable(f.Text)
	if f.RecordID != "" {
		line += " [" + printable(f.RecordID) + "]"
	}
	if f.More > 0 {
		line += fmt.Sprintf(" (and %s more like this in this file)", humanize.Comma(f.More))
	}
	return line
}

// printVerified prints what has been checked.
func printVerified(found verify.Summary) {
	var records int64
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(found.Records)) {
		records += found.Records[kind]
		kinds = append(kinds, fmt.Sprintf("%s %s", humanize.Comma(found.Records[kind]), printable(kind)))
	}
	fmt.Printf("%s, %s: %s", count(found.Files, "file"), humanize.Bytes(uint64(found.Bytes)),
		count(int(records), "whole record"))
	if len(kinds) > 0 {
		fmt.Printf(" (%s)", strings.Join(kinds, ", "))
	}
	d := found.Digests
	fmt.Printf("\n%s and %s are right", count(int(d.Block), "block digest"),
		count(int(d.Wire+d.Entity+d.Both), "payload digest"))
	if d.Wire+d.Entity > 0 {
		fmt.Printf("; of chunked payloads %s as stored, %s without the chunks", humanize.Comma(d.Wire),
			humanize.Comma(d.Entity))
	}
	fmt.Println()
	if found.Indexed {
		fmt.Printf("%s of the index compared\n", count(int(found.Captures), "capture"))
	}
	if n := found.Outside; n > 0 {
		fmt.Printf("%s of records in other archives: warcorder report lists what they need\n",
			count(int(n), "revisit"))
	}
	printAway(&found)
	fmt.Printf("%s, %s\n", count(int(found.Findings), "finding"), count(int(found.Notes), "note"))
}

// printAway says what is in object storage, and whether it was read.
func printAway(found *verify.Summary) {
	switch {
	case found.Remote:
		fmt.Printf("object storage was read: %s that are away, and the copies of %s that are here\n",
			count(found.Away, "file"), count(found.Copies, "file"))
	case found.Away == 1:
		fmt.Println("1 file is away: warcorder verify --remote reads it")
	case found.Away > 0:
		fmt.Printf("%s are away: warcorder verify --remote reads them\n", count(found.Away, "file"))
	}
}
