// Package collection is the directory of a collection: the names and states of its files, its lock,
// and who has it open. The package also writes files that are there as a whole or not at all. Start
// with [Dir].
//
//	DIR/NAME/                   --dir and --collection say where
//	  archive/
//	    FILE.warc.gz            a finished WARC file of ours; warc.Name makes the name
//	    FILE.warc.gz.open       a WARC file that is being written, or that a crash has left
//	    FILE.warc.gz.torn       copy of what recovery has cut off that file or out of it; .torn.2 …
//	    FILE.warc.gz.recovering what recovery keeps of that file, until all of it is copied
//	    ….copying               a copy while it is made: of another tool's file, or a .torn
//	    ….removing              a file that is about to be removed, while it is compared once more
//	    ….rewritten             what a removal keeps of that file, until it takes its place
//	    FILE.warc, .warc.zst …  finished WARC files of other tools, under their own names
//	  away/FILE.json            where a finished file has a copy in object storage: [Away]
//	  away/FILE.stale           the same of a copy that is not what the file is any more
//	  uploads/FILE.json         how far the upload of a file has come
//	  withdrawn                 originals that a server of dedup-shared is to forget, see recorder/shared
//	  indexes/index.cdxj        exported lines
//	  index.bolt                the index, see package store
//	  index.bolt.closed         mark that the index was closed well, see package store
//	  index.bolt.new            the next index, while it is made
//	  index.bolt.damaged        a former index that was damaged; .damaged.2 …
//	  index.bolt.old            a former index that knows of files which are missing; .old.2 …
//	  layout                    the number of the layout, if it is not 1: [Layout]
//	  collection.lock           on Windows: the file whose lock is that of the directory; empty
//	  removal.json              the plan of a removal that is to take places, see store/removal
//	  removal-rest.json         the same when all places are taken
//	  removed.json              the same of the last removal, see [Dir.LastRemoval]
//	  verified.json             what verify has found the last time, see [Verified]
//	  recorder.json             who records the collection and can be asked, see [Running]
//	  recorder.token            what the recorder's owner shows it, see [Dir.Token]
//	  push-….token              what another has been given of it, see [Dir.PushToken]; .lock while
//	                            a push goes on, and empty
//	  spill/                    exchanges too large for memory, until they are in a WARC file
//	  pages.jsonl               pages that imports have brought, see package pagelist; .new while it is made
//	  import-PID-…/             what an import has made, until it is added
//	    archive/                its WARC files, under the names that they are to have
//	    pages.jsonl             its pages
//	    ready                   all of it is there: whoever opens the collection next adds it
//
// Whoever records or repairs a collection holds the lock of its directory. Without the lock an
// export writes to indexes/, an import to its own directory, a push its token and verify
// verified.json, and nobody else writes anything.
//
// Invariant: no other package joins a path of a collection, or takes a name in archive/ apart. What
// Write and Copy write gets its name when all of it is on disk: when they are interrupted, the name
// still means what it meant before.
package collection

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warcorder/store/warc"
)

// Dir is the path of a collection's directory.
type Dir string

// Names in the directory, for messages.
const (
	ArchiveName = "archive"
	IndexName   = "index.bolt"
	SpillName   = "spill"
	CDXJName    = "index.cdxj" // in indexes/, and in an extract
)

const (
	indexesName = "indexes"
	runningName = "recorder.json"
	tokenName   = "recorder.token"
	pagesName   = "pages.jsonl"
	removalName = "removal.json"
	restName    = "removal-rest.json"
	removedName = "removed.json"

	verifiedName  = "verified.json"
	withdrawnName = "withdrawn"
)

// These suffixes follow IndexName; the first one also the name of the list of pages.
const (
	NewSuffix     = ".new"     // the next one, while it is made
	DamagedSuffix = ".damaged" // a former index that was damaged
	OldSuffix     = ".old"     // a former index that knows of files which are missing
	ClosedSuffix  = ".closed"  // mark that the index was closed well
)

// In returns the collection of a name in a directory of collections. The error says what is wrong
// with the name, and begins with it.
func In(collections, name string) (Dir, error) {
	if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") ||
		os.IsPathSeparator(name[0]) {
		return "", fmt.Errorf(
			"%q is not a name: give one without slashes that does not begin with a dot", name)
	}
	return Dir(filepath.Join(collections, name)), nil
}

// Names returns the names of the collections in a directory, sorted; more says that there are others
// beside the first so many.
func Names(collections string, most int) (names []string, more bool, err error) {
	entries, err := os.ReadDir(collections)
	for _, entry := range entries {
		dir, err := In(collections, entry.Name())
		if err != nil || !dir.Exists() {
			continue
		}
		if len(names) == most {
			return names, true, nil
		}
		names = append(names, entry.Name())
	}
	return names, false, err
}

