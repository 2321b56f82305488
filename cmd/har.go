package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"warcorder/store/collection"
	"warcorder/store/har"
	"warcorder/store/selection"
)

type harCommand struct {
	collectionFlags
	selectionFlags
	Mode collection.Mode `name:"archive-mode" default:"${archive_mode}"`
	Out  string          `name:"out" short:"o" required:"" placeholder:"FILE"`
}

// Run writes the HAR. What could not be read of it is said, and is its error at the end.
func (c *harCommand) Run(line *commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	if !dir.Exists() {
		return noCollection(dir)
	}
	if err := checkOutFile(c.Out); err != nil {
		return err
	}
	var done har.Done
	var lacks error
	err = withSource(dir, func(source *selection.Source) (err error) {
		lacks = behind("har", source)
		done, err = c.write(source)
		return err
	})
	switch {
	case errors.Is(err, har.ErrNothing) && done.Others == 0:
		return nothingOf("har", dir, c.Files)
	case errors.Is(err, errNoneReadable):
		return fmt.Errorf("har: %w: %s says what is damaged", err, commandFor(dir, "verify"))
	case err != nil:
		return fmt.Errorf("har: %w", err)
	}
	if c.Out != "-" {
		line.remark("%s in %s", count(int(done.Exchanges), "exchange"), c.Out)
	}
	if done.Others > 0 {
		line.remark("%s left out that are no exchanges of HTTP", count(int(done.Others), "capture"))
	}
	if done.LeftOut > 0 {
		return fmt.Errorf("har: %s could not be read, see above: %s says what is damaged",
			count(int(done.LeftOut), "exchange"), commandFor(dir, "verify"))
	}
	return lacks
}

// errNoneReadable says that a HAR would hold nothing.
var errNoneReadable = errors.New("nothing of it could be read, see above")

// write writes the HAR to where --out says.
func (c *harCommand) write(source *selection.Source) (done har.Done, err error) {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	context.AfterFunc(ctx, end) // a second signal ends at once
	bar := newBar(-1, "exchanges")
	defer bar.Finish()
	options := har.Options{
		Version: version,
		LeftOut: func(left *har.LeftOutError) { fmt.Fprintln(os.Stderr, printable(left.Error())) },
		Progress: func(done, total int64) {
			bar.ChangeMax64(total)
			bar.Set64(done)
		},
	}
	write := func(w io.Writer) (err error) {
		done, err = har.Write(ctx, w, source, c.Selection(), options)
		if err == nil && done.Exchanges == 0 {
			err = errNoneReadable
		}
		return err
	}
	if c.Out == "-" {
		err = toStream(os.Stdout, write)
	} else {
		err = writeOut(c.Out, c.Mode, write)
	}
	return done, err
}
