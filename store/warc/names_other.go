//go:build !unix && !windows

package warc

import "io/fs"

// names is 1: the system does not tell.
func names(fs.FileInfo, string) int { return 1 }
