package cmd

import "warcorder/recorder"

// recoverCommand writes WARC files too, of what a crash has left in spill/: as a recording would.
type recoverCommand struct {
	collectionFlags
	Recorder recorderFlags `embed:""`
}

// Run recovers.
func (c *recoverCommand) Run(line *commandLine) error {
	return c.repair(line, c.Recorder.config(), recorder.Recover)
}
