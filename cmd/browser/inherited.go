package browser

import (
	"os"
	"slices"
	"strings"
)

// inherited is the environment that a browser has of this process: all but what is for this process
// alone, its settings, among which are tokens and passwords, and the way to its service manager. A page
// that breaks into a part of the browser reads what that part has.
func inherited() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(variable), "=")
		return strings.HasPrefix(name, "WARCORDER_") || slices.Contains([]string{
			"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
			"CREDENTIALS_DIRECTORY",
		}, name)
	})
}
