package supervisor

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// monotonic is the moment of a reload, which systemd wants of units with Type=notify-reload.
func monotonic() []string {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return nil
	}
	return []string{"MONOTONIC_USEC=" + strconv.FormatInt(now.Nano()/1000, 10)}
}
