// Package scratch makes temporary files for data that does not fit into memory, and temporary folders
// for what other programs are to read.
//
// Invariant: nothing is left of such a file when it is closed, or when its process ends, in
// whatever way. A folder of a process that was killed is removed when the next one is made.
package scratch

import "os"

// Create makes a file of mode 0600 in dir, or in os.TempDir if dir is "". A * in pattern becomes a
// random text. Where the system allows it, the file has no name: only its handle leads to it.
func Create(dir, pattern string) (*os.File, error) { return create(dir, pattern) }
