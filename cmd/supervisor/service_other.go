//go:build !windows

package supervisor

// Service runs work as a Windows service, which there are none of here.
func Service(string, func(*Supervisor) int) (code int, is bool) { return 0, false }
