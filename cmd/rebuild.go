package cmd

import (
	"os"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store/collection"
)

type rebuildCommand struct{ repairFlags }

// Run rebuilds.
func (c *rebuildCommand) Run(line *commandLine) error {
	return c.repair(line, func(dir collection.Dir, log zerolog.Logger) (recorder.Recovered, error) {
		found, err := recovery.Rebuild(c.config(newProgress(os.Stderr)), dir, log)
		return recorder.Recovered{Found: found}, err
	})
}
