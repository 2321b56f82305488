package cmd

import (
	"fmt"
	"os"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store/collection"
	"warcorder/store/objects"
)

type rebuildCommand struct {
	repairFlags
	From string `name:"from"`
}

// Run rebuilds.
func (c *rebuildCommand) Run(line *commandLine) error {
	rebuild := recovery.Rebuild
	if c.From != "" {
		from, err := objects.Parse(c.From)
		if err != nil {
			return fmt.Errorf("--from: %w", err)
		}
		rebuild = func(cfg recovery.Config, dir collection.Dir, log zerolog.Logger) (recovery.Found, error) {
			return recovery.RebuildFrom(cfg, dir, from, log)
		}
	}
	return c.repair(line, func(dir collection.Dir, log zerolog.Logger) (recorder.Recovered, error) {
		found, err := rebuild(c.config(newProgress(os.Stderr)), dir, log)
		return recorder.Recovered{Found: found}, err
	})
}
