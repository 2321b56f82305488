package cmd

import (
	"time"

	"warcorder/proxy"
	"warcorder/recorder"
)

// status is what /status tells.
type status struct {
	recorder.Status
	pause
	// what clients have taken a part of, and is to be had whole
	Completions proxy.Completions `json:"completions"`
	// lines of the log that were dropped: nobody reads the log, or its disk is full
	LogDropped int64 `json:"logDropped"`
}

// pause is whether exchanges pass unrecorded, as /pause and /resume answer too.
type pause struct {
	Paused bool       `json:"paused"`
	Since  *time.Time `json:"pausedSince,omitempty"`
}

func (s *serving) status() status {
	all := status{s.rec.Status(), s.pause(), s.proxy.Completions(), s.out.Dropped()}
	all.Recording = all.Recording && !all.Paused
	return all
}

func (s *serving) pause() pause {
	since := s.proxy.Paused()
	return pause{since != nil, since}
}

// ready is nil unless clients are refused: while recording is paused they are not, whatever becomes
// of the archive.
func (s *serving) ready() error {
	if s.proxy.Paused() != nil {
		return nil
	}
	return s.rec.Ready()
}
