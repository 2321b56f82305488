//go:build !unix

package collection

// Movable is for systems that say so of a file when it is opened for writing.
func Movable(string) error { return nil }
