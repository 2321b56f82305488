package cmd

import (
	"crypto/sha256"
	"fmt"
	"os"
	"time"

	"warcorder/cmd/pushing"
	"warcorder/proxy"
	"warcorder/recorder"
	"warcorder/store/collection"
)

// status is what /status tells.
type status struct {
	recorder.Status
	pause
	// what clients have taken a part of, and is to be had whole
	Completions proxy.Completions `json:"completions"`
	// lines of the log that were dropped: nobody reads the log, or its disk is full
	LogDropped int64 `json:"logDropped"`

	Replay *replayed `json:"replay,omitempty"` // beside the recording: replay-listen
	// where the live page has the images that were recorded shown: preview-listen
	Preview string `json:"preview"`
	Debug   string `json:"debug,omitempty"` // where profiles are given: debug-listen

	Upload *uploadState    `json:"upload,omitempty"` // nil: nothing is brought into object storage
	Push   []pushing.State `json:"push,omitempty"`   // feeds: push

	LastVerify *lastVerify `json:"lastVerify,omitempty"` // nil: never, or the disk does not answer

	At         time.Time      `json:"at"` // when this is so
	Version    string         `json:"version"`
	PID        int            `json:"pid"`
	Address    string         `json:"address"` // that the proxy listens on
	Collection string         `json:"collection"`
	Dir        collection.Dir `json:"dir"` // of the collection
	// the SHA-256 of the certificate that clients have to trust, in hexadecimal
	Authority string `json:"authority"`
}

// pause is whether exchanges pass unrecorded, as /pause and /resume answer too.
type pause struct {
	Paused bool       `json:"paused"`
	Since  *time.Time `json:"pausedSince,omitempty"`
}

func (s *serving) status() status {
	all := status{
		Status: s.rec.Status(), pause: s.pause(), Completions: s.proxy.Completions(),
		LogDropped: s.out.Dropped(), At: time.Now(), Version: version, PID: os.Getpid(), Address: s.address,
		Collection: s.dir.Name(), Dir: s.dir, LastVerify: s.verified.now(),
		Preview: s.preview.address(), Debug: s.debug.address(), Upload: s.uploadState(),
		Authority: fmt.Sprintf("%x", sha256.Sum256(s.now().authority.DER())), Push: s.feeds.States(),
	}
	if s.second != nil {
		report := s.second.report()
		now := s.second.replayed(&report)
		all.Replay = &now
	}
	all.Recording = all.Recording && !all.Paused
	return all
}

// state is what /status shows. Its code is of the moment of its body: a disk may fill between two
// looks.
func (s *serving) state() (any, bool) {
	now := s.status()
	return now, now.Recording || now.Paused
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
