package recovery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
	"warcorder/store/warc"
)

// Found is what a recovery, or the making of a new index, has found and done.
type Found struct {
	Files    int // that were read
	Captures int // that were put into the index
	// bytes of no whole exchange that were cut off, or out of, files that had not been finished
	Cut     int64
	Torn    []string  // paths of the copies of what was cut; they may hold more than that
	Damaged []Damaged // places in finished files; they stay as they are
	Missing []string  // base names of files that the index knows and that are not there
	Short   []string  // base names of files that are shorter than the index says
	// base names of files that keep two names, or the one with .open: what is in them is in the index
	Left     []string
	Rebuilt  bool   // the index was made anew
	Replaced string // where the old index is now; "" if it is not there any more
}

// ErrNoCollection says that there is nothing to recover.
var ErrNoCollection = errors.New("there is no collection")

// Damaged is a place in a finished file where there is no whole exchange.
type Damaged struct {
	File          string // base name
	Offset, Bytes int64
	Reason        error
	Kept          bool // the record there is in the index nevertheless
}

// Progress is told how far a recovery has come: done of total bytes that are to be read, the last
// ones in file.
type Progress func(file string, done, total int64)

// Config is what a recovery must know of how a collection is recorded.
type Config struct {
	Keys  store.KeysConfig
	Dedup record.DedupConfig
	Style record.Style    // of the records that it writes itself
	Mode  collection.Mode // of what it makes

	NoSync   bool     // the index that is opened is not forced to disk
	Group    int      // captures that one transaction puts into the index; 0 is 1000
	Progress Progress // told how far it has come, unless it is nil
}

// Opened is a collection in order: nobody else has it, and its files and its index agree.
type Opened struct {
	Index  *store.Bolt
	Unlock func() error // lets go of the collection; the index must have been closed
	Found  Found
}

// Open opens a collection, which it makes if there is none, and brings files and index into agreement
// after a crash, which it notes in the gap list. It returns an error that wraps
// collection.ErrLocked if the collection is in use.
func Open(cfg Config, dir collection.Dir, log zerolog.Logger) (Opened, error) {
	keyer, err := store.NewKeyer(cfg.Keys)
	if err != nil {
		return Opened{}, err
	}
	if err := dir.Make(cfg.Mode); err != nil {
		return Opened{}, err
	}
	r, unlock, err := newRecovery(cfg, dir, keyer, log)
	if err != nil {
		return Opened{}, err
	}
	return r.opened(unlock)
}

// Repair is Open for a collection that must be there, and of which nothing is taken on trust. It
// returns an error that wraps ErrNoCollection if there is none.
func Repair(cfg Config, dir collection.Dir, log zerolog.Logger) (Opened, error) {
	r, unlock, err := existing(cfg, dir, log)
	if err != nil {
		return Opened{}, err
	}
	return r.opened(unlock)
}

// opened opens the index and notes whether the last recorder has come to its end. After an error
// the collection is unlocked.
func (r *recovery) opened(unlock func() error) (Opened, error) {
	index, err := r.open()
	if err == nil {
		if err = r.noteCrash(index); err != nil {
			err = errors.Join(err, index.Close())
		}
	}
	if err != nil {
		return Opened{Found: r.found}, errors.Join(err, unlock())
	}
	return Opened{index, unlock, r.found}, nil
}

// recovery brings the WARC files of a collection into agreement with its index. It can be
// interrupted anywhere and begun again.
//
// A file that was being written is read from where the index ends. Its whole exchanges go into the
// index; what is no whole exchange is cut off, of which a copy is kept, and the file gets its final
// name. A finished file is read likewise, but never changed.
type recovery struct {
	dir      collection.Dir
	host     string
	index    *store.Bolt
	options  store.Options // that the index is opened with
	keyer    *store.Keyer
	dedup    record.DedupConfig
	style    *record.Style
	mode     collection.Mode // of what is made
	log      zerolog.Logger
	progress Progress
	group    int         // captures that go into the index at once
	each     fault.Point // passed before each file
	found    Found
	read     map[string]foundIn // finished files, by name
	later    []warcFile         // that are still to be recovered
	// base names of files that have gone, or grown shorter, since the last start
	gone []string

	done, total int64 // bytes
}

// foundIn is what a finished file held that was not in the index.
type foundIn struct {
	captures int
	damaged  []Damaged
}

