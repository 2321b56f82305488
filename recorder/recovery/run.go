package recovery

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"warcorder/store"
	"warcorder/store/warc"
)

// run recovers all files, in the order of their names.
func (r *recovery) run() error {
	if err := r.sweep(); err != nil {
		return err
	}
	if err := r.takeImports(); err != nil {
		return err
	}
	if err := r.readCopies(); err != nil {
		return err
	}
	files, err := r.warcFiles()
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, r.agrees)
	for _, f := range files {
		r.total += r.toRead(f)
	}
	for i, f := range files {
		r.later = files[i+1:]
		if err := r.recover(f); err != nil {
			return fmt.Errorf("recover %s: %w", f.Name, err)
		}
		r.done += r.toRead(f)
		if err := r.report(f.Name, 0); err != nil {
			return err
		}
	}
	r.tellUnread()
	return nil
}

// toRead is how many bytes of a file the index does not have.
func (r *recovery) toRead(f warcFile) int64 {
	size := max(f.open, f.final)
	if copied := r.copyOf(f.File); size < 0 && copied != nil {
		size = copied.Size
	}
	return max(0, size-f.Committed)
}

// recover recovers one file: it decides by the names and sizes that it has, in the index and on
// disk.
func (r *recovery) recover(f warcFile) error {
	copied := r.copyOf(f.File)
	switch {
	case f.open < 0 && f.final < 0 && copied != nil:
		return r.recoverAway(f, copied)
	case f.open < 0 && f.final < 0:
		return r.missing(f)
	case f.open >= 0 && f.final >= 0:
		again, err := r.twice(f)
		for _, file := range again {
			err = errors.Join(err, r.recoverNow(file))
		}
		return err
	case max(f.open, f.final) < f.Committed:
		return r.short(f, copied)
	case r.isReplaced(f):
		return nil
	}
	if f.Reduced && f.Sealed && f.open < 0 && f.final > f.Committed {
		r.left(f.Name, "a file from which records were removed is larger than it was then: somebody has put "+
			"a former one back, or written to it. Nothing of it is read: take it away, or let warcorder "+
			"rebuild take all of it in")
		return nil
	}
	if f.Missing { // it is back
		if f.Missing = false; f.isThere() {
			return errors.Join(r.sealed(f.File), r.settleCopy(f.Name, nil))
		}
	}
	switch {
	case f.isThere(): // what is known of a copy is all that differs
		return r.settleCopy(f.Name, nil)
	case f.open < 0:
		return r.addFinished(f)
	}
	open, err := warc.Look(r.dir.OpenWARC(f.Name))
	switch {
	case err != nil:
		return err
	case open.IsLink():
		if err := r.nameLink(f, open); err != nil {
			return err
		}
		return r.recoverNow(f.File)
	case f.open == 0 && f.ID == 0:
		return open.Remove()
	}
	if err := r.add(&f); err != nil {
		return err
	}
	return r.finish(f.File, open)
}

// recoverNow recovers a file as it is found now.
func (r *recovery) recoverNow(file store.File) error {
	return r.recover(warcFile{
		File:  file,
		open:  sizeAt(r.dir.OpenWARC(file.Name)),
		final: sizeAt(r.path(file.Name)),
	})
}

// sizeAt is the size of the file that a name leads to, -1 if it leads to none.
func sizeAt(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// short deals with a file that is shorter than the index says.
func (r *recovery) short(f warcFile, copied *store.Remote) error {
	r.found.Short = append(r.found.Short, f.Name)
	size, event := max(f.open, f.final), r.log.Error()
	if copied != nil && copied.Size >= f.Committed {
		event = event.Str("object", copied.URL()).
			Str("remedy", "the object is whole: remove the file here, and it is read from there")
	}
	event.Str("file", f.Name).Int64("bytes", size).Int64("committed", f.Committed).
		Msg("a WARC file is shorter than the index says: captures at its end cannot be read until it " +
			"is restored")
	return r.noteGone(f.File, fmt.Sprintf("the WARC file has %d bytes, and had %d", size, f.Committed))
}

// missing deals with a file that the index knows and that is not there.
func (r *recovery) missing(f warcFile) error {
	if f.Committed == 0 {
		return r.sealed(f.File) // planned, but nothing came of it
	}
	r.found.Missing = append(r.found.Missing, f.Name)
	r.log.Error().Str("file", f.Name).Int64("committed", f.Committed).
		Msg("a WARC file is missing: its captures cannot be read until it is put back")
	return r.noteGone(f.File, fmt.Sprintf("the WARC file of %d bytes is not in archive/", f.Committed))
}

// noteGone puts a gap into the list for a file that is missing or too short: once, until the file
// is back.
func (r *recovery) noteGone(f store.File, detail string) error {
	if f.Missing {
		return nil
	}
	r.gone = append(r.gone, f.Name)
	f.Missing = true
	return r.index.NoteFiles([]store.File{f},
		store.Gap{Time: time.Now().UTC(), Reason: GapMissing, URL: f.Name, Detail: detail})
}
