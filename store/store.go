// Package store is the archive at rest: the captures of a collection, where each one lies, and the
// index that finds them.
//
// A capture is one response (or revisit) in a WARC file; a Keyer makes its keys. Open gives the
// index of a collection that is being recorded, OpenReadOnly that of one that is not; Commit puts
// captures into it, Captures and Export read them in the order of their CDXJ lines. AddGaps notes
// what could not be recorded.
//
// Invariant: the index never points at bytes that are not there. A file is known to the index
// (AddFile) before its first capture, and Commit stores captures and the length up to which their
// files are on disk in one transaction; whoever calls Commit has synced the files before.
//
// The index is one file of bbolt, with these buckets; numbers are big endian. A program that does
// not know the format refuses to open the file; buckets that an older program did not make are
// added.
//
//	captures   a URL key, time and place: key.go  ->  the rest of a capture: captures.go
//	path       a secondary key, made as that is   ->  the key in captures: secondary.go
//	wwwoffle   the same
//	form       the same
//	query      the same
//	extras     a place                            ->  what few captures have: extras.go
//	timeline   a time and a place             ->  what it says of a page: timeline.go
//	files      id(4)                              ->  a WARC file: files.go
//	dedup      a hash(32)                         ->  an original: originals.go
//	gaps       number(8)                          ->  a gap: gaps.go
//	meta       "format"                           ->  2(4): check.go
//	           "captures"                         ->  their number(8)
//	           "revisits"                         ->  how many of them are: totals.go
//	           "timeline"                         ->  how many captures are in it(8)
//	           "gap " REASON                      ->  how many gaps had that reason(8)
//	           "session"                          ->  the last one: session.go
package store

import "errors"

// ErrDamaged says that the file is no sound index: it is empty or cut, a page or a key is not where
// it must be, a bucket is missing, or a value cannot be read. A new index can be made from the WARC
// files, which hold all captures.
var ErrDamaged = errors.New("the index is damaged")

// ErrBroken says that bbolt has panicked within a transaction. The index must be opened anew; all
// that was committed before is there.
var ErrBroken = errors.New("nothing can be put into the index any more")

// ErrReadOnly says that an index that was opened for reading cannot be written.
var ErrReadOnly = errors.New("the index is open for reading only")

// ErrReplaced says that another index lies in the place of the one that was opened: a reading that
// has begun cannot go on.
var ErrReplaced = errors.New("the index was replaced while it was read")

// ErrInterrupted says that a removal was interrupted while its files and its index took their places:
// the two do not agree before a recovery has finished that.
var ErrInterrupted = errors.New("a removal was interrupted")

// The names of buckets, and of keys of the bucket "meta".
var (
	bucketCaptures = []byte("captures")
	bucketExtras   = []byte("extras")
	bucketTimeline = []byte("timeline")
	bucketFiles    = []byte("files")
	bucketRemotes  = []byte("remotes")
	bucketGaps     = []byte("gaps")
	bucketDedup    = []byte("dedup")
	bucketMeta     = []byte("meta")
	metaFormat     = []byte("format")
	metaCaptures   = []byte("captures")
	metaRevisits   = []byte("revisits")
	metaTimeline   = []byte("timeline")
	metaGap        = []byte("gap ") // and a reason
	metaSession    = []byte("session")
)
