package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// rotateCommand finishes the files that a recorder has open.
type rotateCommand struct{ collectionFlags }

// The pages that have something done.
const (
	settlePath = "/settle"
	rotatePath = "/rotate"
)

// rotated is what rotatePath answers.
type rotated struct {
	Files []string `json:"files"` // base names of those that were finished
}

// Run has the files finished, and prints their paths.
func (c *rotateCommand) Run(line *commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	files, err := rotate(dir)
	if err != nil {
		return err
	}
	for _, name := range files {
		if _, err := fmt.Println(dir.WARC(name)); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		line.remark("nothing is open")
	}
	return nil
}

// rotate asks the recorder of a collection to finish its files, as long as that may take. Where
// nobody records none may be open.
func rotate(dir collection.Dir) ([]string, error) {
	for until := time.Now().Add(lockPatience); ; time.Sleep(50 * time.Millisecond) {
		err := noneOpen(dir)
		var answer rotated
		if errors.Is(err, collection.ErrLocked) {
			err = workOf(context.Background(), dir, rotatePath, &answer)
		}
		switch {
		case !errors.Is(err, cdxserver.ErrNobody):
			return answer.Files, err
		case time.Now().After(until):
			return nil, unanswered(dir)
		}
	}
}

// workOf has the recorder of a collection do something.
func workOf(ctx context.Context, dir collection.Dir, path string, result any) error {
	running, err := cdxserver.At(dir)
	if err != nil {
		return err
	}
	return running.Work(ctx, path, result)
}

// noneOpen returns ErrLocked if a collection is in use, and an error that says what to do if it has
// files that nobody finishes.
func noneOpen(dir collection.Dir) error {
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		return explainRead(err, dir)
	}
	if err := index.Close(); err != nil {
		return err
	}
	if open := len(leftOpen(dir)); open > 0 {
		return fmt.Errorf("nobody records %s, and its last recorder has left %s with the ending %s: "+
			"warcorder recover finishes what is left", dir, count(open, "file"), warc.OpenSuffix)
	}
	return nil
}

// leftOpen are the final names of the files in archive/ that are not finished.
func leftOpen(dir collection.Dir) []string {
	open := []string{}
	files, _ := dir.Sizes() // a collection without archive/ has none
	for name := range files {
		if state, final := collection.StateOf(name); state == collection.Open {
			open = append(open, final)
		}
	}
	slices.Sort(open)
	return open
}

// rotate finishes the open files, for rotatePath.
func (s *serving) rotate(ctx context.Context) (any, error) {
	files, err := s.rec.Rotate(ctx)
	return rotated{append([]string{}, files...)}, err
}

// settle waits until what clients have is in the index, for settlePath.
func (s *serving) settle(ctx context.Context) (any, error) {
	if err := s.rec.Settle(ctx); err != nil {
		return nil, err
	}
	return s.status(), nil
}
