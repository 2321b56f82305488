//go:build !race

// Package raced tells tests whether the race detector is at work: memory and handshakes that are
// measured under it say nothing of the program.
//
// Invariant: no package imports raced outside of its tests.
package raced

// Enabled says whether the race detector is at work.
const Enabled = false
