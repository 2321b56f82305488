// Package extract writes a part of a collection into a directory of its own: plain WARC files that
// stand alone, and their CDXJ. Start with Write.
//
//	DIR/
//	  NAME.warc.gz           a file of the collection, if all of it is selected
//	  COLLECTION-extract-TIMESTAMP-SERIAL-HOST.warc.gz
//	                         parts of files
//	  index.cdxj             the lines of all captures, as an export writes them
//	  warcorder-extract-…/   all of these until they are whole, and what is being sorted
//	  .warcorder-extract     their names, while they are given them
//
// Invariant: a file has its name only when every one of them is whole and on disk. What a process
// that was killed has left is removed by the next extract into that directory; nothing else there is
// touched or replaced.
package extract

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"warcorder/store/collection"
	"warcorder/store/copying"
	"warcorder/store/scratch"
	"warcorder/store/selection"
	"warcorder/store/warc"
)

// Options say how an extract is written.
type Options struct {
	Collection string // its name, with which those of files that hold parts begin
	Size       int64  // bytes that a file does not exceed, unless one exchange does; 0 is any
	NoRevisits bool   // each revisit becomes a response again
	Mode       collection.Mode

	// Progress, if it is not nil, is told how many bytes have been read, of about total.
	Progress func(done, total int64)
}

// Done is what became of an extract.
type Done struct {
	copying.Report
	Lines   int64 // of index.cdxj
	LeftOut int64 // captures without a line, as store.Exported has it
}

// ErrNothing says that no capture is selected.
var ErrNothing = errors.New("nothing that was captured is selected")

// IndexName is the name of the lines.
const IndexName = collection.CDXJName

// Write writes what is selected into dir, which is made if it is not there.
func Write(ctx context.Context, source *selection.Source, sel selection.Selection, dir string,
	o Options) (done Done, err error) {
	w := &writer{dir: dir, options: o, syncDir: warc.SyncDir}
	if err := w.begin(); err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, w.end()) }()
	source.TempDir = w.folder.Path
	plan, err := copying.Make(ctx, source, sel, copying.Options{
		Size: o.Size, Name: names(o.Collection), NoRevisits: o.NoRevisits,
	})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	if plan.Captures == 0 && !sel.IsAll() {
		return done, ErrNothing
	}
	if err := w.check(plan); err != nil {
		return done, err
	}
	w.lines = newLines(w.folder.Path, plan.Parts > 0)
	defer func() { err = errors.Join(err, w.lines.close()) }()
	done.Report, err = plan.Copy(ctx, copying.Into{
		Open:     w.open,
		Placed:   w.lines.add,
		Progress: func(n int64) { w.progress(n, plan.Bytes()) },
	})
	if err == nil {
		err = w.index(&done)
	}
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err == nil {
		err = w.synced()
	}
	if err != nil {
		return done, err
	}
	return done, w.publish()
}

// names names the files that hold parts.
func names(collection string) func(n int) string {
	now := time.Now()
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return func(n int) string {
		return warc.Name(warc.DefaultPattern, collection+"-extract", now, n+1, host)
	}
}

// writer writes an extract.
type writer struct {
	dir     string
	options Options
	syncDir func(dir string) error // makes durable which files a directory has

	made   bool            // dir was not there
	folder *scratch.Folder // in dir
	names  []string        // of what has been written
	lines  *lines
	files  []*file
}

// begin makes the directory, and the folder in it, after what a process that was killed has left.
func (w *writer) begin() (err error) {
	if _, err := os.Stat(w.dir); errors.Is(err, fs.ErrNotExist) {
		w.made = true
		if err := collection.MakeDir(w.dir, 0o755); err != nil {
			return err
		}
	}
	if err := undo(w.dir); err != nil {
		return err
	}
	w.folder, err = scratch.MakeFolderIn(w.dir, "extract")
	return err
}

// check refuses a directory that has files of the names that are to be given, or too little room.
func (w *writer) check(plan *copying.Plan) error {
	taken := []string{IndexName}
	for _, f := range plan.Files {
		taken = append(taken, f.Name)
	}
	for _, name := range taken {
		if _, err := os.Lstat(filepath.Join(w.dir, name)); err == nil {
			return w.isTaken(name)
		}
	}
	free, err := collection.FreeSpace(w.dir)
	if err == nil && free < plan.Bytes() {
		return fmt.Errorf("%s has room for %s, and about %s are to be written: name a directory on "+
			"another disk", w.dir, humanize.Bytes(uint64(free)), humanize.Bytes(uint64(plan.Bytes())))
	}
	return nil
}

// isTaken is the error of a name that is another file's.
func (w *writer) isTaken(name string) error {
	return fmt.Errorf("%s is there already: name another directory, or move it away",
		filepath.Join(w.dir, name))
}

// progress tells how many bytes have been read.
func (w *writer) progress(done, total int64) {
	if w.options.Progress != nil {
		w.options.Progress(done, max(done, total))
	}
}

// index writes the lines.
func (w *writer) index(done *Done) error {
	out, err := w.open(IndexName, 0)
	if err != nil {
		return err
	}
	if done.Lines, err = w.lines.write(out); err != nil {
		return err
	}
	done.LeftOut = w.lines.leftOut
	return out.Close()
}

// end removes what is left in the folder, and the directory if it was made for nothing.
func (w *writer) end() error {
	for _, f := range w.files {
		f.Close()
	}
	_ = w.synced() // who publishes has looked at it
	err := w.folder.Remove()
	if w.made {
		os.Remove(w.dir) // it stays if there is anything in it
	}
	return err
}
