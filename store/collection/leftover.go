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

	// Others are what only people can judge: bodies and WARC files that could not be put into their
	// places, unfinished files of other tools, and links and directories that have the names of leftovers.
	Others []string
}

// Leftovers returns the paths of files of a collection that nobody needs for reading it.
func (d Dir) Leftovers() (found Leftovers, err error) {
	each := func(dir string, listOf func(name string) *[]string) {
		entries, err2 := os.ReadDir(dir)
		if err2 != nil && !errors.Is(err2, fs.ErrNotExist) {
			err = errors.Join(err, err2)
		}
		for _, entry := range entries {
			list := listOf(entry.Name())
			if list == nil {
				continue
			}
			if !entry.Type().IsRegular() {
				list = &found.Others
			}
			*list = append(*list, filepath.Join(dir, entry.Name()))
		}
	}
	when := func(is func(name string) bool, list *[]string) func(string) *[]string {
		return func(name string) *[]string {
			if is(name) {
				return list
			}
			return nil
		}
	}
	each(filepath.Dir(d.CDXJ()), when(isExport, &found.Exports))
	each(string(d), when(isFormer, &found.Indexes))
	each(d.Archive(), func(name string) *[]string {
		switch state, _ := StateOf(name); state {
		case Torn:
			return &found.Torn
		case Begun, Recovering, Removing:
			return &found.Others
		}
		return nil
	})
	each(d.Spill(), when(isAside, &found.Others))
	return found, err
}

// isExport reports whether a name in indexes/ is that of the export, or of one that Write was writing.
func isExport(name string) bool {
	begun, is := strings.CutPrefix(name, "."+CDXJName+".")
	return name == CDXJName || is && isNumber(begun)
}

// isFormer reports whether a name is that of an index that was set aside.
func isFormer(name string) bool {
	for _, suffix := range []string{DamagedSuffix, OldSuffix} {
		if number, is := strings.CutPrefix(name, IndexName+suffix); is && isNumbering(number) {
			return true
		}
	}
	return false
}

// isAside reports whether a name in spill/ is that of a body that could not be recorded.
func isAside(name string) bool {
	i := strings.LastIndex(name, UnreadableSuffix)
	return i >= 0 && isNumbering(name[i+len(UnreadableSuffix):])
}

// isNumbering reports whether it is what Numbered puts behind a path.
func isNumbering(behind string) bool {
	number, is := strings.CutPrefix(behind, ".")
	return behind == "" || is && isNumber(number)
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Leftover returns the path of a leftover, which is named as seen from the collection, with slashes;
// false if nothing of that name is one that can go.
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
	// in the order in which a removal gives its plan these names: no look misses it
	for _, path := range []string{d.Removal(), d.RemovalRest(), d.Removed()} {
		file, err := OpenRegular(path)
		if err != nil {
			continue
		}
		defer file.Close()
		const most = 1 << 10 // the ID of the removal is at the beginning
		b, _ := io.ReadAll(io.LimitReader(file, most))
		return string(b)
	}
	return ""
}

// Reading is a work that reads a collection in many steps.
type Reading struct {
	dir     Dir
	removal string // the last one, when the work began
	placing bool   // it was taking its places then
}

// Reading begins a work that reads the collection. It is begun before anything is read.
func (d Dir) Reading() Reading {
	r := Reading{dir: d, removal: d.LastRemoval()}
	_, err := os.Lstat(d.Removal())
	r.placing = err == nil
	return r
}

// IsSame reports whether nothing was removed from the collection since the work began: what lies
// behind a place that was found then lies there now.
func (r Reading) IsSame() bool { return !r.placing && r.dir.LastRemoval() == r.removal }
