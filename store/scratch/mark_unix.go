//go:build unix && !solaris && !aix

package scratch

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// markFolder locks a folder. One that was removed before it was locked does not exist.
func markFolder(path string) (*os.File, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errMarked
	}
	if err == nil && !leadsTo(path, dir) {
		err = fs.ErrNotExist
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return dir, nil
}

// leadsTo reports whether a folder that is open is the one at path.
func leadsTo(path string, dir *os.File) bool {
	there, err := os.Lstat(path)
	if err != nil {
		return false
	}
	opened, err := dir.Stat()
	return err == nil && os.SameFile(there, opened)
}

// isOwn reports whether a folder is this user's: others may make some in a folder for all.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
