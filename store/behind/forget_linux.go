package behind

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget lets the system's memory give up a part of a file that is on disk. That it does not is no
// error.
func forget(file *os.File, from, n int64) {
	raw, err := file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _ = unix.Fadvise(int(fd), from, n, unix.FADV_DONTNEED) })
}
