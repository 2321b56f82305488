package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"warcorder/store/collection"
	"warcorder/store/warc"
)

// asideSuffix is behind the names of files in spill/ that cannot be recorded.
const asideSuffix = ".unreadable"

// setAside deals with files that cannot be recorded.
func (s *spillRecovery) setAside(l leftover, url string, why error) error {
	s.Broken++
	suffix, err := setAside(l.path)
	s.log.Error().Err(why).Str("file", l.path+".*"+suffix).Int64("bytes", l.size).
		Msg("an exchange lost: what it had spilled cannot be recorded, and is set aside")
	s.Gap(GapWrite, url, fmt.Sprintf("%s cannot be recorded: %v", filepath.Base(l.path), why))
	return err
}

// setAside gives the files of an exchange names under which nobody looks for them again, and takes
// those of no other file. It returns what is behind the names now.
func setAside(path string) (suffix string, err error) {
	for n := 1; suffix == "" || isAside(path, suffix); n++ {
		suffix = collection.Numbered(asideSuffix, n)
	}
	for _, ending := range spillSuffixes {
		if failed := warc.Move(path+ending, path+ending+suffix); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return suffix, err
}

// isAside reports whether files have been set aside under that suffix.
func isAside(path, suffix string) bool {
	for _, ending := range spillSuffixes {
		if _, err := os.Lstat(path + ending + suffix); err == nil {
			return true
		}
	}
	return false
}
