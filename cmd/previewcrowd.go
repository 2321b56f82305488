package cmd

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// mostSilent is how many connections may be open that ask for nothing, or have not said all of it.
const mostSilent = 64

// crowd are the connections that ask for nothing at the moment. Anybody may connect to where images are
// shown, so that places alone would be taken by who says nothing: beyond mostSilent the one that has
// been silent the longest goes. A browser comes again where it still wants something.
type crowd struct {
	mu     sync.Mutex
	silent list.List // of net.Conn, the oldest first
	at     map[net.Conn]*list.Element
}

// state is told what a connection is about to do.
func (c *crowd) state(conn net.Conn, is http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if was := c.at[conn]; was != nil {
		c.silent.Remove(was)
		delete(c.at, conn)
	}
	if is != http.StateNew && is != http.StateIdle {
		return
	}
	if c.at == nil {
		c.at = map[net.Conn]*list.Element{}
	}
	c.at[conn] = c.silent.PushBack(conn)
	if c.silent.Len() <= mostSilent {
		return
	}
	oldest := c.silent.Remove(c.silent.Front()).(net.Conn)
	delete(c.at, oldest)
	oldest.Close()
}
