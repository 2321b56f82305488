package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// archive is the folder of a collection that has the WARC files, as far as they are written: it
// makes them, appends to them, undoes what went wrong, and gives them their final names. One file
// is for one caller at a time.
//
// mu guards what stands below it. No other lock is taken while it is held.
type archive struct {
	dir      collection.Dir
	host     string
	mode     collection.Mode
	style    *record.Style
	syncs    bool // what is written is forced to disk
	index    *store.Bolt
	presence *presence
	log      zerolog.Logger
	gaps     *gapList
	telling  *telling

	took    latencies
	bytes   atomic.Int64           // written
	streams atomic.Pointer[string] // what is being written straight into a file; nil if nothing is

	mu   sync.Mutex
	open []string // base names of the files being written
}

func newArchive(cfg *Config, dir collection.Dir, host string, index *store.Bolt, presence *presence,
	gaps *gapList, log zerolog.Logger) *archive {
	return &archive{
		dir: dir, host: host, mode: cfg.Mode, style: cfg.style(), syncs: cfg.Sync != syncNone,
		index: index, presence: presence, gaps: gaps, telling: gaps.telling,
		log: log,
	}
}

// append lets write append to the file, which it makes if need be, and syncs it. It returns where
// that was. After an error the file is broken, and must be mended before anything else is done to
// it.
func (a *archive) append(out *output,
	write func(*warc.Writer) (int64, error)) (offset int64, err error) {
	whole := false
	defer func() {
		if !whole {
			out.poison()
		}
	}()
	offset, err = a.appendTo(out, write)
	whole = true
	return offset, err
}

// appendTo is append as long as nothing panics.
func (a *archive) appendTo(out *output,
	write func(*warc.Writer) (int64, error)) (offset int64, err error) {
	if out.writer == nil {
		err = a.create(out)
	} else {
		err = out.present()
	}
	if err != nil {
		out.broken = err
		return 0, err
	}
	if offset, err = a.put(out, write); err != nil {
		out.broken = err
		out.failures++
		return 0, err
	}
	size := out.writer.Size()
	a.bytes.Add(size - out.safe)
	out.safe, out.failures = size, 0
	return offset, nil
}

// put lets write write to the file, which is open, and syncs it. How long each takes is counted, also
// when it fails.
func (a *archive) put(out *output,
	write func(*warc.Writer) (int64, error)) (offset int64, err error) {
	began := time.Now()
	offset, err = write(out.writer)
	written := time.Now()
	a.took.write[out.lane].Observe(written.Sub(began))
	if err != nil || !a.syncs {
		return offset, err
	}
	err = out.writer.Sync()
	a.took.sync[out.lane].Observe(time.Since(written))
	return offset, err
}

// create makes the file, makes it known to the index, and writes its warcinfo record.
func (a *archive) create(out *output) error {
	if err := a.mode.MakeDir(a.dir.Archive()); err != nil {
		return fmt.Errorf("create %s: %w", out.name, err)
	}
	w, err := warc.Create(a.dir.Archive(), out.name)
	if errors.Is(err, fs.ErrExist) { // put there since the name was chosen
		a.log.Warn().Str("file", out.name).
			Msg("someone has put a file where a WARC file was to be: another name is taken")
		out.lanes.rename(out)
		w, err = warc.Create(a.dir.Archive(), out.name)
	}
	if err != nil {
		return fmt.Errorf("create %s: %w", out.name, err)
	}
	out.writer, out.opened, out.path = w, w.Opened(), a.dir.OpenWARC(out.name)
	a.noteOpen(out.name, true)
	a.telling.file(out.name, "open", 0)
	if err := a.mode.Set(out.path); err != nil {
		return fmt.Errorf("create %s: %w", out.name, err)
	}
	if out.file.ID == 0 {
		if out.file, err = a.index.AddFile(out.name); err != nil {
			return fmt.Errorf("create %s: %w", out.name, err)
		}
	}
	style := *a.style
	style.Warcinfo = out.info
	rec, err := record.Warcinfo(&style, out.warcinfo, out.created, out.name, a.host, a.dir.Name())
	if err != nil {
		return err
	}
	c := a.style.Compressor()
	c.Exchange(true)
	_, err = w.Append(c.Append(nil, [][]byte{rec, recordEnd}, -1))
	return err
}

