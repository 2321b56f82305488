package jobs

import (
	"bytes"
	"strings"
	"sync"
)

// How much is kept of what a process says, and how long one line may be: of a longer one its
// beginning is kept, with … behind it.
const (
	mostLines = 200
	mostBytes = 64 << 10
	longest   = 1000
)

// said keeps the last lines of what is written to it.
type said struct {
	mu      sync.Mutex
	lines   []string
	bytes   int
	leftOut int
	open    []byte // of the line that has no end yet
	cut     bool   // that line is longer
}

// Write takes a piece of the output. It never fails.
func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(b)
	for {
		line, rest, ended := bytes.Cut(b, []byte("\n"))
		kept := line[:min(len(line), longest-len(s.open))]
		s.open, s.cut = append(s.open, kept...), s.cut || len(bytes.TrimRight(line[len(kept):], "\r")) > 0
		if !ended {
			return n, nil
		}
		s.endLine()
		b = rest
	}
}

// end ends a last line that has none.
func (s *said) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) > 0 {
		s.endLine()
	}
}

func (s *said) endLine() {
	line := strings.ToValidUTF8(strings.TrimRight(string(s.open), "\r"), "\uFFFD")
	if s.cut {
		line += "…"
	}
	s.open, s.cut = s.open[:0], false
	s.lines = append(s.lines, line)
	s.bytes += len(line)
	for len(s.lines) > mostLines || s.bytes > mostBytes {
		s.bytes -= len(s.lines[0])
		s.lines = s.lines[1:]
		s.leftOut++
	}
}

// last returns the last lines, and how many were before them.
func (s *said) last() (lines []string, leftOut int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.lines...), s.leftOut
}

// drop lets go of the lines that do not stay.
func (s *said) drop(stays func(line string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var kept []string
	s.bytes = 0
	for _, line := range s.lines {
		if !stays(line) {
			s.leftOut++
			continue
		}
		kept, s.bytes = append(kept, line), s.bytes+len(line)
	}
	s.lines = kept
}
