package cmd

import (
	"warcorder/recorder"
)

type rebuildCommand struct{ repairFlags }

// Run rebuilds.
func (c *rebuildCommand) Run(line *commandLine) error {
	return c.repair(line, recorder.Config{Dedup: c.Dedup, Keys: c.Keys, Mode: c.Mode},
		recorder.Rebuild)
}
