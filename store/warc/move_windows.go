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

// isMount is false: only directories can be mounted on.
func isMount(string) bool { return false }

// names is how many hard links lead to a file.
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
