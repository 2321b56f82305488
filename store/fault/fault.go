// Package fault lets tests break things on purpose. It names the points at which a crash or a
// failing disk must do no harm and, in a program built with the tag `faults`, makes them fail: by
// the environment variable RUN_WITH_FAULT for a process, by Set for a test in the same process. In
// any other build its functions are empty and cost nothing.
//
// Invariant: a program built without the tag behaves as if the package did not exist.
package fault

// Point is a moment at which the process may end or the system may refuse.
type Point string

// The points, in the order in which a recorder comes to them.
const (
	Record         Point = "record"          // before the records of an exchange are made
	WARCCreate     Point = "warc-create"     // before a WARC file is made
	WARCCreated    Point = "warc-created"    // after that, before its directory is synced
	WARCWrite      Point = "warc-write"      // before each write to a WARC file
	WARCSync       Point = "warc-sync"       // before a WARC file is synced
	WARCSynced     Point = "warc-synced"     // after that
	WARCTruncate   Point = "warc-truncate"   // before a WARC file is cut
	WARCRename     Point = "warc-rename"     // before a WARC file gets its final name
	WARCRenamed    Point = "warc-renamed"    // after that, before its directory is synced
	IndexAddFile   Point = "index-add-file"  // before the index learns of a file
	IndexCommit    Point = "index-commit"    // before a transaction of the index
	IndexCommitted Point = "index-committed" // after that
	Spill          Point = "spill"           // before a body moves to disk
	SpillNote      Point = "spill-note"      // before a line is added to the sidecar of one
	RecoverSpill   Point = "recover-spill"   // before each exchange that is left in spill/ is recorded
	RecoverSpilled Point = "recover-spilled" // after that, before its files are removed
	RecoverScan    Point = "recover-scan"    // before a file that was not finished is read
	RecoverCopy    Point = "recover-copy"    // before the bytes that are cut off are copied
	RecoverRewrite Point = "recover-rewrite" // before each good piece of a damaged file is copied
	RecoverCut     Point = "recover-cut"     // before the file is cut, or replaced
	RecoverFinish  Point = "recover-finish"  // before the file gets its final name
	RecoverSeal    Point = "recover-seal"    // before the index learns that the file is finished
	RebuildFile    Point = "rebuild-file"    // before each file that a new index is made from
	RebuildSwap    Point = "rebuild-swap"    // before the new index takes its place
	RebuildDone    Point = "rebuild-done"    // after that
)

// The points to which an import comes, which no recorder passes but after an import was killed.
const (
	ImportUnpack Point = "import-unpack" // before each file that is taken out of what is imported
	ImportReady  Point = "import-ready"  // before all that it brings counts as there
	ImportMove   Point = "import-move"   // before each WARC file moves into archive/
	ImportPages  Point = "import-pages"  // before its pages are merged into the list
	ImportDone   Point = "import-done"   // before its directory is removed
)

// ImportPoints are the points at which an import may end.
var ImportPoints = []Point{ImportUnpack, ImportReady, ImportMove, ImportPages, ImportDone}

// Deflate comes after a member has been made, and its error means that a byte of the member is
// wrong: the encoder is broken. Nothing is written between it and the point before.
const Deflate Point = "deflate"

// The points to which a removal comes, in their order.
const (
	RemoveFile    Point = "remove-file"    // before a file is written anew
	RemoveCopy    Point = "remove-copy"    // before each stretch of it that is kept
	RemoveSync    Point = "remove-sync"    // before what was written is synced
	RemoveIndex   Point = "remove-index"   // behind each piece of the index that is copied
	RemoveRead    Point = "remove-read"    // before a file that was written anew is read
	RemovePlan    Point = "remove-plan"    // before the plan is written, from which on it goes forward
	RemovePlanned Point = "remove-planned" // after that
	RemoveRename  Point = "remove-rename"  // before each file that takes the place of another
	RemoveSwap    Point = "remove-swap"    // before the new index takes its place
	RemoveSwapped Point = "remove-swapped" // after that
	RemoveRest    Point = "remove-rest"    // before each file beside the archive that is removed
	RemoveDone    Point = "remove-done"    // before the plan is removed
)

// Removals are the points to which a removal comes.
var Removals = []Point{
	RemoveFile, RemoveCopy, RemoveSync, RemoveIndex, RemoveRead, RemovePlan, RemovePlanned,
	RemoveRename, RemoveSwap, RemoveSwapped, RemoveRest, RemoveDone,
}

// The points to which a file comes on its way into object storage, and a local copy when it goes.
const (
	UploadBegin   Point = "upload-begin"   // before a file is sent
	UploadPart    Point = "upload-part"    // behind the note of each part that was sent
	UploadSent    Point = "upload-sent"    // after it was verified at the other side
	UploadNoted   Point = "upload-noted"   // after the index knows where its copy is
	UploadAway    Point = "upload-away"    // after the note beside the index says so too
	ReleaseMark   Point = "release-mark"   // before the index says that a local copy may go
	ReleaseMarked Point = "release-marked" // after that
	ReleaseGone   Point = "release-gone"   // after it has gone
	BroughtBack   Point = "brought-back"   // after a file was brought back, before the index says so
)

// Uploads are the points to which an upload comes.
var Uploads = []Point{
	UploadBegin, UploadPart, UploadSent, UploadNoted, UploadAway, ReleaseMark, ReleaseMarked, ReleaseGone,
}

// Points are all points at which a process may end and a disk may refuse, but for Removals.
var Points = []Point{
	Record, WARCCreate, WARCCreated, WARCWrite, WARCSync, WARCSynced, WARCTruncate, WARCRename,
	WARCRenamed, IndexAddFile, IndexCommit, IndexCommitted, Spill, SpillNote, RecoverSpill,
	RecoverSpilled, RecoverScan, RecoverCopy, RecoverRewrite, RecoverCut, RecoverFinish, RecoverSeal,
	RebuildFile, RebuildSwap, RebuildDone,
}
