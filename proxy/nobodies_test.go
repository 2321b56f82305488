package proxy

import (
	"strings"
	"testing"
)

// TestNobodiesMakeRoom: connections that have shown nothing, and send their requests slowly, keep no
// user out: the one that has been there longest makes room. Who has shown something stays.
func TestNobodiesMakeRoom(t *testing.T) {
	cfg := asking(t, "anna:secret")
	cfg.MaxConnections = 4
	h := newHouse(t, cfg)
	asked, release := make(chan struct{}), make(chan struct{})
	o := newOrigin(t, false, func(o *peer) {
		for o.readHead() != "" {
			asked <- struct{}{}
			<-release
			o.send(numbered(1))
		}
	})
	busy := h.dial()
	busy.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", shows("anna:secret")))
	<-asked
	var slow []*peer
	for i, sent := range []string{"GET http://", "CONNECT a:1 HTTP/1.1\r\n", "GET /status HTTP/1.1\r\n"} {
		slow = append(slow, h.dial())
		slow[i].send(sent)
		h.untilWaiting(i + 1)
	}
	slow[0].send("a/ HTTP/1.1\r\n\r\n") // to be told to log in makes nobody younger
	wantFault(t, slow[0].readHead(), "407", "")
	next := h.dial()
	next.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", shows("anna:secret")))
	<-asked
	slow[0].readAll() // ends
	again := h.tunnelAs(o.address, false, shows("anna:secret"))
	again.send(text("GET / HTTP/1.1", "Host: a"))
	<-asked
	if got := slow[1].readAll(); got != "" {
		t.Errorf("the second one got %q", got)
	}
	close(release)
	for _, client := range []*peer{busy, next, again} {
		if got := client.readN(len(numbered(1))); got != numbered(1) {
			t.Errorf("a user got %q", got)
		}
		client.conn.Close()
	}
	slow[2].send("Host: a\r\n\r\n")
	wantFault(t, slow[2].readAll(), "200", "admin /status")
	h.untilClients(0)
	h.untilStrangers(0)
}

// TestNobodiesOnOwnPages: who has shown nothing finds as many places at the proxy's own pages as a
// stranger does, and keeps no user out who comes to them or goes elsewhere.
func TestNobodiesOnOwnPages(t *testing.T) {
	h := newHouse(t, asking(t, "anna:secret"))
	o := newOrigin(t, false, each(numbered(1)))
	spare := h.spare()
	slow := text("POST /x HTTP/1.1", "Host: a", "Content-Length: 10") + "1"
	var held []*peer
	for range strangerPlaces {
		client := h.dial()
		client.send(slow)
		held = append(held, client)
	}
	h.untilStrangers(strangerPlaces)
	more := h.dial()
	more.send(text("GET /status HTTP/1.1", "Host: a"))
	wantFault(t, more.readAll(), "503", "")
	user := h.dial()
	user.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", shows("anna:secret")) +
		text("GET /status HTTP/1.1", "Host: a"))
	user.readN(len(numbered(1)))
	wantFault(t, user.readAll(), "200", "admin /status")
	for _, client := range held {
		client.conn.Close()
	}
	h.untilStrangers(0)
	h.untilClients(0)
	if h.spare() != spare {
		t.Errorf("%d descriptors are left, want %d", h.spare(), spare)
	}
}

// TestNobodiesTakeNoMemory: large heads of those who have shown nothing take what there is for such
// heads, and nothing of what is for tunnels and answers.
func TestNobodiesTakeNoMemory(t *testing.T) {
	cfg := asking(t, "anna:secret")
	cfg.MaxHeaderSize, cfg.MaxHeaderMemory = 128<<10, 1<<20
	h := newHouse(t, cfg)
	o := newOrigin(t, false, each(numbered(1)))
	whole := h.proxy.memory.left.Load()
	if all := whole + h.proxy.login.memory.left.Load(); all != cfg.MaxHeaderMemory {
		t.Errorf("heads may take %d together, want %d", all, cfg.MaxHeaderMemory)
	}
	large := "X: " + strings.Repeat("x", 100<<10)
	for range 10 {
		h.dial().send("GET http://a/ HTTP/1.1\r\n" + large)
	}
	until(t, "heads take what there is for them", func() bool {
		return h.proxy.login.memory.left.Load() < 128<<10
	})
	if left := h.proxy.memory.left.Load(); left != whole {
		t.Errorf("%d are left for others, want %d", left, whole)
	}
	client := h.tunnelAs(o.address, false, shows("anna:secret"))
	client.send(text("GET / HTTP/1.1", "Host: a", large))
	if got := client.readN(len(numbered(1))); got != numbered(1) {
		t.Errorf("a user got %q", got)
	}
}
