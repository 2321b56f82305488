package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/warc"
)

// output is one WARC file, from the plan that it be written, through its first byte, to its final
// name. It is planned before its first exchange is compressed, because every record names the
// file's warcinfo record.
//
// What is behind safe is not in the index, and what was to be there is still in memory. That makes
// undoing simple: a file in which a write went wrong is cut back to safe and written on. If that
// does not help it is finished, and what it lacks goes into the next one, but not before it has
// been cut: else a recovery might find the same exchange twice.
type output struct {
	name     string // final base name
	warcinfo record.ID
	created  time.Time
	lanes    *lanes // that it is planned by
	lane     lane
	begun    atomic.Bool // an exchange is planned for it

	// Guarded by lanes.mu.
	bound   int64 // bytes that the file has at most when all exchanges planned for it are in it
	planned int   // exchanges planned for it
	pending int   // those of them that are not in the index yet
	retired bool  // gets no more exchanges

	// Guarded by batches.mu.
	batch *batch // its finished exchanges that wait for the next commit; nil if there are none

	// Owned by who appends, and by the committer once the output is retired and nothing is pending.
	file     store.File // ID 0 until the index knows it
	writer   *warc.Writer
	path     string      // of the file while it is written
	opened   fs.FileInfo // which file it is; nil before it is made
	safe     int64       // bytes, from the start, that are synced
	broken   error       // what went wrong with the last write: bytes behind safe may be there
	failures int         // writes that went wrong since the last one that did not
	finished bool        // has its final name, or is gone
	panics   int         // of the committer while it finished the file

	unsealed bool // is finished, and could not get its final name
	// captures in it are not in the index: the next start must look for them from where the index ends
	// now
	unindexed bool
}

// begins reports whether nobody has asked before: the exchange that is planned is then the first.
func (out *output) begins() bool { return !out.begun.Load() && out.begun.CompareAndSwap(false, true) }

// present makes sure that the file is still there. One that is not open can only be looked for.
func (out *output) present() (err error) {
	if out.writer != nil {
		err = out.writer.Present(out.safe)
	} else {
		var there fs.FileInfo
		if there, err = os.Stat(out.path); err == nil && !os.SameFile(there, out.opened) {
			err = fmt.Errorf("%s is another file now: %w", out.path, fs.ErrNotExist)
		}
	}
	if err != nil {
		return fmt.Errorf("append to %s: %w", out.name, err)
	}
	return nil
}

// poison makes sure that nothing is appended to the file before it has been opened anew and
// cut to what is safe: after a panic nobody knows what the writer has written.
func (out *output) poison() {
	out.broken = errPanic
	if out.writer != nil {
		out.writer.Abandon() // what counts is what is safe
		out.writer = nil
	}
}

var errPanic = errors.New("a fault of warcorder's own broke off a write")