// Abs returns the same directory as an absolute path.
func (d Dir) Abs() (Dir, error) {
	path, err := filepath.Abs(string(d))
	return Dir(path), err
}

// Exists reports whether it is a collection: a directory that has an archive/ or an index in it.
func (d Dir) Exists() bool {
	info, err := os.Stat(d.Archive())
	if err == nil && info.IsDir() {
		return true
	}
	_, err = os.Stat(d.Index())
	return err == nil
}

// Name returns the name of the collection.
func (d Dir) Name() string { return filepath.Base(string(d)) }

// Archive returns the path of archive/, which holds the WARC files.
func (d Dir) Archive() string { return filepath.Join(string(d), ArchiveName) }

// WARC returns the path of a file in archive/ by its base name.
func (d Dir) WARC(name string) string { return filepath.Join(string(d), ArchiveName, name) }

// OpenWARC returns the path of a file in archive/ while it is written, by its final base name.
func (d Dir) OpenWARC(name string) string { return d.WARC(name + warc.OpenSuffix) }

// WARCPaths returns where to look for a file by its final base name, one path after another. The
// open one is there twice, since the file may get another name between two looks.
func (d Dir) WARCPaths(name string) [3]string {
	open := d.OpenWARC(name)
	return [...]string{open, d.WARC(name), open}
}

// CDXJ returns the path to which an export writes by default.
func (d Dir) CDXJ() string { return filepath.Join(string(d), indexesName, CDXJName) }

// Index returns the path of the index.
func (d Dir) Index() string { return filepath.Join(string(d), IndexName) }

// NewIndex returns the path of the next index, while it is made.
func (d Dir) NewIndex() string { return d.Index() + NewSuffix }

// Spill returns the path of spill/, which holds what is too large for memory.
func (d Dir) Spill() string { return filepath.Join(string(d), SpillName) }

// Pages returns the path of the list of pages that imports have brought.
func (d Dir) Pages() string { return filepath.Join(string(d), pagesName) }

// NewPages returns the path of the next such list, while it is made.
func (d Dir) NewPages() string { return d.Pages() + NewSuffix }

// Removal returns the path of removal.json.
func (d Dir) Removal() string { return filepath.Join(string(d), removalName) }

// RemovalRest returns the path of removal-rest.json.
func (d Dir) RemovalRest() string { return filepath.Join(string(d), restName) }

// Removed returns the path of removed.json.
func (d Dir) Removed() string { return filepath.Join(string(d), removedName) }

// Rewritten returns the path of what is to take the place of a file in archive/, by its base name.
func (d Dir) Rewritten(name string) string { return d.WARC(name + RewrittenSuffix) }

// Withdrawn returns the path of the list of what is to be taken back from dedup-shared.
func (d Dir) Withdrawn() string { return filepath.Join(string(d), withdrawnName) }

// verified returns the path of verified.json.
func (d Dir) verified() string { return filepath.Join(string(d), verifiedName) }

// running returns the path of recorder.json.
func (d Dir) running() string { return filepath.Join(string(d), runningName) }

// token returns the path of recorder.token.
func (d Dir) token() string { return filepath.Join(string(d), tokenName) }

// Make makes the directory with archive/ and indexes/ in it, durably. Directories that exist keep
// their modes. A new one must not have the name of a page: IsOwnPath. One of a later layout stays as
// it is: CheckLayout.
func (d Dir) Make(mode Mode) error {
	if err := errors.Join(d.CheckNew(), d.CheckLayout()); err != nil {
		return err
	}
	for _, name := range []string{ArchiveName, indexesName} {
		if err := mode.MakeDir(filepath.Join(string(d), name)); err != nil {
			return err
		}
	}
	return nil
}

// Sync makes the names in the directory itself durable.
func (d Dir) Sync() error { return warc.SyncDir(string(d)) }

// SyncArchive makes the names in archive/ durable.
func (d Dir) SyncArchive() error { return warc.SyncDir(d.Archive()) }

// SyncIndexes makes the names in indexes/ durable.
func (d Dir) SyncIndexes() error {
	err := warc.SyncDir(filepath.Dir(d.CDXJ()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Numbered returns the n-th path to try for a file that must not replace another: path itself, then
// path.2, path.3 and so on.
func Numbered(path string, n int) string {
	if n == 1 {
		return path
	}
	return fmt.Sprintf("%s.%d", path, n)
}
