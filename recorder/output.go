package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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
	lane     lane

	// Guarded by files.mu.
	bound   int64  // bytes that the file has at most when all exchanges planned for it are in it
	planned int    // exchanges planned for it
	pending int    // those of them that are not in the index yet
	retired bool   // gets no more exchanges
	batch   *batch // its finished exchanges that wait for the next commit; nil if there are none

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

// append lets write append to the file, which it makes if need be, and syncs it. It returns where
// that was. After an error the file is broken, and must be mended before anything else is done to
// it.
func (f *files) append(s *output,
	write func(*warc.Writer) (int64, error)) (offset int64, err error) {
	whole := false
	defer func() {
		if !whole {
			s.poison()
		}
	}()
	offset, err = f.appendTo(s, write)
	whole = true
	return offset, err
}

// appendTo is append as long as nothing panics.
func (f *files) appendTo(s *output,
	write func(*warc.Writer) (int64, error)) (offset int64, err error) {
	if s.writer == nil {
		err = f.create(s)
	} else {
		err = s.present()
	}
	if err != nil {
		s.broken = err
		return 0, err
	}
	if offset, err = write(s.writer); err == nil && f.syncs {
		err = s.writer.Sync()
	}
	if err != nil {
		s.broken = err
		s.failures++
		return 0, err
	}
	size := s.writer.Size()
	f.bytes.Add(size - s.safe)
	s.safe, s.failures = size, 0
	return offset, nil
}

// create makes the file, makes it known to the index, and writes its warcinfo record.
func (f *files) create(s *output) error {
	if err := f.mode.MakeDir(f.dir); err != nil {
		return fmt.Errorf("create %s: %w", s.name, err)
	}
	w, err := warc.Create(f.dir, s.name)
	if errors.Is(err, fs.ErrExist) { // put there since the name was chosen
		f.log.Warn().Str("file", s.name).
			Msg("someone has put a file where a WARC file was to be: another name is taken")
		f.rename(s)
		w, err = warc.Create(f.dir, s.name)
	}
	if err != nil {
		return fmt.Errorf("create %s: %w", s.name, err)
	}
	s.writer, s.opened, s.path = w, w.Opened(), filepath.Join(f.dir, s.name+warc.OpenSuffix)
	f.noteOpen(s.name, true)
	if err := f.mode.Set(s.path); err != nil {
		return fmt.Errorf("create %s: %w", s.name, err)
	}
	if s.file.ID == 0 {
		if s.file, err = f.index.AddFile(s.name); err != nil {
			return fmt.Errorf("create %s: %w", s.name, err)
		}
	}
	rec, err := record.Warcinfo(f.style, s.warcinfo, s.created, s.name, f.host, f.collection)
	if err != nil {
		return err
	}
	_, err = w.Append(f.style.Compressor().Append(nil, [][]byte{rec, recordEnd}, -1))
	return err
}

// rename chooses another name for a file that is not made yet.
func (f *files) rename(s *output) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.name, s.file = f.newName(s.created), store.File{}
}

// present makes sure that the file is still there. One that is not open can only be looked for.
func (s *output) present() (err error) {
	if s.writer != nil {
		err = s.writer.Present(s.safe)
	} else {
		var there fs.FileInfo
		if there, err = os.Stat(s.path); err == nil && !os.SameFile(there, s.opened) {
			err = fmt.Errorf("%s is another file now: %w", s.path, fs.ErrNotExist)
		}
	}
	if err != nil {
		return fmt.Errorf("append to %s: %w", s.name, err)
	}
	return nil
}

// mend undoes what a failed append may have left, so that the file can be written on. A file that
// keeps failing is finished, later if there is no room for the next one either. As long as mend
// fails what was to be in the file must not be written elsewhere.
func (f *files) mend(s *output) error {
	patience := 1
	if errors.Is(s.broken, syscall.ENOSPC) || errors.Is(s.broken, syscall.EDQUOT) {
		patience = 5
	}
	if s.safe == 0 {
		return f.remove(s)
	}
	switch err := s.present(); {
	case errors.Is(err, fs.ErrNotExist):
		f.missing(s)
		return nil
	case err != nil:
		return err
	case s.failures > patience:
		f.abandon(s)
		return f.finish(s)
	case s.writer != nil && s.writer.Size() == s.safe: // it has undone what it could not append
		s.broken = nil
		return nil
	}
	return f.resume(s)
}

// resume opens the file anew and cuts it to what is safe.
func (f *files) resume(s *output) (err error) {
	if s.writer != nil {
		s.writer.Close() // fails, as its last Sync did, and leaves the file its name
	}
	s.writer, err = warc.Resume(f.dir, s.name, s.safe, s.opened)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.missing(s)
	case err != nil:
		return err
	}
	s.broken = nil
	return nil
}

// remove removes a file in which nothing is safe, to be made anew. A file of that name that is not
// ours stays.
func (f *files) remove(s *output) error {
	if s.writer != nil {
		s.writer.Abandon() // what counts is whether the file is gone
		s.writer = nil
		f.noteOpen(s.name, false)
	}
	if s.opened != nil {
		there, err := warc.Look(s.path)
		if err == nil && os.SameFile(there.Entry, s.opened) {
			err = there.Remove()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	s.broken, s.opened = nil, nil
	return nil
}

// finish gives the file its final name. It may be called again after an error.
func (f *files) finish(s *output) error {
	if s.finished {
		return nil
	}
	if s.safe == 0 {
		return f.remove(s)
	}
	if s.writer == nil || s.writer.Size() != s.safe {
		if err := f.resume(s); err != nil || s.finished {
			return err
		}
	}
	err := s.writer.Close()
	s.writer = nil
	if errors.Is(err, fs.ErrNotExist) {
		f.missing(s)
		return nil
	}
	if errors.Is(err, fs.ErrExist) { // another file's; the next start tells the two apart
		f.log.Error().Err(err).Str("file", s.name).
			Msg("a WARC file keeps its name with .open until the next start")
		s.unsealed, err = true, nil
	}
	if err != nil {
		return err
	}
	f.nowFinished(s)
	return nil
}

func (f *files) nowFinished(s *output) {
	s.broken, s.finished = nil, true
	f.noteOpen(s.name, false)
}

// missing deals with a file that is not there under the name it is written under: it has its final
// one already, or someone took it away. In both cases there is nothing to undo.
func (f *files) missing(s *output) {
	if s.writer != nil {
		s.writer.Abandon() // nobody can read what is lost with it
		s.writer = nil
	}
	f.abandon(s)
	f.nowFinished(s)
	f.presence.forget(s.name)
	if info, err := os.Stat(filepath.Join(f.dir, s.name)); err == nil && info.Size() == s.safe {
		return
	}
	f.log.Error().Str("file", s.name).Int64("bytes", s.safe).
		Msg("a WARC file was taken away while it was written: its captures cannot be read")
	s.file.Away = true // as the index learns when the file is sealed
	f.gone(
		s.name,
		fmt.Sprintf("the WARC file was taken away while it was written; %d bytes of it were on disk",
			s.safe),
	)
}
