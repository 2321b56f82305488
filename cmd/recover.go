package cmd

import (
	"os"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store/collection"
)

// recoverCommand writes WARC files too, of what a crash has left in spill/: as a recording would.
type recoverCommand struct {
	collectionFlags
	Recorder recorderFlags `embed:""`
}

// Run recovers.
func (c *recoverCommand) Run(line *commandLine) error {
	return c.repair(line, func(dir collection.Dir, log zerolog.Logger) (recorder.Recovered, error) {
		cfg := c.Recorder.config()
		cfg.Progress = newProgress(os.Stderr)
		return recorder.Recover(cfg, dir, log)
	})
}