// mend undoes what a failed append may have left, so that the file can be written on. A file that
// keeps failing is finished, later if there is no room for the next one either. As long as mend
// fails what was to be in the file must not be written elsewhere.
func (a *archive) mend(out *output) error {
	patience := 1
	if errors.Is(out.broken, syscall.ENOSPC) || errors.Is(out.broken, syscall.EDQUOT) {
		patience = 5
	}
	if out.safe == 0 {
		return a.remove(out)
	}
	switch err := out.present(); {
	case errors.Is(err, fs.ErrNotExist):
		a.missing(out)
		return nil
	case err != nil:
		return err
	case out.failures > patience:
		out.lanes.abandon(out)
		return a.finish(out)
	case out.writer != nil && out.writer.Size() == out.safe: // it has undone what it could not append
		out.broken = nil
		return nil
	}
	return a.resume(out)
}

// resume opens the file anew and cuts it to what is safe.
func (a *archive) resume(out *output) (err error) {
	if out.writer != nil {
		out.writer.Close() // fails, as its last Sync did, and leaves the file its name
	}
	out.writer, err = warc.Resume(a.dir.Archive(), out.name, out.safe, out.opened)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		a.missing(out)
	case err != nil:
		return err
	}
	out.broken = nil
	return nil
}

// remove removes a file in which nothing is safe, to be made anew. A file of that name that is not
// ours stays.
func (a *archive) remove(out *output) error {
	if out.writer != nil {
		out.writer.Abandon() // what counts is whether the file is gone
		out.writer = nil
		a.noteOpen(out.name, false)
		a.telling.file(out.name, "undone", 0)
	}
	if out.opened != nil {
		there, err := warc.Look(out.path)
		if err == nil && os.SameFile(there.Entry, out.opened) {
			err = there.Remove()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	out.broken, out.opened = nil, nil
	return nil
}

// finish gives the file its final name. It may be called again after an error.
func (a *archive) finish(out *output) error {
	if out.finished {
		return nil
	}
	if out.safe == 0 {
		return a.remove(out)
	}
	if out.writer == nil || out.writer.Size() != out.safe {
		if err := a.resume(out); err != nil || out.finished {
			return err
		}
	}
	err := out.writer.Close()
	out.writer = nil
	if errors.Is(err, fs.ErrNotExist) {
		a.missing(out)
		return nil
	}
	if errors.Is(err, fs.ErrExist) { // another file's; the next start tells the two apart
		a.log.Error().Err(err).Str("file", out.name).
			Msg("a WARC file keeps its name with .open until the next start")
		out.unsealed, err = true, nil
	}
	if err != nil {
		return err
	}
	a.telling.file(out.name, "finished", out.safe)
	a.nowFinished(out)
	return nil
}

func (a *archive) nowFinished(out *output) {
	out.broken, out.finished = nil, true
	a.noteOpen(out.name, false)
}

// missing deals with a file that is not there under the name it is written under: it has its final
// one already, or someone took it away. In both cases there is nothing to undo.
func (a *archive) missing(out *output) {
	if out.writer != nil {
		out.writer.Abandon() // nobody can read what is lost with it
		out.writer = nil
	}
	out.lanes.abandon(out)
	a.nowFinished(out)
	a.presence.forget(out.name)
	if info, err := os.Stat(a.dir.WARC(out.name)); err == nil && info.Size() == out.safe {
		a.telling.file(out.name, "finished", out.safe)
		return
	}
	a.log.Error().Str("file", out.name).Int64("bytes", out.safe).
		Msg("a WARC file was taken away while it was written: its captures cannot be read")
	a.telling.file(out.name, "missing", out.safe)
	out.file.Missing = true // as the index learns when the file is sealed
	a.gaps.note(recovery.GapMissing, out.name, fmt.Sprintf(
		"the WARC file was taken away while it was written; %d bytes of it were on disk", out.safe))
	a.gaps.flush() // before the index learns that the file is gone; what cannot be flushed waits
}

// openFiles are the base names of the files being written.
func (a *archive) openFiles() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.open)
}

// movable returns an error if a file that is being written could not get its final name: to try that
// would end the recording.
func (a *archive) movable() error {
	for _, name := range a.openFiles() {
		if err := collection.Movable(a.dir.OpenWARC(name)); err != nil {
			return fmt.Errorf("no file can be finished, since the system lets none have another name (end that: "+
				"chattr -a of the directory): %w", err)
		}
	}
	return nil
}

// noteOpen keeps the list of the files being written.
func (a *archive) noteOpen(name string, open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open = slices.DeleteFunc(a.open, func(s string) bool { return s == name })
	if open {
		a.open = append(a.open, name)
	}
}

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
