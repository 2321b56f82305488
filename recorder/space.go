package recorder

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
)

// spaceEvery is the time between two looks at the free space. A disk takes about 1 GB in it at most, which is what min-free-space leaves by default.
const spaceEvery = time.Second

// watchSpace turns recording off while less than floor bytes are free where the collection lies, before the disk is full: a full disk harms whatever
// else writes to it, and leaves no room for the index.
func (r *Recorder) watchSpace(dir string, floor int64) {
	look := func() {
		free, err := freeSpace(dir)
		switch {
		case err != nil:
			err = fmt.Errorf("free space of %s: %w", dir, err)
		case free < floor:
			err = fmt.Errorf("only %s are free in %s, less than min-free-space (%s)", humanize.Bytes(uint64(free)), dir, humanize.Bytes(uint64(floor)))
		}
		r.health.set(roomy, err)
	}
	look()
	r.watcher.Go(func() {
		ticker := time.NewTicker(spaceEvery)
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
