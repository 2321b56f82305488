package cmd

import (
	"errors"
	"fmt"
	"os"
	"time"

	"warcorder/store/cdxserver"
)

// pauseCommand lets what crosses a running recorder pass unrecorded.
type pauseCommand struct{ collectionFlags }

// resumeCommand ends that.
type resumeCommand struct{ collectionFlags }

// The pages that the commands ask for.
const (
	pausePath  = "/pause"
	resumePath = "/resume"
)

// Run pauses.
func (c *pauseCommand) Run(*commandLine) error { return c.change("pause", pausePath) }

// Run resumes.
func (c *resumeCommand) Run(*commandLine) error { return c.change("resume", resumePath) }

// change asks the recorder of the collection for a page that changes its state, and prints the
// state.
func (f *collectionFlags) change(step, path string) error {
	dir, err := f.dir()
	if err != nil {
		return err
	}
	running, err := cdxserver.At(dir)
	var state pause
	if err == nil {
		err = running.Switch(path, &state)
	}
	if errors.Is(err, cdxserver.ErrNobody) {
		return nobodyRecords(step, dir)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	if state.Paused && state.Since != nil {
		fmt.Fprintln(os.Stdout, "paused since", state.Since.UTC().Format(time.RFC3339))
		return nil
	}
	fmt.Fprintln(os.Stdout, "recording")
	return nil
}