// run recovers all files, in the order of their names.
func (r *recovery) run() error {
	if err := r.sweep(); err != nil {
		return err
	}
	files, err := r.files()
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, warcFile.agrees)
	for _, f := range files {
		r.total += max(0, max(f.open, f.final)-f.Committed)
	}
	for i, f := range files {
		r.later = files[i+1:]
		if err := r.recover(f); err != nil {
			return fmt.Errorf("recover %s: %w", f.Name, err)
		}
		r.done += max(0, max(f.open, f.final)-f.Committed)
		r.report(f.Name, 0)
	}
	return nil
}

// recover recovers one file.
func (r *recovery) recover(f warcFile) error {
	switch {
	case f.open < 0 && f.final < 0:
		return r.missing(f)
	case f.open >= 0 && f.final >= 0:
		return r.twice(f)
	case max(f.open, f.final) < f.Committed:
		r.found.Short = append(r.found.Short, f.Name)
		r.log.Error().Str("file", f.Name).Int64("bytes", max(f.open, f.final)).
			Int64("committed", f.Committed).
			Msg("a WARC file is shorter than the index says: captures at its end cannot be read until it " +
				"is restored")
		return r.noteGone(f.File,
			fmt.Sprintf("the WARC file has %d bytes, and had %d", max(f.open, f.final), f.Committed))
	}
	if f.Away { // it is back
		if f.Away = false; f.agrees() {
			return r.sealed(f.File)
		}
	}
	if f.open < 0 {
		return r.addFinished(f)
	}
	open, err := warc.Look(r.dir.OpenWARC(f.Name))
	switch {
	case err != nil:
		return err
	case open.IsLink():
		return r.nameLink(f, open)
	case f.open == 0 && f.ID == 0:
		return open.Remove()
	}
	if err := r.add(&f); err != nil {
		return err
	}
	return r.finish(f.File, open)
}

// add makes a file known to the index that is about to be read.
func (r *recovery) add(f *warcFile) (err error) {
	if f.ID == 0 {
		if f.File, err = r.index.AddFile(f.Name); err != nil {
			return err
		}
	}
	r.found.Files++
	return fault.At(r.each)
}

