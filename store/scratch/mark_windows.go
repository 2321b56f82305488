package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// markFolder holds a file in a folder open that no other process may open meanwhile, and that goes
// with its last handle.
func markFolder(path string) (*os.File, error) {
	name := filepath.Join(path, ".warcorder")
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	handle, err := windows.CreateFile(text, windows.GENERIC_READ|windows.DELETE, 0, nil,
		windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_HIDDEN|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return nil, errMarked
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(handle), name), nil
}

// isOwn: the folder for temporary files is the user's alone.
func isOwn(fs.FileInfo) bool { return true }
