//go:build unix

package cmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// isForeground reports whether we, and what we have started, are in the foreground of a terminal: it
// sends what is typed as a signal, and that it is gone, to all of these.
func isForeground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
