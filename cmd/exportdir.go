package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/newdir"
	"warcorder/store/parquet"
	"warcorder/store/zipnum"
)

// The formats of export.
const (
	formatCDX11   = "cdx11"
	formatZipNum  = "zipnum"
	formatParquet = "parquet"
	formatOld     = "warc-0.9"
)

// isDir reports whether the format is that of a directory of lines.
func (c *exportCommand) isDir() bool { return c.Format == formatZipNum || c.Format == formatParquet }

// checkDir refuses what no directory of lines can be made of.
func (c *exportCommand) checkDir(dir collection.Dir) error {
	if c.Out == "" || c.Out == "-" {
		return fmt.Errorf("export: --format %s writes a directory: name one that is not there yet, with -o DIR",
			c.Format)
	}
	if c.Format == formatParquet && c.Key != store.URLKey {
		return errors.New("export: a table is in the order of its column url_surtkey: leave --key out")
	}
	if c.PartLines < 1 {
		return errors.New("export: --part-lines is how many lines a part has: 1 or more")
	}
	if within, err := isWithin(c.Out, string(dir)); err != nil || within {
		return errors.Join(err, fmt.Errorf("export: %s belongs to the collection: name another directory "+
			"with -o", c.Out))
	}
	path, err := filepath.Abs(c.place(dir))
	if err != nil {
		return err
	}
	return checkOutTree(filepath.Dir(path))
}

// place is where the lines are written. A table has a folder for each collection, as a partition.
func (c *exportCommand) place(dir collection.Dir) string {
	if c.Format == formatParquet {
		return filepath.Join(c.Out, "crawl="+parquet.Partition(dir.Name()))
	}
	return cmp.Or(c.Out, dir.CDXJ())
}

// lineFiles take the lines of an export, and make files of them.
type lineFiles interface {
	io.Writer
	Close() error // writes what is left
	Abandon()     // returns when nothing is done any more
}

// writeDir writes the lines into a directory, which appears as a whole.
func (c *exportCommand) writeDir(dir collection.Dir, query store.Query) (done exported, err error) {
	reading := dir.Reading()
	made, err := newdir.Begin(c.place(dir), c.Mode)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, made.End()) }()
	files, err := c.lineFiles(made)
	if err != nil {
		return done, err
	}
	defer files.Abandon()
	if done, err = export(dir, query, files); err != nil {
		return done, err
	}
	if err := errors.Join(files.Close(), unchanged(dir, reading)); err != nil {
		return done, err
	}
	return done, made.Publish()
}

// lineFiles returns what makes files of the format in a directory.
func (c *exportCommand) lineFiles(made *newdir.Dir) (lineFiles, error) {
	create := func(name string) (io.WriteCloser, error) { return made.Create(name) }
	if c.Format == formatParquet {
		return parquet.New(parquet.Settings{Part: c.PartLines, Version: version, Create: create}), nil
	}
	return zipnum.NewFiles(c.ZipNum, c.PartLines, create)
}
