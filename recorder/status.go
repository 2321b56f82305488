package recorder

import "runtime"

// Status is a snapshot of a recorder, for people and monitors.
type Status struct {
	Recording bool   `json:"recording"`
	Reason    string `json:"reason,omitempty"` // why it is off
	Exchanges int64  `json:"exchanges"`        // recorded since the start
	// exchanges that could not be recorded; each one is in the log
	Lost  int64 `json:"lost"`
	Bytes int64 `json:"bytes"` // written to WARC files since the start
	// bytes of exchanges that wait to be recorded, without those on disk
	Queued int64 `json:"queued"`
	// exchanges above 1 MiB that wait on disk to be recorded
	Large int64 `json:"large"`
	// base names of the WARC files being written, the final ones
	OpenFiles []string `json:"openFiles"`

	// why klauspost/compress makes the members of WARC files, in place of the faster encoder
	Compression string `json:"compression,omitempty"`

	// what could not be recorded since the start, by reason
	Gaps map[string]int64 `json:"gaps"`
	// of the whole process: a number that only grows is a fault
	Goroutines int `json:"goroutines"`
}

// Status tells how recording goes.
func (r *Recorder) Status() Status {
	s := Status{
		Recording:  true,
		Exchanges:  r.committer.recorded.Load(),
		Lost:       r.lost.Load(),
		Bytes:      r.archive.bytes.Load(),
		Queued:     r.queued.Load(),
		Large:      r.waitingLarge.Load(),
		Gaps:       r.gaps.totals(),
		OpenFiles:  r.archive.openFiles(),
		Goroutines: runtime.NumGoroutine(),
	}
	if err := r.Ready(); err != nil {
		s.Recording, s.Reason = false, err.Error()
	}
	if err := r.inspector.Err(); err != nil {
		s.Compression = err.Error()
	}
	return s
}

// compressionFailed says that the encoder of our own has made a wrong member, which is not written.
func (r *Recorder) compressionFailed(err error) {
	r.log.Error().Err(err).Msg("a record was compressed wrongly, and has been compressed anew: " +
		"from now on klauspost/compress does that; verify the collection, and report this")
}
