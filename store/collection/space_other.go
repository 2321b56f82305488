//go:build !linux && !darwin && !freebsd && !windows

package collection

import "errors"

// FreeSpace is not known on this system.
func FreeSpace(string) (int64, error) {
	return 0, errors.New("not known on this system: set min-free-space to 0")
}
