//go:build unix

package warc

import (
	"io/fs"
	"syscall"
)

// names returns the number of hard links to a file.
func names(entry fs.FileInfo, _ string) int {
	if stat, ok := entry.Sys().(*syscall.Stat_t); ok {
		return int(stat.Nlink)
	}
	return 1
}
