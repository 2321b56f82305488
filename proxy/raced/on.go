//go:build race

package raced

// Enabled says whether the race detector is at work.
const Enabled = true
