package recorder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store"
	"warcorder/store/fault"
	"warcorder/store/warc"
)

// Recovered is what a recovery, or the making of a new index, has found and done.
type Recovered struct {
	Files    int       // that were read
	Captures int       // that were put into the index
	Cut      int64     // bytes of no whole exchange that were cut off, or out of, files that had not been finished
	Torn     []string  // paths of the copies of what was cut; they may hold more than that
	Damaged  []Damaged // places in finished files; they stay as they are
	Missing  []string  // base names of files that the index knows and that are not there
	Short    []string  // base names of files that are shorter than the index says
	Rebuilt  bool      // the index was made anew
	Replaced string    // where the old index is now; "" if it is not there any more
}

// ErrNoCollection says that there is nothing to recover.
var ErrNoCollection = errors.New("there is no collection")

// Damaged is a place in a finished file where there is no whole exchange.
type Damaged struct {
	File          string // base name
	Offset, Bytes int64
	Reason        error
}

// Progress is told how far a recovery has come: done of total bytes that are to be read, the last ones in file.
type Progress func(file string, done, total int64)

// Recover brings the files and the index of a collection that nobody records into agreement, as Open does. It returns an error that wraps store.ErrLocked if
// the collection is in use, and one that wraps ErrNoCollection if there is none.
func Recover(cfg Config, collection string, log zerolog.Logger, progress Progress) (Recovered, error) {
	cfg.Progress = progress
	r, unlock, err := existing(cfg, collection, log)
	if err != nil {
		return Recovered{}, err
	}
	defer unlock()
	index, err := r.open()
	if err == nil {
		err = errors.Join(r.noteCrash(index), index.Close())
	}
	return r.found, err
}

// recovery brings the WARC files of a collection into agreement with its index. It can be interrupted anywhere and begun again.
//
// A file that was being written is read from where the index ends. Its whole exchanges go into the index; what is no whole exchange is cut off, of
// which a copy is kept, and the file gets its final name. A finished file is read likewise, but never changed.
type recovery struct {
	dir      string // of the collection
	archive  string
	host     string
	index    *store.Bolt
	options  store.Options // that the index is opened with
	keyer    *Keyer
	dedup    DedupConfig
	style    *style
	log      zerolog.Logger
	progress Progress
	group    int         // captures that go into the index at once
	each     fault.Point // passed before each file
	found    Recovered
	read     map[string]foundIn // finished files, by name
	later    []warcFile         // that are still to be recovered
	gone     []string           // base names of files that have gone, or grown shorter, since the last start

	done, total int64 // bytes
}

// foundIn is what a finished file held that was not in the index.
type foundIn struct {
	captures int
	damaged  []Damaged
}

// warcFile is a WARC file as the index and the directory show it.
type warcFile struct {
	store.File       // ID 0 if the index does not know it
	open       int64 // size of the file under its name while it is written; -1 if there is none
	final      int64 // the same under its final name
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

// sweep removes what an interrupted recovery has left unfinished.
func (r *recovery) sweep() error {
	left, err := filepath.Glob(filepath.Join(escapeGlob(r.archive), "*"+recoveringSuffix))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// escapeGlob makes a path a pattern that matches it alone.
func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // where nothing can be escaped
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// files returns all files that the index knows or the directory shows, in the order of their names.
func (r *recovery) files() ([]warcFile, error) {
	all := make(map[string]*warcFile)
	get := func(name string) *warcFile {
		if all[name] == nil {
			all[name] = &warcFile{File: store.File{Name: name}, open: -1, final: -1}
		}
		return all[name]
	}
	known, err := r.index.Files()
	if err != nil {
		return nil, err
	}
	for _, file := range known {
		get(file.Name).File = file
	}
	sizes, err := warcSizes(r.archive)
	if err != nil {
		return nil, err
	}
	for name, size := range sizes {
		if final, open := strings.CutSuffix(name, warc.OpenSuffix); open {
			get(final).open = size
		} else {
			get(name).final = size
		}
	}
	var files []warcFile
	for _, name := range slices.Sorted(maps.Keys(all)) {
		files = append(files, *all[name])
	}
	return files, nil
}

// warcSizes returns the sizes of the WARC files in a directory, finished or not, by their names.
func warcSizes(dir string) (map[string]int64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64)
	for _, entry := range entries {
		if !isWARCName(entry.Name()) && !strings.HasSuffix(entry.Name(), warc.Suffix+warc.OpenSuffix) {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, entry.Name())) // of what a link leads to
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() {
			sizes[entry.Name()] = info.Size()
		}
	}
	return sizes, nil
}

