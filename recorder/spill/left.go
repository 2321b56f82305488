package spill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"warcorder/recorder/record"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// maxSidecar is more than a sidecar has: four lines, each with the bytes of a side in memory.
const maxSidecar = 64 << 20

// ReadSidecar returns the last whole line of a sidecar.
func ReadSidecar(path string) (*Sidecar, error) {
	file, err := collection.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSidecar))
	if err != nil {
		return nil, err
	}
	for text = text[:bytes.LastIndexByte(text, '\n')+1]; len(text) > 0; {
		text = text[:len(text)-1]
		from := bytes.LastIndexByte(text, '\n') + 1
		line := new(Sidecar)
		if json.Unmarshal(text[from:], line) == nil && line.Format == sidecarFormat {
			return line, nil
		}
		text = text[:from]
	}
	return nil, errors.New("it has no whole line")
}

// UnsoundError is a file that does not hold what was written to it.
type UnsoundError struct{ name string }

func (e *UnsoundError) Error() string {
	return "not all of what was received was on disk when the machine ended (" + e.name + ")"
}

// restore makes the buffer what it was: from its file, or from the bytes that were in memory. What
// was done must be all there; of what was not it is what has come to be there.
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

// parseIDs reads the IDs.
func parseIDs(from *IDs) (ids record.IDs, err error) {
	var ok [3]bool
	ids.Response, ok[0] = record.ParseID(from.Response)
	ids.Request, ok[1] = record.ParseID(from.Request)
	ids.Metadata, ok[2] = record.ParseID(from.Metadata)
	if ok != [3]bool{true, true, true} {
		return ids, fmt.Errorf("%v are no record IDs", *from)
	}
	return ids, nil
}

// AsideSuffix is behind the names of files in spill/ that cannot be recorded.
const AsideSuffix = ".unreadable"

// SetAside gives the files of an exchange names under which nobody looks for them again, and takes
// those of no other file. It returns what is behind the names now.
func SetAside(path string) (suffix string, err error) {
	for n := 1; suffix == "" || isAside(path, suffix); n++ {
		suffix = collection.Numbered(AsideSuffix, n)
	}
	for _, ending := range Suffixes {
		if failed := warc.Move(path+ending, path+ending+suffix); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return suffix, err
}

// isAside reports whether files have been set aside under that suffix.
func isAside(path, suffix string) bool {
	for _, ending := range Suffixes {
		if _, err := os.Lstat(path + ending + suffix); err == nil {
			return true
		}
	}
	return false
}

// Leftover is an exchange that lies there.
type Leftover struct {
	Path     string // of its files, without their endings
	Size     int64
	HasFacts bool // it has a sidecar
	Going    bool // or had one that was removed
}

// spilledName is what their names begin with: others are not ours.
var spilledName = regexp.MustCompile(`^\d{14}\.\d{3}-[0-9a-f]{12}$`)

// Leftovers lists what lies in the folder of a collection, the oldest first.
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
		if !spilledName.MatchString(name) || !slices.Contains(Suffixes, suffix) {
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

// Left is how many exchanges a recorder of a collection that nobody records has left in spill/ for
// the next one, as far as that can be seen.
func Left(dir collection.Dir) (n int) {
	left, err := Leftovers(dir)
	if err != nil {
		return 0 // who may only read the archive may not look there
	}
	for _, l := range left {
		if l.HasFacts {
			n++
		}
	}
	return n
}
