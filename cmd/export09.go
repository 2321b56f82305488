package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/holdings"
	"warcorder/store/warc"
	"warcorder/store/warc/v09"
)

// exportOld writes the finished WARC files of the collection as WARC 0.9.
func (c *exportCommand) exportOld(line *commandLine, dir collection.Dir) error {
	if err := c.checkOld(); err != nil {
		return err
	}
	if err := whole(dir); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := collection.MakeDir(c.Out, 0o755); err != nil {
		return err
	}
	if same, err := sameDir(c.Out, dir.Archive()); err != nil {
		return fmt.Errorf("export: %w", err)
	} else if same {
		return fmt.Errorf("export: %s is the archive itself: name another directory with -o", c.Out)
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	w := &v09.Writer{
		Dir:    c.Out,
		Prefix: dir.Name(),
		Host:   host,
		Target: c.FileSize,
		Temp:   c.Out,
		Made:   c.Mode.Set,
	}
	reading := dir.Reading()
	damaged, err := exportFiles(line, w, dir)
	if err == nil {
		err = unchanged(dir, reading)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("export: %w", err), w.Abandon())
	}
	if err := w.Close(); err != nil || damaged == 0 {
		return err
	}
	return fmt.Errorf("export: %s, see above", count(damaged, "finding"))
}

// checkOld refuses flags that mean nothing for whole files.
func (c *exportCommand) checkOld() error {
	if c.Out == "" || c.Out == "-" {
		return errors.New("export: name the directory for the WARC 0.9 files with -o DIR")
	}
	if c.URL != "" || c.From != "" || c.To != "" || c.Key != store.URLKey ||
		c.Dialect != canon.Pywb || c.NoBodies {
		return errors.New("export: --format warc-0.9 writes all records as they are: leave --url, " +
			"--from, --to, --key, --dialect and --no-request-bodies out")
	}
	return nil
}

// sameDir reports whether two paths lead to the same directory.
func sameDir(path, other string) (bool, error) {
	a, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b), err
}

// exportFiles writes the records of all finished files of a collection. It returns how many findings
// there were: damaged places that it has passed over, and files that nobody has finished.
func exportFiles(line *commandLine, w *v09.Writer, dir collection.Dir) (damaged int, err error) {
	names, open, err := finishedFiles(dir)
	if err != nil {
		return 0, err
	}
	held := holdings.New(dir)
	for _, name := range names {
		n, err := exportFile(w, held, name)
		if err != nil {
			return damaged, err
		}
		damaged += n
	}
	if _, running := dir.Recorder(); open > 0 && !running {
		fmt.Fprintf(os.Stderr, "%s left out, which nobody finished: warcorder recover does\n",
			count(open, "file"))
		damaged++
	} else if open > 0 {
		line.remark("%s left out: still being written", count(open, "file"))
	}
	return damaged, nil
}

// finishedFiles returns the names of the finished files, here and away, sorted, and how many are being
// written.
func finishedFiles(dir collection.Dir) (names []string, open int, err error) {
	entries, err := os.ReadDir(dir.Archive())
	if err != nil {
		return nil, 0, err
	}
	names, _, err = dir.Away()
	for _, entry := range entries {
		switch state, _ := collection.StateOf(entry.Name()); state {
		case collection.Open, collection.Begun:
			open++
		case collection.Finished:
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names), open, err // of some there is a copy in either place
}

// exportFile writes the records of a file, and steps over what is damaged in it.
func exportFile(w *v09.Writer, held *holdings.Holdings, name string) (damaged int, err error) {
	file, err := held.OpenNoted(name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	r, err := warc.NewForeignReader(file.Section(file.Size), file.Path, 0)
	if errors.As(err, new(*warc.Damage)) {
		fmt.Println(printable(err.Error()))
		return 1, nil
	}
	if err != nil {
		return 0, err
	}
	for {
		err := w.Export(r)
		if !errors.As(err, new(*warc.Damage)) {
			return damaged, err
		}
		damaged++
		fmt.Println(printable(err.Error()))
		if _, _, err := r.Resync(); errors.Is(err, io.EOF) {
			return damaged, nil
		} else if err != nil {
			return damaged, err
		}
	}
}