// isWARCName reports whether a finished WARC file may have that name.
func isWARCName(name string) bool {
	return slices.ContainsFunc(warc.Suffixes(), func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// agrees reports whether there is nothing to do.
func (f warcFile) agrees() bool {
	there := f.final == f.Committed || f.final < 0 && f.Committed == 0 // planned, but nothing came of it
	return f.ID > 0 && f.Sealed && there && f.open < 0 && !f.Away
}

// recover recovers one file.
func (r *recovery) recover(f warcFile) error {
	switch {
	case f.open == 0 && f.ID == 0:
		return os.Remove(r.path(f.Name) + warc.OpenSuffix)
	case f.open < 0 && f.final < 0:
		return r.missing(f)
	case f.open >= 0 && f.final >= 0:
		return r.twice(f)
	case max(f.open, f.final) < f.Committed:
		r.found.Short = append(r.found.Short, f.Name)
		r.log.Error().Str("file", f.Name).Int64("bytes", max(f.open, f.final)).Int64("committed", f.Committed).
			Msg("a WARC file is shorter than the index says: captures at its end cannot be read until it is restored")
		return r.noteGone(f.File, fmt.Sprintf("the WARC file has %d bytes, and had %d", max(f.open, f.final), f.Committed))
	}
	if f.Away { // it is back
		if f.Away = false; f.agrees() {
			return r.seal(f.File)
		}
	}
	var err error
	if f.ID == 0 {
		if f.File, err = r.index.AddFile(f.Name); err != nil {
			return err
		}
	}
	if err := fault.At(r.each); err != nil {
		return err
	}
	r.found.Files++
	if f.open < 0 {
		return r.readFinished(f.File, f.final)
	}
	return r.finish(f.File, f.open)
}

// missing deals with a file that the index knows and that is not there.
func (r *recovery) missing(f warcFile) error {
	if f.Committed == 0 {
		return r.seal(f.File) // planned, but nothing came of it
	}
	r.found.Missing = append(r.found.Missing, f.Name)
	r.log.Error().Str("file", f.Name).Int64("committed", f.Committed).
		Msg("a WARC file is missing: its captures cannot be read until it is put back")
	return r.noteGone(f.File, fmt.Sprintf("the WARC file of %d bytes is not in archive/", f.Committed))
}

// noteGone puts a gap into the list for a file that is not there, or not all of it: once, until it is back.
func (r *recovery) noteGone(f store.File, detail string) error {
	if f.Away {
		return nil
	}
	r.gone = append(r.gone, f.Name)
	f.Away = true
	return r.index.NoteFiles([]store.File{f}, store.Gap{Time: time.Now().UTC(), Reason: GapMissing, URL: f.Name, Detail: detail})
}

// twice deals with a file that is there under both names: someone has put a copy back. If one holds all that the other does, it is the file. Else both
// stay: the one that the index means keeps the name, and the other one gets a new one.
func (r *recovery) twice(f warcFile) error {
	path := r.path(f.Name)
	same, err := sameStart(path, path+warc.OpenSuffix, min(f.open, f.final))
	if err != nil {
		return err
	}
	switch {
	case same && f.final >= f.open:
		err = os.Remove(path + warc.OpenSuffix)
		f.open = -1
	case same:
		err = os.Remove(path)
		f.final = -1
	default:
		return r.part(f)
	}
	if err := errors.Join(err, syncFile(r.archive)); err != nil {
		return err
	}
	r.log.Warn().Str("file", f.Name).Msg("a WARC file was there twice: the shorter copy is removed, the other one holds all of it")
	return r.recover(f)
}

// part gives one of two different files of the same name a new one, and recovers both.
func (r *recovery) part(f warcFile) error {
	other := warcFile{open: -1, final: -1}
	from := r.path(f.Name)
	if f.Sealed || f.ID == 0 {
		from += warc.OpenSuffix
		other.open, f.open = f.open, -1
	} else {
		other.final, f.final = f.final, -1
	}
	for n := 2; ; n++ {
		other.Name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(f.Name, warc.Suffix), n, warc.Suffix)
		if free, err := isFree(r.archive, other.Name, r.index); err != nil {
			return err
		} else if free {
			break
		}
	}
	to := r.path(other.Name) + strings.TrimPrefix(from, r.path(f.Name))
	if err := errors.Join(os.Rename(from, to), syncFile(r.archive)); err != nil {
		return err
	}
	r.log.Warn().Str("file", f.Name).Str("other", other.Name).Msg("two different WARC files had the same name: one of them has a new one")
	return errors.Join(r.recover(f), r.recover(other))
}

// isFree reports whether no file has that name, had it, or left a copy under it.
func isFree(dir, name string, index *store.Bolt) (bool, error) {
	files, err := index.Files()
	if err != nil || slices.ContainsFunc(files, func(f store.File) bool { return f.Name == name }) {
		return false, err
	}
	for _, suffix := range []string{"", warc.OpenSuffix, tornSuffix} {
		if _, err := os.Lstat(filepath.Join(dir, name+suffix)); !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return true, nil
}

// sameStart compares the first n bytes of two files.
func sameStart(path, other string, n int64) (bool, error) {
	a, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := os.Open(other)
	if err != nil {
		return false, err
	}
	defer b.Close()
	return sameBytes(io.LimitReader(a, n), io.LimitReader(b, n))
}

// readFinished puts what a finished file holds into the index: of ours the whole exchanges behind file.Committed, of another program's all. The file stays as it is.
func (r *recovery) readFinished(file store.File, size int64) error {
	read := r.readForeign
	if own, err := isOwn(r.path(file.Name)); err != nil {
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
		r.log.Warn().Str("file", d.File).Int64("offset", d.Offset).Int64("bytes", d.Bytes).AnErr("damage", d.Reason).
			Msg("a finished WARC file is damaged: what is there is not in the index")
	}
	r.found.Damaged = append(r.found.Damaged, s.damaged...)
	if r.read == nil {
		r.read = make(map[string]foundIn)
	}
	r.read[file.Name] = foundIn{s.found, s.damaged}
	r.log.Info().Str("file", file.Name).Int("captures", s.found).Msg("read a finished file that was not in the index, or not all of it")
	return r.seal(file)
}

// readOwn reads a finished file that we recorded.
func (r *recovery) readOwn(file *store.File, size int64) (*scan, error) {
	s, err := r.indexFrom(file, r.path(file.Name), true)
	if err == nil {
		s.finish(size)
	}
	return s, err
}

// readForeign reads a finished file of another program. It always reads all of it: of records that belong together, some might else be behind file.Committed.
func (r *recovery) readForeign(file *store.File, size int64) (*scan, error) {
	path := r.path(file.Name)
	if err := syncFile(path); err != nil {
		return nil, err
	}
	s, err := scanForeign(path, file.Name, size, r.keyer, func(s *foreignScan, offset int64) error {
		r.report(file.Name, max(0, offset-file.Committed))
		if len(s.captures) < r.group && s.keys < maxKeys {
			return nil
		}
		return r.put(&s.scan, *file)
	})
	if err != nil {
		return nil, err
	}
	return &s.scan, nil
}

// finish puts the whole exchanges of a file that was being written into the index, cuts off the rest, and gives it its final name. Whole exchanges
// behind damage are saved first.
func (r *recovery) finish(file store.File, size int64) error {
	s, err := r.indexFrom(&file, r.path(file.Name)+warc.OpenSuffix, false)
	if err != nil {
		return err
	}
	file.Committed = s.end
	if err := r.put(s, file); err != nil {
		return err
	}
	if size > s.end {
		saved, err := r.salvage(file, size, s)
		if err != nil {
			return err
		}
		if saved > 0 { // the file is another one now, and what was saved is not in the index yet
			return r.finish(file, saved)
		}
	}
	if err := r.close(file); err != nil {
		return err
	}
	r.log.Info().Str("file", file.Name).Int("captures", s.found).Msg("recovered a file that was not finished")
	return r.seal(file)
}

// close cuts a file that was being written to what is in the index, and gives it its final name. A file of which nothing is left goes.
func (r *recovery) close(file store.File) error {
	if err := fault.At(fault.RecoverCut); err != nil {
		return err
	}
	w, err := warc.Resume(r.archive, file.Name, file.Committed)
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

// seal notes in the index that a file is finished.
func (r *recovery) seal(file store.File) error {
	if err := fault.At(fault.RecoverSeal); err != nil {
		return err
	}
	file.Sealed = true
	return r.index.Commit(nil, []store.File{file})
}

// indexFrom reads a file from file.Committed on, which it moves as it puts captures into the index; the last ones are still to be put there.
func (r *recovery) indexFrom(file *store.File, path string, over bool) (*scan, error) {
	if err := syncFile(path); err != nil { // what is about to be indexed may be in the system's memory only
		return nil, err
	}
	begin := file.Committed
	return scanFile(path, *file, r.keyer, &r.dedup, over, func(s *scan, offset int64) error {
		r.report(file.Name, offset-begin)
		if len(s.captures) < r.group && s.keys < maxKeys || s.response == nil && s.request == nil {
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

func (r *recovery) path(name string) string { return filepath.Join(r.archive, name) }

// syncFile makes a file, or the entries of a directory, durable.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
