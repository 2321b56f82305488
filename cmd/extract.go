package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/schollz/progressbar/v3"

	"warcorder/store/collection"
	"warcorder/store/copying"
	"warcorder/store/extract"
	"warcorder/store/selection"
)

type extractCommand struct {
	collectionFlags
	selectionFlags
	NoRevisits bool            `name:"no-revisits"`
	FileSize   int64           `name:"file-size" default:"1GB" type:"size"`
	Mode       collection.Mode `name:"archive-mode" default:"${archive_mode}"`
	Out        string          `name:"out" short:"o" required:"" placeholder:"DIR"`
}

// Run writes the extract, all of it or nothing. What of it could not be had is said, and is its error
// at the end.
func (c *extractCommand) Run(line *commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	if !dir.Exists() {
		return noCollection(dir)
	}
	if within, err := isWithin(c.Out, string(dir)); err != nil || within {
		return errors.Join(err, fmt.Errorf("extract: %s belongs to the collection: name another directory "+
			"with -o", c.Out))
	}
	if err := checkOutTree(c.Out); err != nil {
		return err
	}
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	var done extract.Done
	var lacking error
	err = withSource(dir, func(source *selection.Source) (err error) {
		done, err = c.write(ctx, dir, source)
		lacking = behind("extract", source)
		return err
	})
	if ctx.Err() != nil && err != nil {
		return errors.New("extract: interrupted: nothing was written")
	}
	if errors.Is(err, extract.ErrNothing) {
		return nothingOf("extract", dir, c.Files)
	}
	if err != nil {
		return fmt.Errorf("extract: %w", err)
	}
	c.remark(line, &done)
	return errors.Join(told("extract", &done), lacking)
}

// isWithin reports whether a path leads to a directory or below it.
func isWithin(path, dir string) (bool, error) {
	path, err := filepath.Abs(path)
	for err == nil {
		if same, _ := sameDir(path, dir); same {
			return true, nil
		}
		up := filepath.Dir(path)
		if up == path {
			return false, nil
		}
		path = up
	}
	return false, err
}

// write writes the extract of a source.
func (c *extractCommand) write(ctx context.Context, dir collection.Dir, source *selection.Source) (
	extract.Done, error) {
	var bar *progressbar.ProgressBar
	options := extract.Options{
		Collection: dir.Name(),
		Size:       c.FileSize,
		NoRevisits: c.NoRevisits,
		Mode:       c.Mode,
		Progress: func(done, total int64) {
			if bar == nil {
				bar = newBar(total, "extract", progressbar.OptionShowBytes(true))
			}
			bar.ChangeMax64(total)
			bar.Set64(done)
		},
	}
	done, err := extract.Write(ctx, source, c.Selection(), c.Out, options)
	if bar != nil {
		bar.Finish()
	}
	return done, err
}

// remark says what was written.
func (c *extractCommand) remark(line *commandLine, done *extract.Done) {
	line.remark("%s in %s of %s", count(int(done.Captures), "capture"), count(done.Files, "file"), c.Out)
	if done.Compressed > 0 {
		line.remark("%s compressed anew: they were not in gzip members of their own",
			count(int(done.Compressed), "record"))
	}
	if done.Renewed > 0 {
		line.remark("%s are responses again", count(int(done.Renewed), "revisit"))
	}
	if done.LeftOut > 0 {
		line.remark("%s without a line in %s: pywb would show a 304 as an empty page, and a part, or "+
			"what was cut, for the whole that is there", count(int(done.LeftOut), "capture"),
			extract.IndexName)
	}
}

// told says on standard error what of a selection was not to be had, and returns that as an error.
func told(step string, done *extract.Done) error {
	if done.Away.Number > 0 {
		fmt.Fprintf(os.Stderr, "%s not in the collection any more; the first: %s\n",
			count(int(done.Away.Number), "capture"), printable(done.Away.First.Error()))
	}
	if done.Orphans.Number > 0 {
		fmt.Fprintf(os.Stderr, "%s without an original, which cannot be shown; the first: %s\n",
			count(int(done.Orphans.Number), "revisit"), printable(done.Orphans.First.Error()))
	}
	tellDamage(done.Damaged)
	if done.Away.Number+done.Orphans.Number == 0 {
		return nil
	}
	return fmt.Errorf("%s: not all that is selected is in the collection, see above", step)
}

// tellDamage says on standard error which captures were copied from before damage. They are whole.
func tellDamage(before copying.Faults) {
	if before.Number > 0 {
		fmt.Fprintf(os.Stderr, "%s copied from before damage (verify shows all of it); the first: %s\n",
			count(int(before.Number), "capture"), printable(before.First.Error()))
	}
}
