//go:build unix

package warc

import (
	"io/fs"
	"syscall"
)

// names is how many hard links lead to a file.
func names(entry fs.FileInfo, _ string) int {
	if stat, ok := entry.Sys().(*syscall.Stat_t); ok {
		return int(stat.Nlink)
	}
	return 1
}
