//go:build !linux

package collection

// Holders names nobody, since this system does not tell.
func (d Dir) Holders() []string { return nil }
