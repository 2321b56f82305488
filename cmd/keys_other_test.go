//go:build !linux

package cmd

import "testing"

// showLogAtTerminal needs a terminal that a test can make.
func showLogAtTerminal(t *testing.T, _ *keyBench) { t.Log("no terminal for a test") }
