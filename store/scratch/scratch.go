// Package scratch makes files for what does not fit into memory.
//
// Invariant: nothing is left of such a file when it is closed, or when its process ends in whatever
// way.
package scratch

import "os"

// Create makes a file in dir, or in os.TempDir if that is "". Only its handle leads to it, as far
// as the system lets that be; a * in pattern becomes a random text. Its mode is 0600.
func Create(dir, pattern string) (*os.File, error) { return create(dir, pattern) }
