package spill

import (
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"warcorder/store/collection"
	"warcorder/store/warc"
)

// UnsoundError says that a side's file does not hold what was written to it, by its length or its
// checksum: the machine lost power. What the file has is in the buffer all the same.
type UnsoundError struct{ name string }

func (e *UnsoundError) Error() string {
	return "not all of what was received was on disk when the machine ended (" + e.name + ")"
}

// Resume makes the files those that lie at path, which has no ending, with the line that tells of
// them, and fills the buffers of their holder; Begin must have been called. With an *UnsoundError
// the buffers have what could be read; after any other error the holder is of no use.
func (s *Files) Resume(path string, line *Sidecar) (err error) {
	s.ids, err = parseIDs(&line.IDs)
	if err != nil {
		return err
	}
	s.path, s.last = path, line
	s.begun.Store(true)
	sides := s.of.Sides()
	return errors.Join(sides[0].restore(line.Request, line.Done),
		sides[1].restore(line.Response, line.Done))
}

// restore makes the buffer what it was: from its file, or from the bytes that were in memory when s
// was written down. With done all of s must be there, and nothing else counts; else the side was
// still coming, and the buffer gets what has come to be in the file, if that is more.
func (b *Buffer) restore(s *side, done bool) error {
	path := b.spill.fileOf(b)
	file, err := collection.OpenRegular(path)
	var size int64
	if err == nil {
		var info fs.FileInfo
		if info, err = file.Stat(); err != nil {
			return errors.Join(err, file.Close())
		}
		size = info.Size()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if s != nil && (file == nil || int64(len(s.Bytes)) > size || done && len(s.Bytes) > 0) {
		if file != nil {
			file.Close()
		}
		_, err := b.Write(s.Bytes)
		if err == nil && done && s.Length != b.Len() {
			err = &UnsoundError{filepath.Base(path)}
		}
		return err
	}
	if file == nil {
		return nil
	}
	b.file, b.spilled, b.size = file, size, size
	if !done || s == nil {
		return nil
	}
	sum := crc32.NewIEEE()
	n, err := io.Copy(sum, io.NewSectionReader(file, 0, s.Length))
	if err == nil && (n != s.Length || sum.Sum32() != s.CRC32) {
		err = &UnsoundError{filepath.Base(path)}
	}
	return err
}

// AsideSuffix is behind the names of files in spill/ that cannot be recorded; SetAside puts a
// number behind it if need be.
const AsideSuffix = collection.UnreadableSuffix

// SetAside gives the files at path, which has no ending, names under which no start looks for them
// again, and that no other file has. It returns what is behind the names now, also with an error,
// which says which files could not be renamed.
func SetAside(path string) (suffix string, err error) {
	for n := 1; suffix == "" || isAside(path, suffix); n++ {
		suffix = collection.Numbered(AsideSuffix, n)
	}
	for _, ending := range suffixes {
		if failed := warc.Move(path+ending, path+ending+suffix); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return suffix, err
}

// isAside reports whether files have been set aside under that suffix.
func isAside(path, suffix string) bool {
	for _, ending := range suffixes {
		if _, err := os.Lstat(path + ending + suffix); err == nil {
			return true
		}
	}
	return false
}

// Leftover is an exchange that a recorder has left in spill/.
type Leftover struct {
	Path     string // of its files, without their endings
	Size     int64  // bytes of its sides
	HasFacts bool   // it has a sidecar
	Going    bool   // it had one, and Remove was about to take away the rest
}

// spilledName is what the names of the files are without their endings: other files are not ours.
var spilledName = regexp.MustCompile(`^\d{14}\.\d{3}-[0-9a-f]{12}$`)

// Leftovers lists what lies in the folder spill/ of a collection, the oldest first. Without such a
// folder it is nothing.
func Leftovers(of collection.Dir) ([]Leftover, error) {
	dir := of.Spill()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var left []Leftover
	for _, entry := range entries {
		suffix := filepath.Ext(entry.Name())
		name := strings.TrimSuffix(entry.Name(), suffix)
		if !spilledName.MatchString(name) || !slices.Contains(suffixes, suffix) {
			continue
		}
		path := filepath.Join(dir, name)
		if n := len(left); n == 0 || left[n-1].Path != path {
			left = append(left, Leftover{Path: path})
		}
		l := &left[len(left)-1]
		switch suffix {
		case SidecarSuffix:
			l.HasFacts = true
			continue
		case goingSuffix:
			l.Going = true
			continue
		}
		if info, err := entry.Info(); err == nil {
			l.Size += info.Size()
		}
	}
	return left, nil
}

// Left is how many exchanges a recorder has left in spill/ for the next one, in a collection that
// nobody records. It is 0 if the caller may not read that folder.
func Left(dir collection.Dir) (n int) {
	left, err := Leftovers(dir)
	if err != nil {
		return 0 // whoever may read the archive alone may not look there
	}
	for _, l := range left {
		if l.HasFacts {
			n++
		}
	}
	return n
}
