package cmd

import (
	"os"
	"slices"
	"time"

	"warcorder/recorder"
	"warcorder/recorder/tally"
	"warcorder/store"
	"warcorder/store/collection"
)

// overview is what the page of the overview shows. It is made once a second at most, however many
// look, and nothing of it walks the index.
type overview struct {
	At             time.Time        `json:"at"`
	tally.Snapshot                  // of it all but gaps
	Gaps           map[string]int64 `json:"gaps"` // of the collection, by reason
	Totals         recorder.Totals  `json:"totals"`
	Run            overviewRun      `json:"run"`
	Queue          overviewQueue    `json:"queue"`
	Disk           recorder.Disk    `json:"disk"`
	Files          []overviewFile   `json:"files"` // the newest first
	MoreFiles      int              `json:"moreFiles"`
	Verify         *lastVerify      `json:"verify"` // null: never
	Recorder       overviewRecorder `json:"recorder"`
}

// overviewRun is what was recorded since the start.
type overviewRun struct {
	Exchanges int64            `json:"exchanges"`
	Captures  int64            `json:"captures"`
	Revisits  int64            `json:"revisits"`
	Bytes     int64            `json:"bytes"`
	Lost      int64            `json:"lost"`
	Gaps      map[string]int64 `json:"gaps"`
	Rates     recorder.Rates   `json:"rates"`
}

// overviewQueue is what is not recorded yet.
type overviewQueue struct {
	InFlight int64 `json:"inFlight"`
	Queued   int64 `json:"queuedBytes"`
	Large    int64 `json:"large"` // exchanges in spill/
}

// overviewRecorder is who records.
type overviewRecorder struct {
	Version    string         `json:"version"`
	PID        int            `json:"pid"`
	Started    time.Time      `json:"started"`
	Address    string         `json:"address"`
	Collection string         `json:"collection"`
	Dir        collection.Dir `json:"dir"`
	Recording  bool           `json:"recording"`
	Reason     string         `json:"reason,omitempty"` // why it is off
	Paused     bool           `json:"paused"`
	Since      *time.Time     `json:"since,omitempty"` // it is paused
}

// overviewFile is a WARC file.
type overviewFile struct {
	Name    string `json:"name"`
	State   string `json:"state"`   // fileStates
	Size    int64  `json:"size"`    // bytes on disk
	Indexed int64  `json:"indexed"` // bytes of which the captures are in the index
}

// The states of a file, as people read them.
const (
	fileOpen     = "open"
	fileFinished = "finished"
	fileAway     = "away"
	fileMissing  = "missing"
	fileReduced  = "removed in part"
)

// mostOverviewFiles is how many files are told of; of others how many there are.
const mostOverviewFiles = 200

// mostDrawn is how many types and hosts are told apart.
const mostDrawn = 20

// overview makes the overview.
func (s *serving) overview() *overview {
	now := s.status()
	o := overview{
		At: now.At, Snapshot: s.rec.Tally().Snapshot(now.At, mostDrawn),
		Gaps: now.Totals.Gaps, Totals: now.Totals, Disk: now.Disk,
		Run: overviewRun{now.Exchanges, now.Captures, now.Revisits, now.Bytes, now.Lost, now.Status.Gaps,
			now.Rates},
		Queue:  overviewQueue{now.InFlight, now.Queued, now.Large},
		Verify: now.LastVerify,
		Recorder: overviewRecorder{now.Version, now.PID, now.Started, now.Address, now.Collection,
			now.Dir, now.Recording, now.Reason, now.Paused, now.Since},
	}
	files, all := s.rec.NewestFiles(mostOverviewFiles)
	o.Files, o.MoreFiles = make([]overviewFile, 0, len(files)), all-len(files)
	for i := range files {
		o.Files = append(o.Files, s.overviewFile(&files[i], now.OpenFiles))
	}
	return &o
}

// overviewFile tells of a file. The disk is asked for the size of those that are being written alone.
func (s *serving) overviewFile(f *store.File, open []string) overviewFile {
	told := overviewFile{f.Name, fileFinished, f.Committed, f.Committed}
	switch {
	case f.IsAway():
		told.State = fileAway
	case f.Missing:
		told.State = fileMissing
	case f.Reduced:
		told.State = fileReduced
	case slices.Contains(open, f.Name) || !f.Sealed:
		told.State = fileOpen
		if info, err := os.Lstat(s.dir.OpenWARC(f.Name)); err == nil {
			told.Size = max(told.Size, info.Size())
		}
	}
	return told
}
