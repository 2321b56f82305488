package uploading

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"warcorder/store"
	"warcorder/store/objects"
	"warcorder/store/scratch"
)

// mostLines is of how many files the lines are made by one walk through the index.
const mostLines = 64

// sendLines puts the index lines of each file that has a copy beside it, as far as they are not there.
func (r *round) sendLines(ctx context.Context) error {
	if !r.CDXJ {
		return nil
	}
	files, err := r.lineless()
	if err != nil || len(files) == 0 {
		return err
	}
	for some := range slices.Chunk(files, mostLines) {
		if err := r.sendSome(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// lineless are the files that have a copy without lines. Beside an object that was there before, lines may be
// another collection's.
func (r *round) lineless() (files []store.File, err error) {
	all, err := r.index.Files()
	now := time.Now()
	for i := range all {
		f := &all[i]
		if f.Remote == nil || f.Remote.Found || !f.Sealed || (!r.all && r.tries.waits(f.Name+linesSuffix, now)) {
			continue
		}
		n, known := r.noted[f.Name]
		if !known || !n.IsSame(f.Remote) {
			if r.dir.ReadNote(r.dir.AwayNote(f.Name), &n) != nil || !n.IsSame(f.Remote) {
				continue // settle writes it
			}
			r.noted[f.Name] = n
		}
		if !n.Lines {
			files = append(files, *f)
		}
	}
	return files, err
}

// sendSome makes the lines of some files by one walk through the index, and sends them.
func (r *round) sendSome(ctx context.Context, files []store.File) error {
	made, err := r.makeLines(ctx, files)
	defer func() {
		for _, one := range made {
			one.file.Close()
		}
	}()
	if err != nil {
		return fmt.Errorf("lines of WARC files: %w", err)
	}
	for i := range files {
		name := files[i].Name
		if err := r.putLines(ctx, &files[i], made[name].file); err != nil {
			if err := r.fail(name+linesSuffix, err); err != nil {
				return err
			}
			continue
		}
		r.tries.good(name + linesSuffix)
	}
	return nil
}

// linesFile is where the lines of a file are written.
type linesFile struct {
	file *os.File
	out  *bufio.Writer
}

// makeLines writes the lines of each file, in the order of the index.
func (r *round) makeLines(ctx context.Context, files []store.File) (made map[string]linesFile, err error) {
	made = make(map[string]linesFile, len(files))
	for i := range files {
		file, err := scratch.Create(r.linesDir(), "lines-*")
		if err != nil {
			return made, err
		}
		made[files[i].Name] = linesFile{file, bufio.NewWriterSize(file, 64<<10)}
	}
	var line []byte
	err2 := r.index.Replayable(store.Query{All: true}, func(c *store.Capture) bool {
		if of, is := made[c.File]; is {
			line = append(c.AppendCDXJ(line[:0]), '\n')
			_, err = of.out.Write(line)
		}
		return err == nil && ctx.Err() == nil
	})
	if err = errors.Join(err, err2, ctx.Err()); err != nil {
		return made, err
	}
	for _, of := range made {
		err = errors.Join(err, of.out.Flush())
	}
	return made, err
}

// linesDir is where lines are written: on the disk of the collection, if that is one of a recorder.
func (r *round) linesDir() string {
	if _, err := os.Stat(r.dir.Spill()); err != nil {
		return ""
	}
	return r.dir.Spill()
}

// putLines sends the lines of a file, and notes that.
func (r *round) putLines(ctx context.Context, f *store.File, lines *os.File) error {
	info, err := lines.Stat()
	if err != nil {
		return err
	}
	former, err := r.linesOf(ctx, f.Remote, false)
	if err != nil {
		return err
	}
	_, err = r.storage.Put(ctx, objects.Upload{
		Bucket: f.Remote.Bucket, Key: f.Remote.Key + linesSuffix, Body: lines, Size: info.Size(),
		ContentType: "text/x-cdxj", Mark: f.Remote.Mark, Over: former,
	})
	if err != nil {
		return err
	}
	n := noted{Remote: *f.Remote, Lines: true}
	return r.noteBeside(f.Name, n)
}

// linesOf returns the ETag of the lines beside an object that were sent with it: they have its mark. Where
// there are none, or others, it is empty; others are told of where they were sent.
func (r *round) linesOf(ctx context.Context, remote *store.Remote, sent bool) (etag string, err error) {
	lines, err := r.storage.Head(ctx, remote.Bucket, remote.Key+linesSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	switch {
	case err != nil:
		return "", err
	case remote.Mark != "" && lines.Mark == remote.Mark:
		return lines.ETag, nil
	}
	if sent {
		r.log.Warn().Str("at", remote.URL()+linesSuffix).Msg("these lines have not the mark of those that were sent, " +
			"and stay: delete them, if they are of no other collection, since they may name what was removed")
	}
	return "", nil
}

// deleteLines deletes the lines beside an object that were sent with it.
func (r *round) deleteLines(ctx context.Context, former *noted) error {
	remote := &former.Remote
	etag, err := r.linesOf(ctx, remote, former.Lines)
	if err == nil && etag != "" {
		err = r.storage.Delete(ctx, remote.Bucket, remote.Key+linesSuffix, etag)
	}
	return err
}
