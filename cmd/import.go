package cmd

import (
	"errors"
	"fmt"
	"os"
	"path"

	"github.com/rs/zerolog"

	"warcorder/cmd/conversion"
	"warcorder/cmd/taking"
	"warcorder/recorder/recovery"
	"warcorder/store/collection"
	"warcorder/store/unpacking"
	"warcorder/store/warc/v09"
)

type importCommand struct {
	repairFlags
	From  string   `name:"from-format" enum:",0.9" placeholder:"0.9" default:""`
	Files []string `arg:"" name:"file"`
}

// Run adds what is in the files to the collection. The files themselves stay as they are.
func (c *importCommand) Run(line *commandLine) (err error) {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	for _, path := range c.Files { // before a collection is made for what cannot be read
		if _, err := unpacking.FormOf(path); err != nil && c.From == "" {
			return fmt.Errorf("import: nothing was added: %w", err)
		}
	}
	log := line.repairLog()
	if _, err := c.add(dir, nil, false, log, nil); err != nil {
		return err // before the work is done
	}
	if c.From == "0.9" {
		return c.convert(dir, log)
	}
	return c.take(dir, log)
}

// take adds WACZ files and HARs.
func (c *importCommand) take(dir collection.Dir, log zerolog.Logger) (err error) {
	progress := newProgress(os.Stderr)
	taken, err := taking.New(dir, func(text string) { fmt.Println(printable(text)) },
		func(name string, done, total int64) { progress(name, done, total) })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, taken.Close()) }()
	brought, err := c.takeAll(taken)
	if err != nil {
		return fmt.Errorf("import: nothing was added: %w", err)
	}
	if len(brought) == 0 {
		return errors.New("import: there is nothing in it that can be added")
	}
	var files []recovery.Added
	err = whenFree(dir, func() (err error) {
		files, err = recovery.Import(c.config(newProgress(os.Stderr)), dir, taken.Dir(), brought, log)
		return err
	})
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	sayNames(files)
	if findings := reportIndexed(files); findings > 0 {
		return fmt.Errorf("not all could be indexed: %s, see above", count(findings, "finding"))
	}
	return nil
}

// takeAll takes all files.
func (c *importCommand) takeAll(taken *taking.Taking) ([]recovery.Brought, error) {
	for _, path := range c.Files {
		if err := taken.Take(path); err != nil {
			return nil, err
		}
	}
	return taken.End()
}

// convert converts files of WARC 0.9 to WARC 1.1, and adds them.
func (c *importCommand) convert(dir collection.Dir, log zerolog.Logger) (err error) {
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

// sayNames says which file in archive/ is which of those that came, where the name does not tell.
func sayNames(files []recovery.Added) {
	for _, f := range files {
		if path.Base(f.Path) != f.Name {
			fmt.Printf("%s is %s\n", printable(f.Path), printable(f.Name))
		}
	}
}
