//go:build !linux && !darwin && !windows

package warc

import "errors"

// moveNew always returns errors.ErrUnsupported.
func moveNew(string, string) error { return errors.ErrUnsupported }

// isMount returns false: this system mounts on directories only.
func isMount(string) bool { return false }
