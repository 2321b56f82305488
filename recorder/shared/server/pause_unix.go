//go:build unix

package server

import "golang.org/x/sys/unix"

// Pause lets it answer nothing until Resume.
func (s *Server) Pause()  { s.signal(unix.SIGSTOP) }
func (s *Server) Resume() { s.signal(unix.SIGCONT) }

func (s *Server) signal(which unix.Signal) {
	s.t.Helper()
	if err := s.run.Process.Signal(which); err != nil {
		s.t.Fatal(err)
	}
}
