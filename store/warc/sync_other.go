//go:build !linux

package warc

import "os"

// datasync makes the bytes of file durable.
func datasync(file *os.File) error { return file.Sync() }
