package store

import (
	"encoding/binary"
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// identify writes what tells a file from all others.
func identify(w io.Writer, file *os.File) error {
	var info windows.ByHandleFileInformation
	err := windows.GetFileInformationByHandle(windows.Handle(file.Fd()), &info)
	if err != nil {
		return err
	}
	return binary.Write(w, binary.BigEndian, []uint32{
		info.FileIndexHigh, info.FileIndexLow,
		info.CreationTime.HighDateTime, info.CreationTime.LowDateTime,
	})
}
