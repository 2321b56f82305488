//go:build unix

package store

import (
	"encoding/binary"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// identify writes what tells a file from all others, and its present state from those before.
func identify(w io.Writer, file *os.File) error {
	var stat unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &stat); err != nil {
		return err
	}
	return binary.Write(w, binary.BigEndian, []int64{int64(stat.Ino), unix.TimespecToNsec(stat.Ctim)})
}
