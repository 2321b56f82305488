package store

import (
	"errors"
	"time"

	"warcorder/store/collection"
)

// lockable returns collection.ErrLocked if another process has the index at path open, and has not
// closed it when wait is over: those who read have it open for a slice at a time.
func lockable(path string, wait time.Duration) error {
	for until := time.Now().Add(wait); ; time.Sleep(5 * time.Millisecond) {
		err := collection.TryLock(path)
		if !errors.Is(err, collection.ErrLocked) || time.Now().After(until) {
			return err
		}
	}
}
