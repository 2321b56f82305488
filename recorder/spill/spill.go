// Package spill keeps the bytes of exchanges until their records are written: in memory while there
// is room, else in files of the collection's folder spill/, where the next recorder finds them if
// this one is killed.
//
// A [Buffer] has the bytes of one side, [Memory] is what all buffers share, [Room] the free space
// of the disk that they draw from, [Files] are what one exchange has on disk, and a [Sidecar] is a
// line of the file that says what that is. [Leftovers] lists what a recorder has left.
//
// Invariant: memory does not grow with the size of a body or with the number of exchanges, and the
// disk keeps the free space that it must. What a client has whole is in memory or in the system's
// hands as a whole, whatever becomes of the process.
package spill
