package recorder

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/dustin/go-humanize"

	"warcorder/store/collection"
)

// watchEvery is the time between two looks at the collection. A disk takes about 1 GB in it at
// most, which is what min-free-space leaves by default.
const watchEvery = time.Second

// watch turns recording off while something is wrong with the collection that no write would tell:
// less than floor bytes are free (a full disk harms whatever else writes to it, and leaves no room
// for the index), or the index was taken away, so that what goes into it is lost.
func (r *Recorder) watch(dir collection.Dir, floor int64) {
	path := dir.Index()
	index, err := os.Stat(path)
	look := func() {
		if floor > 0 {
			r.health.set(roomy, checkSpace(string(dir), floor))
		}
		if err == nil {
			r.health.set(indexed, checkSame(path, index))
		}
	}
	look()
	r.watcher.Go(func() {
		ticker := time.NewTicker(watchEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				look()
			case <-r.closing:
				return
			}
		}
	})
}

// checkSpace returns an error if less than floor bytes are free.
func checkSpace(dir string, floor int64) error {
	free, err := freeSpace(dir)
	if err != nil {
		return fmt.Errorf("free space of %s: %w", dir, err)
	}
	if free < floor {
		return fmt.Errorf("only %s are free in %s, less than min-free-space (%s)",
			humanize.Bytes(uint64(free)), dir, humanize.Bytes(uint64(floor)))
	}
	return nil
}

// checkSame returns an error unless the file at path is the one that was there.
func checkSame(path string, was os.FileInfo) error {
	is, err := os.Stat(path)
	if err == nil && !os.SameFile(is, was) {
		err = errors.New("it is another file now")
	}
	if err != nil {
		return fmt.Errorf(
			"the index %s was taken away while it was recorded to, stop and start again: %w", path, err)
	}
	return nil
}
