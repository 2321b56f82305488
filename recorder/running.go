package recorder

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"warcorder/store/warc"
)

// Running is recorder.json: who has a collection open. The file is there from the moment that a
// recorder can be asked until all of its work is on disk; one that is left over is the sign of an
// unclean end.
type Running struct {
	PID       int       `json:"pid"`
	Addresses []string  `json:"addresses"`
	Started   time.Time `json:"started"`
}

// runningName is the file's name in the directory of the collection.
const runningName = "recorder.json"

// ReadRunning reads the recorder.json of a collection. After a crash it names a process that is
// gone.
func ReadRunning(collection string) (Running, error) {
	var who Running
	file, err := openLeft(filepath.Join(collection, runningName))
	if err != nil {
		return who, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxRunning))
	if err != nil {
		return who, err
	}
	return who, json.Unmarshal(b, &who)
}

// maxRunning is more than a recorder.json of ours has.
const maxRunning = 64 << 10

// Announce writes recorder.json: where this recorder can be asked from now on. Close removes it.
func (r *Recorder) Announce(addresses ...string) error {
	who := Running{PID: os.Getpid(), Addresses: addresses, Started: r.session.Started}
	b, err := json.MarshalIndent(who, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(r.collection, runningName)
	temp, err := os.CreateTemp(r.collection, "."+runningName+".*")
	if err != nil {
		return err
	}
	_, err = temp.Write(append(b, '\n'))
	if err = errors.Join(err, r.mode.Set(temp.Name())); err != nil {
		return errors.Join(err, temp.Close(), os.Remove(temp.Name()))
	}
	if err = errors.Join(err, temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return warc.SyncDir(r.collection)
}

// withdraw removes recorder.json, as the last thing that a recorder does.
func withdraw(collection string) error {
	err := os.Remove(filepath.Join(collection, runningName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, warc.SyncDir(collection))
}
