//go:build !unix && !windows

package warc

import "io/fs"

// names returns 1: this system does not tell the number of hard links.
func names(fs.FileInfo, string) int { return 1 }
