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

// Running is recorder.json: who has a collection open. The file is there from the moment that a
// recorder can be asked until all of its work is on disk; one that is left over is the sign of an
// unclean end.
type Running struct {
	PID       int       `json:"pid"`
	Addresses []string  `json:"addresses"`
	Started   time.Time `json:"started"`
}

// UnreadableError says that recorder.json is not what a recorder writes, as opposed to an error of
// reading it: a power failure has torn it, or somebody has put something else there.
type UnreadableError struct{ err error }

func (e *UnreadableError) Error() string { return e.err.Error() }

func (e *UnreadableError) Unwrap() error { return e.err }

// maxRunning is more than a recorder.json of ours has, in bytes.
const maxRunning = 64 << 10

// Running reads recorder.json. After a crash it names a process that is gone. The error wraps
// fs.ErrNotExist if there is none, and is an UnreadableError if it is none of ours.
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

// Recorder returns who records the collection, if somebody does who can be asked.
func (d Dir) Recorder() (who Running, running bool) {
	who, err := d.Running()
	return who, err == nil && len(who.Addresses) > 0 && IsAlive(who.PID)
}

// Announce writes recorder.json, in the place of one that may be there.
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

// Withdraw removes recorder.json, durably. It is the last thing that a recorder does.
func (d Dir) Withdraw() error {
	err := os.Remove(d.running())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, d.Sync())
}

// IsAlive reports whether there is a process of that number. Where the system does not tell it
// says so of all.
func IsAlive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = process.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission) || runtime.GOOS == "windows"
}
