package recorder

import "time"

// What a commit tells of each exchange once it is on disk: counts, and a line of the log.

func (c *committer) countCapture(d *done) {
	if !d.captured {
		return
	}
	c.captured.Add(1)
	if d.isRevisit() {
		c.revisits.Add(1)
		c.saved.Add(d.body)
	}
}

// countWait counts how long an exchange took to be on disk. One that the last recorder has left in
// spill/ has waited for this one.
func (c *committer) countWait(now time.Time, d *done) {
	if !d.extra && !d.handed.IsZero() {
		c.archive.took.commit.Observe(now.Sub(d.handed))
	}
}

func (c *committer) logCapture(d *done) {
	if !d.captured {
		return
	}
	line := c.log.Info().Str("url", Logged(d.url)).Int("status", d.capture.Status).
		Str("type", Logged(d.capture.MIME)).Str("file", d.capture.File).Int64("offset", d.capture.Offset).
		Int64("length", d.capture.Length).Int64("ms", d.took.Milliseconds())
	if d.user != "" {
		line.Str("user", Logged(d.user))
	}
	if d.follows != "" {
		line.Str("completion", d.follows)
	}
	line.Msg("capture")
}
