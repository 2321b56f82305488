package proxy

import (
	"net"
	"testing"

	"warcorder/recorder"
)

// TestMeasuresOfExchanges: what becomes of an exchange is counted once, and each connection to an
// origin, too.
func TestMeasuresOfExchanges(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		cfg := config()
		cfg.NoRecord.Hosts = []string{"localhost"}
		h := newHouse(t, cfg)
		o := newOrigin(t, secure, each(numbered(1)))
		_, port, _ := net.SplitHostPort(o.address)
		ask := func(host string, times int) {
			to := &originServer{address: net.JoinHostPort(host, port)}
			client, prefix := h.to(to, secure)
			for range times {
				client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a"))
				client.readN(len(numbered(1)))
			}
			h.untilIdle(1)
			client.conn.Close()
			h.untilClients(0)
			h.proxy.current().upstreams.forgetIdle()
		}
		ask("127.0.0.1", 2)
		ask("localhost", 3)
		h.proxy.Pause()
		ask("127.0.0.1", 4)
		ask("localhost", 1) // which would not be recorded either
		h.proxy.Resume()
		m := h.proxy.Measures()
		if m.NoRecord != 4 || m.Paused != 4 || m.Unsent != 0 || m.Dialled != 4 || m.DialFailed != 0 ||
			m.Origins != 0 || m.Idle != 0 || m.Came != 4 {
			t.Errorf("%+v", m)
		}
		if gaps := h.rec.Status().Gaps[recorder.GapUnrecorded]; gaps != m.NoRecord+m.Paused {
			t.Errorf("%d gaps", gaps)
		}
	})
}

// TestMeasuresOfUnsent: what an origin does not answer whose port is closed was never sent, is no record,
// and a dial that failed.
func TestMeasuresOfUnsent(t *testing.T) {
	h := newHouse(t, config())
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	client := h.dial()
	for range 3 {
		client.send(text("GET http://"+closed.Addr().String()+"/ HTTP/1.1", "Host: a"))
		client.readN(contentLength(t, client.readHead()))
	}
	m := h.proxy.Measures()
	if m.Unsent != 3 || m.DialFailed != 3 || m.Dialled != 0 || m.Clients != 1 ||
		m.ClientsLimit != h.proxy.current().cfg.MaxConnections || m.CompletionsLimit != 1000 {
		t.Errorf("%+v", m)
	}
}

// TestMeasuresOfOrigins: a connection in use and one that waits are both open, and one of them idles.
func TestMeasuresOfOrigins(t *testing.T) {
	h := newHouse(t, config())
	asked, release := make(chan struct{}), make(chan struct{})
	slow := newOrigin(t, false, func(o *peer) { o.readHead(); asked <- struct{}{}; <-release; o.send(numbered(1)) })
	quick := newOrigin(t, false, each(numbered(1)))
	client := h.dial()
	client.send(text("GET http://"+quick.address+"/ HTTP/1.1", "Host: a"))
	client.readN(len(numbered(1)))
	h.untilIdle(1)
	client.send(text("GET http://"+slow.address+"/ HTTP/1.1", "Host: a"))
	<-asked
	if m := h.proxy.Measures(); m.Origins != 2 || m.Idle != 1 || m.Dialled != 2 {
		t.Errorf("%+v", m)
	}
	close(release)
	client.readN(len(numbered(1)))
}

// TestMeasuresOfRefused: each connection that is not taken is counted under its reason, however many
// lines the log has of them, and so are those that make room.
func TestMeasuresOfRefused(t *testing.T) {
	const flood = 20
	for _, c := range []struct {
		name string
		cfg  Config
		do   func(h *house, o *originServer)
		want Measures
	}{
		{"strangers", clientsOnly(t), func(h *house, o *originServer) {
			for range flood {
				client := h.dialFrom(stranger)
				client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
				client.readAll()
			}
		}, Measures{Strangers: flood}},
		{"no room", crowded(1), func(h *house, o *originServer) {
			busy := h.dial()
			busy.send(text("GET http://"+o.address+"/slow HTTP/1.1", "Host: a"))
			until(h.t, "it is served", func() bool { return len(o.connections()) == 1 })
			for range flood {
				h.dial().readAll()
			}
		}, Measures{TurnedAway: flood, Came: 1}},
		{"who waits makes room", crowded(1), func(h *house, o *originServer) {
			for i := range flood {
				h.dial()
				until(h.t, "it has come", func() bool { return h.proxy.Measures().Came == int64(i+1) })
				h.untilWaiting(1)
			}
		}, Measures{Came: flood, MadeRoom: flood - 1}},
		{"wrong passwords", asking(t, "anna:secret"), func(h *house, o *originServer) {
			client := h.dial()
			for range flood {
				client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", shows("anna:wrong")))
				client.readN(contentLength(h.t, client.readHead()))
			}
		}, Measures{Came: 1, WrongPasswords: flood}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, c.cfg)
			release := make(chan struct{})
			o := newOrigin(t, false, func(o *peer) { o.readHead(); <-release; o.send(numbered(1)) })
			c.do(h, o)
			m := h.proxy.Measures()
			close(release)
			got := Measures{Came: m.Came, MadeRoom: m.MadeRoom, TurnedAway: m.TurnedAway,
				Strangers: m.Strangers, NotAccepted: m.NotAccepted, WrongPasswords: m.WrongPasswords,
				UncheckedPasswords: m.UncheckedPasswords}
			if got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// TestMeasuresOfNotAccepted: a connection that the system cannot give us is counted.
func TestMeasuresOfNotAccepted(t *testing.T) {
	ln := newShortOfDescriptors(t, 3)
	h := newHouseAt(t, config(), recorderConfig, ln)
	o := newOrigin(t, false, each(numbered(1)))
	client := h.dial()
	client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
	client.readN(len(numbered(1)))
	if m := h.proxy.Measures(); m.NotAccepted != 3 {
		t.Errorf("%+v", m)
	}
}

// TestMeasuresOfCompletions: they are those of Completions.
func TestMeasuresOfCompletions(t *testing.T) {
	h := newHouse(t, hasty())
	o := newLibrary(t, false, film)
	h.fetch(o.originServer, false, "/film.mp4", "Range: bytes=3-5")
	h.untilCompleted(1, 0)
	if m := h.proxy.Measures(); m.Completions != (Completions{Whole: 1}) || m.Unsent != 0 {
		t.Errorf("%+v", m)
	}
}
