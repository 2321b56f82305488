package cmd

import (
	"fmt"
	"os"

	"warcorder/recorder/recovery"
)

type indexCommand struct {
	repairFlags
	Copy  bool
	Files []string `arg:"" name:"file"`
}

// Run adds the files, and says what was found in each. What could not be indexed makes the exit
// status 1.
func (c *indexCommand) Run(line *commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	log := line.repairLog()
	files, err := c.add(dir, c.Files, c.Copy, log, newProgress(os.Stderr))
	if err != nil {
		return err
	}
	findings := reportIndexed(files)
	if findings > 0 {
		return fmt.Errorf("not all could be indexed: %s, see above", count(findings, "finding"))
	}
	return nil
}

// reportIndexed says what was found in each file, and returns how many places could not be indexed.
func reportIndexed(files []recovery.Added) int {
	findings := 0
	for _, f := range files {
		switch {
		case f.Known:
			fmt.Printf("%s: is in the index already\n", f.Name)
		case f.Copied:
			fmt.Printf("%s: copied, %s\n", f.Name, count(f.Captures, "capture"))
		default:
			fmt.Printf("%s: %s\n", f.Name, count(f.Captures, "capture"))
		}
		for _, d := range f.Damaged {
			fmt.Printf("%s:%d: %s %s: %v\n", f.Name, d.Offset, count(int(d.Bytes), "byte"), fate(d),
				d.Reason)
		}
		findings += len(f.Damaged)
	}
	return findings
}

// fate is what became of a damaged place.
func fate(d recovery.Damaged) string {
	if d.Kept {
		return "indexed"
	}
	return "passed over"
}
