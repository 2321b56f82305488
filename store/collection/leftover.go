package collection

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Leftovers are files beside the WARC files and the index that may hold what was recorded.
type Leftovers struct {
	Exports []string // lines in indexes/: the file that an export writes, and what killed ones have left
	Indexes []string // former indexes, which are kept for people
	Torn    []string // copies of what recovery has cut
}

// Leftovers returns the paths of files of a collection that nobody needs for reading it.
func (d Dir) Leftovers() (found Leftovers, err error) {
	each := func(dir string, look func(name, path string)) {
		entries, err2 := os.ReadDir(dir)
		if err2 != nil && !errors.Is(err2, fs.ErrNotExist) {
			err = errors.Join(err, err2)
		}
		for _, entry := range entries {
			look(entry.Name(), filepath.Join(dir, entry.Name()))
		}
	}
	each(filepath.Dir(d.CDXJ()), func(name, path string) {
		if isExport(name) {
			found.Exports = append(found.Exports, path)
		}
	})
	each(string(d), func(name, path string) {
		if isFormer(name) {
			found.Indexes = append(found.Indexes, path)
		}
	})
	each(d.Archive(), func(name, path string) {
		if state, _ := StateOf(name); state == Torn {
			found.Torn = append(found.Torn, path)
		}
	})
	return found, err
}

func isExport(name string) bool {
	return name == CDXJName || strings.HasPrefix(name, "."+CDXJName+".")
}

func isFormer(name string) bool {
	return strings.HasPrefix(name, IndexName+DamagedSuffix) || strings.HasPrefix(name, IndexName+OldSuffix)
}

// Leftover returns the path of a leftover, which is named as seen from the collection, with slashes;
// false if nothing of that name is one.
func (d Dir) Leftover(name string) (path string, is bool) {
	dir, base, nested := strings.Cut(name, "/")
	if !nested {
		dir, base = "", name
	}
	if base != filepath.Base(base) {
		return "", false
	}
	state, _ := StateOf(base)
	switch dir {
	case "":
		is = isFormer(base)
	case ArchiveName:
		is = state == Torn
	case indexesName:
		is = isExport(base)
	}
	return filepath.Join(string(d), dir, base), is
}

// LastRemoval tells the last removal from those before it; "" says that there was none. Who has read a
// part of a collection, and finds another one then, has read what is not there any more.
func (d Dir) LastRemoval() string {
	file, err := OpenRegular(d.Removed())
	if err != nil {
		return ""
	}
	defer file.Close()
	const most = 1 << 10 // the ID of the removal is at the beginning
	b, _ := io.ReadAll(io.LimitReader(file, most))
	return string(b)
}
