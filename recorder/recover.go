package recorder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rs/zerolog"

	"warcorder/store"
	"warcorder/store/warc"
)

// tornSuffix is appended to a file's name for the copy of what recovery has cut off it.
const tornSuffix = ".torn"

// recovery brings WARC files that were not finished into agreement with the index: it indexes the whole exchanges behind what is committed,
// cuts off the rest, of which it keeps a copy, and gives the file its final name. It can be interrupted anywhere and begun again.
type recovery struct {
	archive string
	index   *store.Bolt
	keyer   *Keyer
	log     zerolog.Logger
}

// recoverFiles recovers every file of the index that is not sealed, and every file being written that the index does not know.
func recoverFiles(archive string, index *store.Bolt, keyer *Keyer, log zerolog.Logger) error {
	r := &recovery{archive, index, keyer, log}
	files, err := index.Files()
	if err != nil {
		return err
	}
	known := make(map[string]bool)
	for _, file := range files {
		known[file.Name] = true
		if file.Sealed {
			continue
		}
		if err := r.recover(file); err != nil {
			return fmt.Errorf("recover %s: %w", file.Name, err)
		}
	}
	entries, err := os.ReadDir(archive)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name, open := strings.CutSuffix(entry.Name(), warc.Suffix+warc.OpenSuffix)
		if name += warc.Suffix; !open || known[name] {
			continue
		}
		if err := r.adopt(name); err != nil {
			return fmt.Errorf("recover %s: %w", name, err)
		}
	}
	return nil
}

// adopt recovers a file that the index does not know.
func (r *recovery) adopt(name string) error {
	path := filepath.Join(r.archive, name+warc.OpenSuffix)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return os.Remove(path)
	}
	file, err := r.index.AddFile(name)
	if err != nil {
		return err
	}
	return r.recover(file)
}

// recover recovers one file.
func (r *recovery) recover(file store.File) error {
	size, err := r.find(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && file.Committed == 0:
		return r.seal(file) // planned, but nothing came of it
	case errors.Is(err, fs.ErrNotExist):
		r.log.Error().Str("file", file.Name).Int64("committed", file.Committed).
			Msg("a WARC file is missing: its captures cannot be read until it is put back")
		return nil
	case err != nil:
		return err
	case size < file.Committed:
		r.log.Error().Str("file", file.Name).Int64("bytes", size).Int64("committed", file.Committed).
			Msg("a WARC file is shorter than the index says: captures at its end cannot be read until it is restored")
		return nil
	}
	scan, err := r.scan(&file)
	if err != nil {
		return err
	}
	if err := r.cut(file, size, scan); err != nil {
		return err
	}
	return r.seal(file)
}

// find makes sure that the file bears the name of one being written, and returns its size.
func (r *recovery) find(file store.File) (size int64, err error) {
	path := filepath.Join(r.archive, file.Name)
	info, err := os.Stat(path + warc.OpenSuffix)
	if err == nil {
		return info.Size(), nil
	}
	if info, err = os.Stat(path); err != nil {
		return 0, err
	}
	if info.Size() < file.Committed { // nothing can be done; it keeps its name
		return info.Size(), nil
	}
	return info.Size(), os.Rename(path, path+warc.OpenSuffix)
}

// seal notes in the index that a file is finished.
func (r *recovery) seal(file store.File) error {
	file.Sealed = true
	return r.index.Commit(nil, []store.File{file})
}

// scan puts the whole exchanges behind file.Committed into the index, and moves it behind them.
func (r *recovery) scan(file *store.File) (*scan, error) {
	path := filepath.Join(r.archive, file.Name+warc.OpenSuffix)
	if err := syncFile(path); err != nil { // what is about to be indexed may be in the system's memory only
		return nil, err
	}
	reader, err := warc.Open(path, file.Committed)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	s := &scan{file: file.Name, end: file.Committed, keyer: r.keyer}
	for err == nil {
		err = s.next(reader)
		if len(s.captures) > 1000 || s.keys > maxKeys || err != nil {
			file.Committed = s.end
			if err := r.index.Commit(s.captures, []store.File{*file}); err != nil {
				return nil, err
			}
			s.found += len(s.captures)
			clear(s.captures)
			s.captures, s.keys = s.captures[:0], 0
		}
	}
	if damage := (*warc.Damage)(nil); errors.As(err, &damage) {
		s.damage = damage.Reason
	} else if err != io.EOF {
		return nil, err
	}
	return s, nil
}

// cut cuts off what is behind file.Committed, after it has made a copy, and gives the file its final name. A file of which nothing is left goes.
func (r *recovery) cut(file store.File, size int64, s *scan) error {
	log := r.log.Info()
	if size > file.Committed {
		torn := filepath.Join(r.archive, file.Name+tornSuffix)
		if err := copyTail(torn, filepath.Join(r.archive, file.Name+warc.OpenSuffix), file.Committed); err != nil {
			return err
		}
		log = r.log.Warn().Int64("cut", size-file.Committed).Str("copy", torn).AnErr("damage", s.damage)
	}
	w, err := warc.Resume(r.archive, file.Name, file.Committed)
	if err != nil {
		return err
	}
	log.Str("file", file.Name).Int("captures", s.found).Msg("recovered a file that was not finished")
	if file.Committed == 0 {
		return w.Discard()
	}
	return w.Close()
}

// copyTail copies what is behind offset in the file at from to a file at to, durably.
func copyTail(to, from string, offset int64) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if _, err := in.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	return syncFile(filepath.Dir(to))
}

// syncFile makes a file, or the entries of a directory, durable.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
