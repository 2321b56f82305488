package cmd

import (
	"errors"
	"io"
	"os"

	"warcorder/store"
	"warcorder/store/cdx11"
	"warcorder/store/collection"
)

// checkLines refuses an output for lines before anything is read.
func (c *exportCommand) checkLines(collection.Dir) error {
	if c.Format == formatCDX11 && c.Out == "" {
		return errors.New("export: name the file for the CDX lines with -o FILE, or -o - for standard output: " +
			"pywb would read them beside indexes/" + collection.CDXJName)
	}
	return checkOutFile(c.Out)
}

// writeLines writes the lines to where --out says.
func (c *exportCommand) writeLines(dir collection.Dir, query store.Query) (exported, error) {
	if c.Out == "-" {
		return c.exportLines(dir, query, os.Stdout)
	}
	var done exported
	err := writeOut(c.place(dir), c.Mode, unlessRemoved(dir, func(w io.Writer) (err error) {
		done, err = c.exportLines(dir, query, w)
		return err
	}))
	return done, err
}

// exportLines writes the lines in their format.
func (c *exportCommand) exportLines(dir collection.Dir, query store.Query, w io.Writer) (exported, error) {
	if c.Format != formatCDX11 {
		since, err := c.since()
		if err != nil {
			return exported{}, err
		}
		return exportSince(dir, query, since, w)
	}
	lines, err := cdx11.New(w, "")
	if err != nil {
		return exported{}, err
	}
	done, err := export(dir, query, lines)
	if err != nil {
		return done, errors.Join(err, lines.Abandon())
	}
	return done, lines.Close()
}
