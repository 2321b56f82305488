package collection

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"time"
)

// Running is what recorder.json says of the recorder that has a collection open. The file is there
// from when the recorder can be asked until all of its work is on disk. A file that is left over is
// the sign of an unclean end.
type Running struct {
	PID       int       `json:"pid"`
	Addresses []string  `json:"addresses"`        // host:port on which the recorder answers
	Replay    string    `json:"replay,omitempty"` // host:port on which the collection is replayed
	Started   time.Time `json:"started"`          // tells sessions apart, as in the index
}

// UnreadableError says that recorder.json has other content than a recorder writes, as opposed to a
// read error: a power failure has torn the file, or somebody has put something else there.
type UnreadableError struct{ err error }

func (e *UnreadableError) Error() string { return e.err.Error() }

func (e *UnreadableError) Unwrap() error { return e.err }

// maxRunning is more bytes than a recorder.json of ours has.
const maxRunning = 64 << 10

// Running reads recorder.json. After a crash the file names a process that is gone. The error wraps
// fs.ErrNotExist if there is no file, and is an UnreadableError if the file is no recorder's.
func (d Dir) Running() (who Running, err error) {
	file, err := OpenRegular(d.running())
	if errors.Is(err, errNotRegular) {
		err = &UnreadableError{err}
	}
	if err != nil {
		return who, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxRunning))
	if err != nil {
		return who, err
	}
	if err := json.Unmarshal(b, &who); err != nil {
		return who, &UnreadableError{err}
	}
	return who, nil
}

// Recorder returns the recorder that has the collection open, if one has that can be asked.
func (d Dir) Recorder() (who Running, running bool) {
	who, err := d.Running()
	return who, err == nil && len(who.Addresses) > 0 && IsAlive(who.PID)
}

// Announce writes recorder.json, durably. It replaces the one that a crash may have left.
func (d Dir) Announce(who Running, mode Mode) error {
	b, err := json.MarshalIndent(who, "", "  ")
	if err != nil {
		return err
	}
	err = Write(d.running(), mode, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	return d.Sync()
}

// Withdraw removes recorder.json, durably. A recorder calls it when all else is done.
func (d Dir) Withdraw() error {
	err := os.Remove(d.running())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, d.Sync())
}

// IsAlive reports whether a process of that number exists. On a system that does not tell, all do.
func IsAlive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = process.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission) || runtime.GOOS == "windows"
}
