// Package recovery brings the WARC files of a collection and its index into agreement: after a
// crash, when the index is lost, and when files of other tools are added.
//
// [Open] is what a recorder begins with, [Repair] what a person runs, [Rebuild] makes the index
// anew from the files alone, and [Add] takes in what others have recorded. A file that was being
// written is read from where the index ends: what is whole goes into the index, what is not is cut
// off, and a copy of it is kept. A finished file is read likewise, and never changed.
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
)

// recovery brings the WARC files of a collection into agreement with its index. It can be
// interrupted anywhere and begun again.
//
// A file that was being written is read from where the index ends. Its whole exchanges go into the
// index; what is no whole exchange is cut off, of which a copy is kept, and the file gets its final
// name. A finished file is read likewise, but never changed.
type recovery struct {
	dir      collection.Dir
	host     string
	index    *store.Bolt
	options  store.Options // that the index is opened with
	keyer    *store.Keyer
	dedup    record.DedupConfig
	style    *record.Style
	mode     collection.Mode // of what is made
	log      zerolog.Logger
	progress Progress
	group    int         // captures that go into the index at once
	each     fault.Point // passed before each file
	found    Found
	read     map[string]foundIn // finished files, by name
	later    []warcFile         // that are still to be recovered
	// base names of files that have gone, or grown shorter, since the last start
	gone []string

	done, total int64 // bytes
}

func (r *recovery) path(name string) string { return r.dir.WARC(name) }

// sealed notes in the index that a file is finished.
func (r *recovery) sealed(file store.File) error {
	if err := fault.At(fault.RecoverSeal); err != nil {
		return err
	}
	file.Sealed = true
	return r.index.Commit(nil, []store.File{file})
}

// left says that a file is not as it should be, and stays so.
func (r *recovery) left(name, why string) {
	r.found.Left = append(r.found.Left, name)
	r.log.Error().Str("file", name).Msg(why)
}
