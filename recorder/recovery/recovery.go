// Package recovery brings the WARC files of a collection and its index into agreement: after a
// crash, when the index is lost, and when files of other tools are added.
//
// [Open] is what a recorder begins with, [Repair] what a person runs, [Rebuild] makes the index
// anew from the files alone. [Add] takes in the WARC files of others where they lie, [Import] those that
// were taken out of a WACZ file or made of a HAR, with the pages that came with them.
//
// A file that was being written, X.open, is read from where the index ends (file.Committed). Its
// whole exchanges go into the index; the rest is cut off:
//
//	0                    Committed             end                              size
//	| in the index       | whole exchanges     | damage | whole | torn exchange |
//	  stays as it is       go into the index     \_____ copied to X.torn _____/
//	                                                      \___/ is saved
//
// What a step leaves on disk tells the next recovery where to go on, so that a kill at any point
// costs nothing but time:
//
//	step                                        a kill behind it leaves
//	1 sync X.open                               X.open, read again
//	2 whole exchanges into the index            X.open, read from the new Committed
//	3 copy the rest: X.torn.copying -> X.torn   X.open, and a copy that is found to be the same
//	4 if there are whole exchanges in the rest:
//	  write X.recovering, sync it               X.recovering, which is swept away: X.open is there
//	  X.recovering -> X.open, begin again       X.open without the damage
//	5 cut X.open to Committed                   X.open, which agrees with the index
//	6 X.open -> X                               X, which the index does not call finished yet
//	7 note in the index that X is finished      nothing to do
//
// The copy of step 3 is durable before the first byte is cut, and the index never knows of more
// than was synced. A finished file is read likewise, and never changed. A new index is made beside
// the old one, synced, and then renamed.
//
// Invariant: a recovery can be killed anywhere, and the next one comes to the same end: no capture
// is lost that was on disk, none is in the index twice, and no byte is gone of which there is no
// copy. What a file says is believed only as far as it was checked: anybody may have made it.
package recovery

import (
	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
	"warcorder/store/holdings"
)

// recovery is one recovery of a collection, which is locked for it.
type recovery struct {
	dir      collection.Dir
	host     string // host name, for the warcinfo record of a file that is written anew
	index    *store.Bolt
	options  store.Options // options that the index is opened with
	keyer    *store.Keyer
	dedup    record.DedupConfig
	style    *record.Style
	mode     collection.Mode // mode of the files and directories that are made
	log      zerolog.Logger
	progress Progress
	ended    func() error       // why reading is to end, asked behind each record; nil if it never is
	group    int                // captures that one transaction puts into the index
	each     fault.Point        // fault point before each file
	found    Found              // findings so far
	read     map[string]foundIn // findings in the finished files that were read, by base name
	later    []warcFile         // files that are still to be recovered
	gone     []string           // base names of files that are noted as missing or too short now

	holdings    *holdings.Holdings
	copies      copies
	before      map[string]*store.Remote // copies that the old index of a rebuild knows
	*listing                             // what is below the prefix of a bucket; empty without one
	must        bool                     // what is away must be read, or nothing is changed
	making      bool                     // index is one that is to take the place of the collection's
	hasAway     bool                     // a file is away
	unreachable error                    // why object storage cannot be asked; nil if it can, or was not
	unreadWhy   error                    // why files could not be read that are away

	done, total int64 // bytes read of all files before the current one, and bytes to be read
}

// path is where a WARC file of that base name lies.
func (r *recovery) path(name string) string { return r.dir.WARC(name) }

// sealed notes in the index that a file is finished: it has its final name, or will never come.
func (r *recovery) sealed(file store.File) error {
	if err := fault.At(fault.RecoverSeal); err != nil {
		return err
	}
	file.Sealed = true
	return r.index.Commit(nil, []store.File{file})
}

// left reports a file that is not as it should be, and that only a person can put right.
func (r *recovery) left(name, why string) {
	r.found.Left = append(r.found.Left, name)
	r.log.Error().Str("file", name).Msg(why)
}
