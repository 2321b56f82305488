//go:build !linux

package supervisor

// monotonic is what systemd alone wants.
func monotonic() []string { return nil }
