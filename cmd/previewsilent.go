package cmd

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// mostSilent is how many connections may be open that ask for nothing, or have not said all of it.
const mostSilent = 64

// silentConns are the connections that ask for nothing at the moment. Anybody may connect to where
// images are shown, so that places alone would be taken by who says nothing: beyond mostSilent the one
// that has been silent the longest goes. A browser comes again where it still wants something.
type silentConns struct {
	mu  sync.Mutex
	all list.List // of net.Conn, the oldest first
	at  map[net.Conn]*list.Element
}

// state is told what a connection is about to do.
func (s *silentConns) state(conn net.Conn, is http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was := s.at[conn]; was != nil {
		s.all.Remove(was)
		delete(s.at, conn)
	}
	if is != http.StateNew && is != http.StateIdle {
		return
	}
	if s.at == nil {
		s.at = map[net.Conn]*list.Element{}
	}
	s.at[conn] = s.all.PushBack(conn)
	if s.all.Len() <= mostSilent {
		return
	}
	oldest := s.all.Remove(s.all.Front()).(net.Conn)
	delete(s.at, oldest)
	oldest.Close()
}
