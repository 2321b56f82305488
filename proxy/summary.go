package proxy

import (
	"sync"
	"time"
)

// summaryEvery is how often there is a summary, while there is something to tell.
const summaryEvery = time.Second

// summary passes on the first of many like things at once, and then once a second how many there
// were.
type summary struct {
	tell func(last string, n int64)

	mu    sync.Mutex
	last  string
	n     int64
	all   int64       // since the start
	timer *time.Timer // nil while it has been quiet
}

// add notes one more.
func (s *summary) add(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all++
	if s.timer == nil {
		s.timer = time.AfterFunc(summaryEvery, s.flush)
		s.tell(what, 1)
		return
	}
	s.last = what
	s.n++
}

// number is how many there have been.
func (s *summary) number() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// flush tells what has come since the last time; when nothing has, the next one is the first again.
func (s *summary) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer == nil {
		return
	}
	if s.n == 0 {
		s.timer = nil
		return
	}
	s.tell(s.last, s.n)
	s.n = 0
	s.timer.Reset(summaryEvery)
}

// close tells what is left to tell.
func (s *summary) close() {
	s.flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
}
