package uploading

import (
	"os"
	"sync"
	"time"
)

// State is how the upload of a collection goes, for people and monitors. No disk is asked for it.
type State struct {
	Waiting      int   `json:"waiting"` // files that are finished, and not there
	WaitingBytes int64 `json:"waitingBytes"`
	Stored       int   `json:"stored"` // files that are here and there
	StoredBytes  int64 `json:"storedBytes"`
	Away         int   `json:"away"` // files that are only there
	AwayBytes    int64 `json:"awayBytes"`
	Stale        int   `json:"stale"` // objects that are not what the file is any more

	// When the oldest file was finished that waits; zero if none does.
	Oldest time.Time `json:"oldest,omitzero"`

	Sending  string `json:"sending,omitempty"` // the file that is sent now
	Sent     int64  `json:"sent"`              // bytes that were sent, and verified, since the start
	Failed   int64  `json:"failed"`            // how often something failed since the start
	LastText string `json:"lastError,omitempty"`

	LastUploaded time.Time `json:"lastUploaded,omitzero"`

	// Since when nothing can be sent; zero if that is not so.
	Since time.Time `json:"since,omitzero"`
}

// state is the State, as it is changed.
type state struct {
	mu  sync.Mutex
	now State
	at  Progress
}

// State tells how it goes.
func (u *Uploader) State() State {
	u.state.mu.Lock()
	defer u.state.mu.Unlock()
	return u.state.now
}

// Sending is how far the round has come that goes on.
func (u *Uploader) Sending() Progress {
	u.state.mu.Lock()
	defer u.state.mu.Unlock()
	return u.state.at
}

func (s *state) sends(at *Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.now.Sending = *at, at.File
}

// stored notes that a file is there.
func (s *state) stored(bytes int64, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Sent += bytes
	s.now.LastUploaded = at
	s.now.Since = time.Time{}
}

// after notes how a round has gone.
func (s *state) after(done *Done, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.now.Sending = Progress{}, ""
	s.now.Failed += int64(len(done.Failed))
	if n := len(done.Failed); n > 0 {
		s.now.LastText = done.Failed[n-1].Why
	}
	if err == nil {
		s.now.Since = time.Time{}
		if len(done.Failed) == 0 {
			s.now.LastText = ""
		}
		return
	}
	s.now.LastText = err.Error()
	if len(done.Failed) == 0 {
		s.now.Failed++
	}
	if s.now.Since.IsZero() {
		s.now.Since = time.Now()
	}
}

// count counts the files by their state.
func (r *round) count() {
	all, err := r.index.Files()
	if err != nil {
		return
	}
	_, stale, _ := r.dir.Away()
	var now State
	for i := range all {
		f := &all[i]
		switch {
		case isWanted(f):
			if now.Waiting++; now.Waiting == 1 {
				if info, err := os.Stat(r.dir.WARC(f.Name)); err == nil {
					now.Oldest = info.ModTime()
				}
			}
			now.WaitingBytes += f.Committed
		case f.IsAway():
			now.Away++
			now.AwayBytes += f.Committed
		case f.Remote != nil:
			now.Stored++
			now.StoredBytes += f.Committed
		}
	}
	now.Stale = len(stale)
	r.state.counted(&now)
}

// counted takes over how many files there are.
func (s *state) counted(now *State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now.Sending, now.Sent, now.Failed, now.LastText = s.now.Sending, s.now.Sent, s.now.Failed, s.now.LastText
	now.LastUploaded, now.Since = s.now.LastUploaded, s.now.Since
	s.now = *now
}
