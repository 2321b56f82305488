package warc

import (
	"errors"
	"os"
	"syscall"
)

// datasync makes the bytes of file durable, and its length. Sync writes the times, too, and takes
// twice as long.
func datasync(file *os.File) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var synced error
	err = raw.Control(func(fd uintptr) {
		for synced = syscall.EINTR; errors.Is(synced, syscall.EINTR); {
			synced = syscall.Fdatasync(int(fd))
		}
	})
	return errors.Join(err, synced)
}
