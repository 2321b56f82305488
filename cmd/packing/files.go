package packing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warcorder/store/behind"
	"warcorder/store/collection"
	"warcorder/store/wacz"
	"warcorder/store/warc"
)

// Suffix is that of the name of a WACZ.
const Suffix = ".wacz"

// Files writes a WACZ to path or, if it is split, its parts to files that are called after it
// (NAME-0001.wacz) and their list to NAME.json. What is there is replaced.
func (p *Package) Files(ctx context.Context, path string, mode collection.Mode) (report Report,
	err error) {
	if err := p.begin(); err != nil {
		return report, err
	}
	files := hidden{mode: mode}
	defer func() { err = errors.Join(err, files.remove()) }()
	if p.Split == 0 {
		err = files.write(path, func(out io.Writer) (err error) {
			report, err = p.Write(ctx, out, strings.TrimSuffix(filepath.Base(path), Suffix))
			return err
		})
	} else {
		report, err = p.parts(ctx, &files, strings.TrimSuffix(path, Suffix))
	}
	if err == nil {
		err = files.show(ctx, warc.SyncDir)
	}
	return report, err
}

// PartPath is the path of a part of that number, from 1.
func PartPath(base string, number int) string {
	return fmt.Sprintf("%s-%04d%s", base, number, Suffix)
}

// parts writes the parts, and their list.
func (p *Package) parts(ctx context.Context, files *hidden, base string) (report Report, err error) {
	err = p.eachShare(ctx, p.Selection, p.Split, func(s *share) error {
		number := len(report.Parts) + 1
		path := PartPath(base, number)
		p.name = strings.TrimSuffix(filepath.Base(path), Suffix)
		what := fmt.Sprintf("part %d", number)
		var part wacz.Part
		err := files.write(path, func(out io.Writer) (err error) {
			part, err = p.part(ctx, &report, s, out, what)
			return err
		})
		report.add(wacz.Named{Part: part, File: filepath.Base(path)})
		if part.Bytes > p.Split {
			report.TooLong++
		}
		return err
	})
	if err == nil && len(report.Parts) == 0 {
		err = ErrNothing
	}
	if err != nil {
		return report, err
	}
	report.List = base + ".json"
	return report, files.write(report.List, func(out io.Writer) error {
		return wacz.WriteList(out, p.settings(), report.Parts)
	})
}

// hidden are files that are written under hidden names beside those that they are to have.
type hidden struct {
	mode  collection.Mode
	made  []string // as they are called now
	paths []string // as they are to be called
}

// write writes a file.
func (h *hidden) write(path string, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	h.made, h.paths = append(h.made, f.Name()), append(h.paths, path)
	long := behind.New(f)
	err = write(long)
	if err == nil {
		err = h.mode.Set(f.Name())
	}
	if err != nil {
		long.Stop() // who has given up does not wait for the disk
		return errors.Join(err, f.Close())
	}
	return errors.Join(long.Sync(), f.Close())
}

// show gives all files their names, in the order in which they were written, and lets sync make the
// names in each directory durable.
func (h *hidden) show(ctx context.Context, sync func(dir string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var dirs []string // symlinks may have led to several
	for _, path := range h.paths {
		dirs = append(dirs, filepath.Dir(path))
	}
	for len(h.made) > 0 {
		if err := os.Rename(h.made[0], h.paths[0]); err != nil {
			return err
		}
		h.made, h.paths = h.made[1:], h.paths[1:]
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if err := sync(dir); err != nil {
			return err
		}
	}
	return nil
}

// remove removes those that have not got their names.
func (h *hidden) remove() (err error) {
	for _, path := range h.made {
		err = errors.Join(err, os.Remove(path))
	}
	h.made = nil
	return err
}
