package eventstream

import (
	"bytes"
	"net/http"
	"sync"
	"time"

	"warcorder/recorder/feed"
)

const (
	// batchSize is how much JSON is sent at once, and what the last event has beyond.
	batchSize = 64 << 10

	// markEvery is how many events may pass a reader who wants none of them, before the reader is told
	// the ID of the last: to begin anew behind an old one could miss what nobody wanted.
	markEvery = 4096

	// what a stream keeps for its next batch
	keptEvents = 64
	keptBytes  = 2 * batchSize
)

// stream is one answer.
type stream struct {
	*Page
	w      http.ResponseWriter
	to     *http.ResponseController
	reader *feed.Reader
	wanted filter
	gone   <-chan struct{} // closed when nobody listens any more

	events []feed.Numbered
	out    bytes.Buffer
	sent   feed.ID // that the reader has been told last
	passed int     // events since then
	beats  *time.Timer

	deadline sync.Mutex // held while that of writes is set
}

// run sends events until nobody listens, or none come any more.
func (s *stream) run() {
	s.to.SetReadDeadline(time.Time{}) // that of the request would end the watching for the client
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-s.ended:
			s.hurry() // a write that has begun, too
		case <-done:
		}
	}()
	s.beats = time.NewTimer(s.beat)
	defer s.beats.Stop()
	s.out.WriteString("retry: 1000\n")
	s.mark() // who is cut before the first event goes on from here
	for s.flush() && s.pass() && !s.isEnded() && s.wait() {
	}
	if s.isEnded() && s.pass() { // all that there is
		s.flush()
	}
}

// pass sends all events that there are, and reports whether they were taken.
func (s *stream) pass() bool {
	for {
		s.events = s.reader.Next(s.events[:0])
		if len(s.events) == 0 {
			return true
		}
		for i := range s.events {
			if !s.event(&s.events[i]) {
				return false
			}
		}
		clear(s.events)
		if cap(s.events) > keptEvents {
			s.events = nil
		}
		if s.passed >= markEvery {
			s.mark()
		}
		if !s.flush() {
			return false
		}
	}
}

// event sends one event, if it is wanted, with those that follow; it reports whether what was to be
// sent before was taken.
func (s *stream) event(e *feed.Numbered) bool {
	s.passed++
	if !s.wanted.has(&e.Event) {
		return true
	}
	appendMessage(&s.out, e)
	s.sent, s.passed = e.ID, 0
	return s.out.Len() < batchSize || s.flush()
}

// mark tells the reader up to where it has all that it wants: an ID without data, which is no event.
func (s *stream) mark() {
	if at := s.reader.At(); at != s.sent {
		s.out.WriteString("id: " + string(at) + "\n")
		s.sent, s.passed = at, 0
	}
	s.out.WriteByte('\n')
}

// flush sends what is in out, and reports whether it was taken.
func (s *stream) flush() bool {
	if s.out.Len() == 0 {
		return true
	}
	s.hurry()
	_, err := s.w.Write(s.out.Bytes())
	if err == nil {
		err = s.to.Flush()
	}
	s.out.Reset()
	if s.out.Cap() > keptBytes {
		s.out = bytes.Buffer{}
	}
	s.beats.Reset(s.beat)
	return err == nil
}

// hurry says until when what is sent must be taken.
func (s *stream) hurry() {
	s.deadline.Lock()
	defer s.deadline.Unlock()
	until := time.Now().Add(s.patience)
	if s.isEnded() {
		until = s.endBy
	}
	s.to.SetWriteDeadline(until)
}

// wait returns when there may be something to send, and false if nobody listens any more.
func (s *stream) wait() bool {
	select {
	case <-time.After(s.every): // what comes meanwhile is sent at once
	case <-s.ended:
		return true
	case <-s.gone:
		return false
	}
	select {
	case <-s.reader.More():
	case <-s.ended:
	case <-s.beats.C:
		s.out.WriteString(": \n")
		s.mark()
	case <-s.gone:
		return false
	}
	return true
}
