// Package collection is the directory of a collection: its names, files and lock, who has it open,
// and how a file comes to be in it whole or not at all. Start with [Dir].
//
//	COLLECTIONS/NAME/           the first is --dir, the second --collection
//	  archive/
//	    FILE.warc.gz            a finished WARC file of ours, named by warc.Name
//	    FILE.warc.gz.open       one that is being written, or that a crash has left
//	    FILE.warc.gz.torn       what recovery has cut off the one before, or out of it; .torn.2 …
//	    FILE.warc.gz.recovering that one without it, until it is whole
//	    ….copying               a copy that is being made, of another tool's file or as .torn
//	    ….removing              a name that is about to go, while what bore it is compared
//	    …                       finished files of other tools, under their own names
//	  indexes/index.cdxj        exported lines
//	  index.bolt                the index, see store
//	  index.bolt.new            one that is being made anew
//	  index.bolt.damaged        one that was replaced because it was; .damaged.2 …
//	  index.bolt.old            one that was replaced and knows of files that are missing; .old.2 …
//	  index.bolt.closed         says that the index was closed well, see store
//	  recorder.json             who records, and where it can be asked, see [Running]
//	  spill/                    exchanges too large for memory, until they are in a WARC file
//	  import-PID-…/             files that an import makes, until they are added
//
// Whoever records or repairs a collection has its directory locked, and is the only one who writes
// there, but for exports and imports.
//
// Invariant: the paths of a collection are joined here and nowhere else, and what a name says of a
// file is read here and nowhere else. A file that is written here has its name only when all of it
// is on disk: who is interrupted leaves the file of that name that was there before, or none.
package collection

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warcorder/store/warc"
)

// Dir is the path of a collection's directory.
type Dir string

// What stands in the directory, as messages name it.
const (
	ArchiveName = "archive"
	IndexName   = "index.bolt"
	SpillName   = "spill"
)

const (
	indexesName = "indexes"
	cdxjName    = "index.cdxj"
	runningName = "recorder.json"
)

// What follows IndexName in the names of files that are, or were, an index.
const (
	NewSuffix     = ".new"     // of one that is being made
	DamagedSuffix = ".damaged" // of one that has been replaced because it was
	OldSuffix     = ".old"     // of one that has been replaced, and knows of files that are not there
	ClosedSuffix  = ".closed"  // of the mark that it was closed well
)

// In is the collection of that name in a directory of collections.
func In(collections, name string) (Dir, error) {
	if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") ||
		os.IsPathSeparator(name[0]) {
		return "", fmt.Errorf(
			"%q is not a name: give one without slashes that does not begin with a dot", name)
	}
	return Dir(filepath.Join(collections, name)), nil
}

// Abs is the same directory, whatever the working directory becomes.
func (d Dir) Abs() (Dir, error) {
	path, err := filepath.Abs(string(d))
	return Dir(path), err
}

// Name is the name of the collection.
func (d Dir) Name() string { return filepath.Base(string(d)) }

// Archive is the directory of the WARC files.
func (d Dir) Archive() string { return filepath.Join(string(d), ArchiveName) }

// WARC is the path of a file in archive/.
func (d Dir) WARC(name string) string { return filepath.Join(string(d), ArchiveName, name) }

// CDXJ is where an export writes by default.
func (d Dir) CDXJ() string { return filepath.Join(string(d), indexesName, cdxjName) }

// Index is the path of the index.
func (d Dir) Index() string { return filepath.Join(string(d), IndexName) }

// NewIndex is the path of an index that is being made, until it takes the place of Index.
func (d Dir) NewIndex() string { return d.Index() + NewSuffix }

// Spill is the directory of what is too large for memory.
func (d Dir) Spill() string { return filepath.Join(string(d), SpillName) }

// running is the path of recorder.json.
func (d Dir) running() string { return filepath.Join(string(d), runningName) }

// Make makes the directory with archive/ and indexes/, durably. What is there stays as it is.
func (d Dir) Make(mode Mode) error {
	for _, name := range []string{ArchiveName, indexesName} {
		if err := mode.MakeDir(filepath.Join(string(d), name)); err != nil {
			return err
		}
	}
	return nil
}

// Sync makes durable which files stand in the directory itself.
func (d Dir) Sync() error { return warc.SyncDir(string(d)) }

// SyncArchive makes durable which files stand in archive/.
func (d Dir) SyncArchive() error { return warc.SyncDir(d.Archive()) }

// Numbered is the n-th of the paths that what is set aside may get: the path itself, then the path
// with .2, .3 and so on behind it.
func Numbered(path string, n int) string {
	if n == 1 {
		return path
	}
	return fmt.Sprintf("%s.%d", path, n)
}
