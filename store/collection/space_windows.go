package collection

import (
	"math"

	"golang.org/x/sys/windows"
)

// FreeSpace is the number of bytes that this user may still write to the file system of dir.
func FreeSpace(dir string) (int64, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
	return int64(min(free, math.MaxInt64)), err
}
