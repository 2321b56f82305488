package recorder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Rotate finishes the WARC files that are open now, and returns their names. All that had come to
// its end before the call is in them, and in the index; the next exchange makes the next file. That
// nothing is open is no error.
//
// A body that is being written straight into a file is waited for, as long as ctx allows; the error
// says which. What was finished until then is returned beside it. Several may rotate at once. Where the
// system lets no file have another name none is finished, and it is recorded on into them.
func (r *Recorder) Rotate(ctx context.Context) ([]string, error) {
	if err := r.archive.movable(); err != nil {
		return nil, fmt.Errorf("rotate: %w", err)
	}
	if _, err := r.SettleWithin(ctx, rotatePatience); err != nil {
		return nil, fmt.Errorf("rotate: %w", err)
	}
	files := r.archive.openFiles()
	files, err := r.awaitFinished(ctx, files, r.lanes.retireAll())
	finished, err2 := r.finishedOf(files)
	if err = errors.Join(err, err2); err != nil {
		return finished, fmt.Errorf("rotate: %w", err)
	}
	return finished, nil
}

// rotatePatience is how long Rotate waits for exchanges that are not committed: one whose client
// takes nothing could else keep the files open.
const rotatePatience = time.Second

// awaitFinished waits until none of the files is written any more, and the index knows it. To them
// belong those that have ended now, also if they were only planned when files was listed: else they
// would be finished without having been named. It returns the names of all.
func (r *Recorder) awaitFinished(ctx context.Context, files []string, ended []*output) (
	[]string, error) {
	for {
		settled, pending := r.lanes.namesOf(ended) // before open, in which they are from then on
		all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(files, settled))))
		open := common(all, r.archive.openFiles())
		// Each time: before a file is finished its captures go into the index, and behind that the
		// index learns of it.
		err := r.settle(ctx)
		if len(open)+len(pending) == 0 {
			return all, err
		}
		if err == nil {
			err = r.cannotWrite()
		}
		if err == nil {
			err = r.awaitOne(ctx, open)
		}
		if err == nil {
			continue
		}
		return all, fmt.Errorf("%s not finished%s: %w",
			strings.Join(slices.Concat(open, pending), ", "), r.streams(), err)
	}
}

// awaitOne waits until one of the open files is not written any more, or a while.
func (r *Recorder) awaitOne(ctx context.Context, files []string) error {
	if len(common(files, r.archive.openFiles())) < len(files) {
		return nil
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(settlePatience):
		return nil
	}
}

// streams says what is being written straight into a file; "" if nothing is.
func (r *Recorder) streams() string {
	url := r.archive.streams.Load()
	if url == nil {
		return ""
	}
	return ", while a large body is written (" + Logged(*url) + ")"
}

// finishedOf returns those of the files that have their final names. A file that was taken away has
// none; one that has to keep the ending .open is an error.
func (r *Recorder) finishedOf(files []string) (finished []string, err error) {
	open := r.archive.openFiles()
	for _, name := range files {
		if slices.Contains(open, name) {
			continue
		}
		if _, err2 := os.Lstat(r.dir.OpenWARC(name)); !errors.Is(err2, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("%s keeps the ending .open: see the log", name))
		} else if _, err2 := os.Lstat(r.dir.WARC(name)); err2 == nil {
			finished = append(finished, name)
		}
	}
	return finished, err
}

// common returns the names that are in both lists.
func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(name string) bool { return !slices.Contains(b, name) })
}
