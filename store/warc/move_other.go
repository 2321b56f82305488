//go:build !linux && !darwin && !windows

package warc

import "errors"

func moveNew(string, string) error { return errors.ErrUnsupported }

// isMount is false: only directories can be mounted on.
func isMount(string) bool { return false }
