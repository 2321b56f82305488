package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
)

// breakOff is a client that takes the origin's own certificate only, as libraries do that.
var breaksOff = map[string]func(t *testing.T, conn net.Conn, host string){
	"by an alert": func(t *testing.T, conn net.Conn, host string) {
		tls.Client(conn, &tls.Config{ServerName: host, RootCAs: x509.NewCertPool(),
			NextProtos: []string{"http/1.1"}}).Handshake()
	},
	"behind the handshake": func(t *testing.T, conn net.Conn, host string) {
		pinning := tls.Client(conn, &tls.Config{ServerName: host, InsecureSkipVerify: true,
			NextProtos: []string{"http/1.1"}})
		if err := pinning.Handshake(); err != nil {
			t.Error(err)
		}
		pinning.Close()
	},
}

// TestTunnelIsSuggested: a client for which one host works, and which breaks off with another three
// times, is one line of the log; and nothing passes untouched by that.
func TestTunnelIsSuggested(t *testing.T) {
	for how, breakOff := range breaksOff {
		for target, want := range map[string]string{
			"pinned.example:443": "pinned.example",
			"192.0.2.1:443":      "sni.example", // by an address, and the name in the hello
		} {
			t.Run(how+" "+target, func(t *testing.T) {
				h := newHouse(t, config())
				o := newOrigin(t, true, answering)
				breaks := func() {
					name, _, _ := net.SplitHostPort(target)
					if name != want {
						name = want
					}
					p := h.tunnel(target, false)
					breakOff(t, p.conn, name)
					p.conn.Close()
					h.untilClients(0)
				}
				wantAnswer(t, h.tunnel(o.address, true).conn)
				h.untilClients(0)
				breaks()
				breaks()
				if n := h.suggestions(); n != 0 {
					t.Errorf("%d suggestions after two", n)
				}
				breaks()
				if !strings.Contains(h.log.String(), `"do":"tunnel: [`+want+`]"`) {
					t.Errorf("after three: %s", h.log)
				}
				for range 5 {
					breaks()
				}
				if n := h.suggestions(); n != 1 {
					t.Errorf("%d suggestions", n)
				}
			})
		}
	}
}

// TestSpareConnectionIsNoGap: a client that hangs up within its handshake with a host that works for
// it, before or after, has asked for nothing; with another host it may have wanted to.
func TestSpareConnectionIsNoGap(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, true, answering)
	works := func(target string) {
		wantAnswer(t, h.tunnel(target, true).conn)
		h.untilClients(0)
	}
	h.hangUp("first.example:443")
	works(o.at("localhost"))
	h.hangUp(o.at("localhost"))
	h.hangUp(o.at("127.0.0.1"))
	h.hangUp("other.example:443")
	works(o.at("127.0.0.1"))
	h.wantRefused("first.example:443", "other.example:443")
}

// TestHungUpInAPause: what is dropped in a pause is in no list, though that ends before it is known that
// nothing comes of it, and what is dropped before is.
func TestHungUpInAPause(t *testing.T) {
	h := newHouse(t, config())
	h.hangUp("before.example:443")
	h.proxy.Pause()
	h.hangUp("within.example:443")
	h.proxy.Resume()
	h.hangUp("behind.example:443")
	h.proxy.Pause()
	h.wantRefused("before.example:443", "behind.example:443")
}

// hangUp ends a connection in the middle of its handshake.
func (h *house) hangUp(target string) {
	h.t.Helper()
	host, _, _ := net.SplitHostPort(target)
	p := h.tunnel(target, false)
	conn := tls.Client(&halfWay{Conn: p.conn}, &tls.Config{ServerName: host,
		InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	if err := conn.Handshake(); err == nil {
		h.t.Error("a handshake without its end")
	}
	p.conn.Close()
	h.untilClients(0)
}

// wantRefused ends the proxy, so that nothing comes any more that could work, and wants these gaps.
func (h *house) wantRefused(places ...string) {
	h.t.Helper()
	h.proxy.Shutdown(h.t.Context())
	var got []string
	for _, g := range h.gaps() {
		if got = append(got, g.URL); g.Reason != recorder.GapRefused {
			h.t.Errorf("%+v", g)
		}
	}
	slices.Sort(got)
	slices.Sort(places)
	if !slices.Equal(got, places) {
		h.t.Errorf("gaps of %v, want %v; log: %s", got, places, h.log)
	}
}

// halfWay sends the hello, and gives up when it is to send more.
type halfWay struct {
	net.Conn
	sent bool
}

func (c *halfWay) Write(b []byte) (int, error) {
	if c.sent {
		return 0, io.ErrClosedPipe
	}
	c.sent = true
	return c.Conn.Write(b)
}

func (h *house) suggestions() int { return strings.Count(h.log.String(), "breaks off every") }

// TestTunnelIsNotSuggested: to a client that trusts us nowhere, which lacks the root; nor for a
// host that has worked for the client; nor for three hosts with one break each.
func TestTunnelIsNotSuggested(t *testing.T) {
	for how, breakOff := range breaksOff {
		t.Run(how, func(t *testing.T) {
			h := newHouse(t, config())
			o := newOrigin(t, true, answering)
			breaks := func(target string) {
				host, _, _ := net.SplitHostPort(target)
				p := h.tunnel(target, false)
				breakOff(t, p.conn, host)
				p.conn.Close()
				h.untilClients(0)
			}
			for range 5 {
				breaks("nowhere.example:443")
			}
			wantAnswer(t, h.tunnel(o.at("localhost"), true).conn)
			h.untilClients(0)
			for range 5 {
				breaks(o.at("localhost"))
			}
			for i := range 3 {
				breaks(fmt.Sprintf("host%d.example:443", i))
			}
			if n := h.suggestions(); n != 0 {
				t.Errorf("%d suggestions: %s", n, h.log)
			}
		})
	}
}

// TestWhatIsABreak: what comes late is a browser's that did not need the connection.
func TestWhatIsABreak(t *testing.T) {
	alert := &net.OpError{Op: "remote error", Err: tls.AlertError(46)}
	for _, c := range []struct {
		err  error
		age  time.Duration
		want bool
	}{
		{io.EOF, promptly - 1, true},
		{io.EOF, promptly, false},
		{alert, time.Minute, true},
		{errors.New("timeout"), 0, false},
	} {
		if got := isBreak(c.err, c.age); got != c.want {
			t.Errorf("%v after %v: %t", c.err, c.age, got)
		}
	}
}

// TestPinnedIsBounded: a page may name as many hosts as it likes.
func TestPinnedIsBounded(t *testing.T) {
	p := newPinned()
	for i := range 20_000 {
		at := clientAt{host: fmt.Sprint(i)}
		p.worked(clientAt{host: fmt.Sprint("w", i)})
		for range pinnedAfter {
			p.broke(at, true)
		}
	}
	if b, w, s := p.broken.Len(), p.working.Len(), p.told.told.Len(); b > maxBroken ||
		w > maxWorking || s > seldomHosts {
		t.Errorf("%d, %d and %d are remembered", b, w, s)
	}
}
