package cmd

import "warcorder/recorder"

type rebuildCommand struct{ repairFlags }

// Run rebuilds.
func (c *rebuildCommand) Run(line *commandLine) error {
	return c.repair(line, c.config(), recorder.Rebuild)
}
