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
