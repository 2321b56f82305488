package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"warcorder/store"
	"warcorder/store/warc"
)

// segment is one WARC file, from the plan that it be written, through its first byte, to its final name. It is planned before its first
// exchange is compressed, because every record names the file's warcinfo record.
//
// What is behind safe is not in the index, and its captures are still in memory. That makes undoing simple: a file in which a write went wrong is
// cut back to safe and finished, and what it lacks goes into the next one, once it is certain that the file has been cut.
type segment struct {
	name     string // final base name
	warcinfo recordID
	created  time.Time
	lane     lane

	// Guarded by files.mu.
	bound   int64  // bytes that the file has at most when all exchanges planned for it are in it
	planned int    // exchanges planned for it
	pending int    // those of them that are not in the index yet
	retired bool   // gets no more exchanges
	batch   *batch // its finished exchanges that wait for the next commit; nil if there are none

	// Owned by who appends, and by the committer once the segment is retired and nothing is pending.
	file     store.File // ID 0 until the index knows it
	writer   *warc.Writer
	path     string // of the file while it is written
	safe     int64  // bytes, from the start, that are synced
	broken   bool   // a write went wrong: bytes behind safe may be there
	finished bool   // has its final name, or is gone

	unindexed bool // captures in it are not in the index: not to be sealed
}

// append lets write append to the file, which it makes if need be, and syncs it. It returns where that was. After an error the file is
// broken, and must be mended before anything else is done to it.
func (f *files) append(s *segment, write func(*warc.Writer) (int64, error)) (offset int64, err error) {
	if s.writer == nil {
		if err := f.create(s); err != nil {
			return 0, err
		}
	}
	s.broken = true // until it proves otherwise
	if err := s.present(); err != nil {
		return 0, err
	}
	if offset, err = write(s.writer); err != nil {
		return 0, fmt.Errorf("append to %s: %w", s.name, err)
	}
	if err := s.writer.Sync(); err != nil {
		return 0, fmt.Errorf("sync %s: %w", s.name, err)
	}
	size := s.writer.Size()
	f.bytes.Add(size - s.safe)
	s.safe, s.broken = size, false
	return offset, nil
}

// create makes the file, makes it known to the index, and writes its warcinfo record. What it leaves behind on error mend removes.
func (f *files) create(s *segment) error {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return fmt.Errorf("create %s: %w", s.name, err)
	}
	w, err := warc.Create(f.dir, s.name)
	if err != nil {
		return fmt.Errorf("create %s: %w", s.name, err)
	}
	s.writer, s.path, s.broken = w, filepath.Join(f.dir, s.name+warc.OpenSuffix), true
	f.noteOpen(s.name, true)
	if s.file.ID == 0 {
		if s.file, err = f.index.AddFile(s.name); err != nil {
			return fmt.Errorf("create %s: %w", s.name, err)
		}
	}
	record, err := warcinfoRecord(s.warcinfo, s.created, s.name, f.host, f.collection)
	if err != nil {
		return err
	}
	member := warc.NewCompressor().Append(nil, [][]byte{record, []byte(warc.RecordEnd)}, -1)
	if _, err := w.Append(member); err != nil {
		return fmt.Errorf("append to %s: %w", s.name, err)
	}
	return nil
}

// present makes sure that the file is still found under its name: bytes written to one that was removed would be lost without an error.
func (s *segment) present() error {
	if _, err := os.Stat(s.path); err != nil {
		return fmt.Errorf("append to %s: %w", s.name, err)
	}
	return nil
}

// mend undoes what a failed append may have left. A file with something safe in it is finished: what comes goes into the next one. One without is
// removed, to be made anew. As long as mend fails nothing of it must be written elsewhere: it might come twice.
func (f *files) mend(s *segment) error {
	if s.safe > 0 {
		f.abandon(s)
		return f.finish(s)
	}
	if s.writer != nil {
		s.writer.Discard() // what counts is whether the file is gone
		s.writer = nil
		f.noteOpen(s.name, false)
	}
	if err := os.Remove(filepath.Join(f.dir, s.name+warc.OpenSuffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("undo %s: %w", s.name, err)
	}
	s.broken = false
	return nil
}

// finish cuts the file to what is safe, if need be, and gives it its final name. It may be called again after an error.
func (f *files) finish(s *segment) error {
	switch {
	case s.finished:
		return nil
	case s.safe == 0:
		return f.mend(s)
	case s.writer != nil:
		err := s.writer.Close()
		s.writer = nil
		if err == nil {
			f.nowFinished(s)
			return nil
		}
	}
	w, err := warc.Resume(f.dir, s.name, s.safe)
	if errors.Is(err, fs.ErrNotExist) {
		f.missing(s)
		return nil
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return fmt.Errorf("finish %s: %w", s.name, err)
	}
	f.nowFinished(s)
	return nil
}

func (f *files) nowFinished(s *segment) {
	s.broken, s.finished = false, true
	f.noteOpen(s.name, false)
}

// missing deals with a file that is not there under the name it is written under: it has its final one already, or someone took it away. In
// both cases there is nothing to undo.
func (f *files) missing(s *segment) {
	f.nowFinished(s)
	if info, err := os.Stat(filepath.Join(f.dir, s.name)); err == nil && info.Size() == s.safe {
		return
	}
	f.log.Error().Str("file", s.name).Int64("bytes", s.safe).Msg("a WARC file was taken away while it was written: its captures cannot be read")
}