// addFinished reads a file that has its final name.
func (r *recovery) addFinished(f warcFile) error {
	if err := r.add(&f); err != nil {
		return err
	}
	return r.readFinished(f.File, f.final)
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

// noteGone puts a gap into the list for a file that is not there, or not all of it: once, until it
// is back.
func (r *recovery) noteGone(f store.File, detail string) error {
	if f.Away {
		return nil
	}
	r.gone = append(r.gone, f.Name)
	f.Away = true
	return r.index.NoteFiles([]store.File{f},
		store.Gap{Time: time.Now().UTC(), Reason: GapMissing, URL: f.Name, Detail: detail})
}

// readFinished puts what a finished file holds into the index: of ours the whole exchanges behind
// file.Committed, of another program's all. The file stays as it is.
func (r *recovery) readFinished(file store.File, size int64) error {
	read := r.readForeign
	if own, err := collection.IsOwn(r.path(file.Name)); err != nil {
		return err
	} else if own {
		read = r.readOwn
	}
	s, err := read(&file, size)
	if err != nil {
		return err
	}
	file.Committed = size
	if err := r.put(s, file); err != nil {
		return err
	}
	for _, d := range s.damaged {
		message := "a finished WARC file is damaged: what is there is not in the index"
		if d.Kept {
			message = "a finished WARC file is damaged: what is there is in the index"
		}
		r.log.Warn().Str("file", d.File).Int64("offset", d.Offset).Int64("bytes", d.Bytes).
			AnErr("damage", d.Reason).Msg(message)
	}
	r.found.Damaged = append(r.found.Damaged, s.damaged...)
	if r.read == nil {
		r.read = make(map[string]foundIn)
	}
	r.read[file.Name] = foundIn{s.found, s.damaged}
	r.log.Info().Str("file", file.Name).Int("captures", s.found).
		Msg("read a finished file that was not in the index, or not all of it")
	return r.sealed(file)
}

// readOwn reads a finished file that we recorded.
func (r *recovery) readOwn(file *store.File, size int64) (*scan, error) {
	s, err := r.indexFrom(file, r.path(file.Name), true)
	if err == nil {
		s.finish(size)
	}
	return s, err
}

// readForeign reads a finished file of another program. It always reads all of it: of records that
// belong together, some might else be behind file.Committed.
func (r *recovery) readForeign(file *store.File, size int64) (*scan, error) {
	path := r.path(file.Name)
	if err := syncFile(path); err != nil {
		return nil, err
	}
	s, err := scanForeign(path, file.Name, size, r.keyer, func(s *foreignScan, offset int64) error {
		r.report(file.Name, max(0, offset-file.Committed))
		if !s.isFull(r.group) {
			return nil
		}
		return r.put(&s.scan, *file)
	})
	if err != nil {
		return nil, err
	}
	return &s.scan, nil
}

// finish puts the whole exchanges of a file that was being written into the index, cuts off the
// rest, and gives it its final name. Whole exchanges behind damage are saved first. was is the file
// as it was found: if it is another one when it is to be cut, or has grown, the recovery ends.
func (r *recovery) finish(file store.File, was warc.Place) error {
	s, err := r.indexFrom(&file, was.Path, false)
	if err != nil {
		return err
	}
	file.Committed = s.end
	if err := r.put(s, file); err != nil {
		return err
	}
	if was.File.Size() > s.end {
		saved, err := r.salvage(file, was, s)
		if err != nil {
			return err
		}
		if saved { // the file is another one now, and what was saved is not in the index yet
			return r.finishAgain(file)
		}
	}
	return r.seal(file, s.found, was)
}

// finishAgain is finish for a file that has just taken the place of another one.
func (r *recovery) finishAgain(file store.File) error {
	now, err := warc.Look(r.dir.OpenWARC(file.Name))
	if err != nil {
		return err
	}
	return r.finish(file, now)
}

// seal closes a file that was being written, and says so in the index, unless it has to keep its
// name.
func (r *recovery) seal(file store.File, captures int, was warc.Place) error {
	err := r.close(file, was)
	if errors.Is(err, fs.ErrExist) {
		r.left(
			file.Name,
			"a WARC file keeps its name with .open, since the final one is that of something else:"+
				" take one of them away",
		)
		return nil
	}
	if err != nil {
		return err
	}
	r.log.Info().Str("file", file.Name).Int("captures", captures).
		Msg("recovered a file that was not finished")
	return r.sealed(file)
}

// close cuts a file that was being written to what is in the index, and gives it its final name. A
// file of which nothing is left goes.
func (r *recovery) close(file store.File, was warc.Place) error {
	if err := fault.At(fault.RecoverCut); err != nil {
		return err
	}
	if err := was.Still(); err != nil {
		return err
	}
	w, err := warc.Resume(r.dir.Archive(), file.Name, file.Committed, was.File)
	if err != nil {
		return err
	}
	if file.Committed == 0 {
		return w.Discard()
	}
	if err := fault.At(fault.RecoverFinish); err != nil {
		return err
	}
	return w.Close()
}

// sealed notes in the index that a file is finished.
func (r *recovery) sealed(file store.File) error {
	if err := fault.At(fault.RecoverSeal); err != nil {
		return err
	}
	file.Sealed = true
	return r.index.Commit(nil, []store.File{file})
}

// indexFrom reads a file from file.Committed on, which it moves as it puts captures into the index;
// the last ones are still to be put there.
func (r *recovery) indexFrom(file *store.File, path string, over bool) (*scan, error) {
	// what is about to be indexed may be in the system's memory only
	if err := syncFile(path); err != nil {
		return nil, err
	}
	begin := file.Committed
	return scanFile(path, *file, r.keyer, &r.dedup, over, func(s *scan, offset int64) error {
		r.report(file.Name, offset-begin)
		if !s.isFull(r.group) || s.response == nil && s.request == nil {
			return nil // between two exchanges: a metadata record of the last one may follow
		}
		file.Committed = s.end
		return r.put(s, *file)
	})
}

// put puts what was found into the index, with the state of the file.
func (r *recovery) put(s *scan, file store.File) error {
	if err := r.index.Commit(s.captures, []store.File{file}); err != nil {
		return err
	}
	r.found.Captures += len(s.captures)
	s.forget()
	return nil
}

// report tells how far the recovery has come: read bytes of the file that is being read.
func (r *recovery) report(file string, read int64) {
	if r.progress != nil {
		r.progress(file, r.done+read, r.total)
	}
}

func (r *recovery) path(name string) string { return r.dir.WARC(name) }

// syncFile makes what is in a file durable. Windows does that only for those who may write to it.
func syncFile(path string) error {
	flag := os.O_RDONLY
	if runtime.GOOS == "windows" {
		flag = os.O_RDWR
	}
	f, err := os.OpenFile(path, flag, 0)
	if flag == os.O_RDWR && errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
