//go:build linux || darwin || freebsd

package collection

import "golang.org/x/sys/unix"

// FreeSpace is the number of bytes that a process without privileges may still write to the file
// system of dir.
func FreeSpace(dir string) (int64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return int64(stat.Bavail) * int64(stat.Bsize), nil
}
