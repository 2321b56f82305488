package warc

import (
	"errors"
	"os"
	"syscall"
)

// datasync makes the bytes of file durable, and the length that is needed to read them: half the
// price of Sync, which writes the times as well.
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
