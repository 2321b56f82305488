package warc

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// moveNew is Move.
func moveNew(from, to string) error {
	old, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	if err := windows.MoveFileEx(old, name, windows.MOVEFILE_WRITE_THROUGH); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// isMount returns false: this system mounts on directories only.
func isMount(string) bool { return false }

// names returns the number of hard links to the file at path; 1 if that cannot be found out.
func names(_ fs.FileInfo, path string) int {
	file, err := os.Open(path)
	if err != nil {
		return 1
	}
	defer file.Close()
	var found windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(file.Fd()), &found) != nil {
		return 1
	}
	return int(found.NumberOfLinks)
}
