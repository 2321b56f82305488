//go:build !unix

package cmd

// isForeground: what is typed reaches all processes of a console, and nothing else can be passed on.
func isForeground() bool { return true }
