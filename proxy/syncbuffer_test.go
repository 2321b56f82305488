package proxy

import (
	"bytes"
	"sync"
)

// syncBuffer is a log that several goroutines write and the test reads.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// forget lets go of what was written.
func (s *syncBuffer) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = bytes.Buffer{}
}
