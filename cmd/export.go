package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/zipnum"
)

type exportCommand struct {
	collectionFlags
	URL   string `name:"url" placeholder:"URL"`
	Match string `enum:"exact,prefix,host,domain" default:"exact" placeholder:"HOW"`
	From  string `type:"moment" placeholder:"TS"`
	To    string `type:"moment" placeholder:"TS"`
	findFlags
	Dialect   canon.Dialect   `default:"pywb"`
	Format    string          `enum:"cdxj,cdx11,zipnum,parquet,warc-0.9" default:"cdxj"`
	FileSize  int64           `name:"file-size" default:"${file_size}" type:"size"`
	PartLines int64           `name:"part-lines" default:"5000000" placeholder:"N"`
	ZipNum    zipnum.Dialect  `name:"zipnum" enum:"pywb,wacz" default:"pywb"`
	NoBodies  bool            `name:"no-request-bodies"`
	All       bool            `name:"all"`
	Mode      collection.Mode `name:"archive-mode" default:"${archive_mode}"`
	Out       string          `name:"out" short:"o" placeholder:"FILE"`
	sinceFlags
}

// Run writes the lines, all of them or none.
func (c *exportCommand) Run(line *commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	if !dir.Exists() {
		return noCollection(dir)
	}
	if err := c.check(c.Format, c.Out); err != nil {
		return err
	}
	if c.Format == formatOld {
		return c.exportOld(line, dir)
	}
	check, write := c.checkLines, c.writeLines
	if c.isDir() {
		check, write = c.checkDir, c.writeDir
	}
	query, err := c.query()
	if err == nil {
		err = check(dir)
	}
	if err != nil {
		return err
	}
	exported, err := write(dir, query)
	if err == nil {
		err = c.keep(exported.token, c.Mode, cmp.Or(c.Out, dir.CDXJ()))
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if c.Out != "-" {
		line.remark("%s in %s", count(int(exported.Lines), "line"), c.place(dir))
	}
	if exported.InOpenFiles > 0 {
		line.remark("%d of %d captures lie in a file that is not finished; until it is its name ends in .open",
			exported.InOpenFiles, exported.Lines)
	}
	if exported.LeftOut > 0 {
		line.remark("%s without a line: pywb would show a 304 as an empty page, and a part, or what was cut, "+
			"for the whole that is there; --all writes them too",
			count(int(exported.LeftOut), "capture"))
	}
	c.tell(exported.Done)
	return exported.lacking("export")
}

// query is what the flags select.
func (c *exportCommand) query() (store.Query, error) {
	query := store.Query{
		URL:      c.URL,
		Match:    store.Match(c.Match),
		From:     c.From,
		To:       c.To,
		Key:      c.Key,
		Dialect:  c.Dialect,
		NoBodies: c.NoBodies,
		All:      c.All,
	}
	if c.URL == "" || c.Key == store.URLKey {
		return query, nil
	}
	var err error
	if query.URL, err = c.of(c.URL); err == nil && query.URL == "" {
		err = noKey("export", c.URL, c.Key)
	}
	return query, err
}

// errRemoved says that lines may be of what is not there any more.
var errRemoved = errors.New("something was removed from the collection while its lines were " +
	"written: run this again")

// unlessRemoved is write, which has an error if something is removed meanwhile: the removal does not know
// of the file that is being written.
func unlessRemoved(dir collection.Dir, write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		reading := dir.Reading()
		if err := write(w); err != nil {
			return err
		}
		return unchanged(dir, reading)
	}
}

// unchanged returns an error that says what to do if something was removed since a work began.
func unchanged(dir collection.Dir, reading collection.Reading) error {
	if reading.IsSame() {
		return nil
	}
	return cmp.Or(whole(dir), errRemoved)
}

// whole returns an error that says what to do if a removal was interrupted, and nobody goes on with it.
func whole(dir collection.Dir) error {
	if _, err := os.Lstat(dir.Removal()); err != nil || dir.Yield() != nil {
		return nil
	}
	return explainRead(fmt.Errorf("read %s: %w", dir, store.ErrInterrupted), dir)
}

// writeOut writes a file, whole or not at all. What is there and no regular file, a pipe or a
// device, is written to as it is.
func writeOut(path string, mode collection.Mode, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if is := collection.Reserved(path); is != "" {
		return fmt.Errorf("%s has the name of %s, which would be lost: name another file", path, is)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(toStream(f, write), f.Close())
	}
	return collection.Write(path, mode, write)
}

// toStream writes to a pipe or a device, which keeps what it was given: an error behind the first byte
// says so, and is none for which the work would begin anew.
func toStream(out io.Writer, write func(io.Writer) error) error {
	stream := &begun{out: out}
	switch err := write(stream); {
	case err == nil || !stream.is:
		return err
	case isOver(err):
		return fmt.Errorf("%v: %s", err, notWhole)
	default:
		return fmt.Errorf("%w: %s", err, notWhole)
	}
}

const notWhole = "what was written is not whole, and to be thrown away"

// begun is a stream into which something may have been written.
type begun struct {
	out io.Writer
	is  bool
}

func (b *begun) Write(p []byte) (int, error) {
	b.is = b.is || len(p) > 0
	return b.out.Write(p)
}
