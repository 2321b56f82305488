package cmd

import (
	"errors"
	"fmt"
	"os"

	"warcorder/cmd/conversion"
	"warcorder/store/warc/v09"
)

type importCommand struct {
	repairFlags
	From  string   `name:"from-format" enum:"0.9" required:""`
	Files []string `arg:"" name:"file"`
}

// Run converts the files to WARC 1.1 and adds them to the collection. The files themselves stay as
// they are.
func (c *importCommand) Run(line *commandLine) (err error) {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	log := line.repairLog()
	if _, err := c.add(dir, nil, false, log, nil); err != nil {
		return err // before the work is done
	}
	findings := 0
	work, err := conversion.New(dir, c.Mode.Set, func(f v09.Finding) {
		findings++
		fmt.Println(printable(f.String()))
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, work.Remove()) }()
	made, err := work.Run(c.Files)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	files, err := c.add(dir, made, false, log, newProgress(os.Stderr))
	if err != nil {
		return err
	}
	findings += reportIndexed(files)
	for _, same := range work.Same() {
		fmt.Printf("%s: holds the same as %s\n", printable(same[0]), same[1])
	}
	if findings > 0 {
		return fmt.Errorf("not all could be imported as it is: %s, see above", count(findings, "finding"))
	}
	return nil
}
