package proxy

import (
	"errors"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestMethodLikeAProxyField: the request line is no field, whatever its method looks like. Were it
// left out, the next line would be the request to the origin, and the record would tell of another.
func TestMethodLikeAProxyField(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		served := make(chan *peer, 1)
		o := newOrigin(t, secure, func(o *peer) {
			o.readHead()
			o.send(numbered(1))
			served <- o
			o.readAll()
		})
		client, prefix := h.to(o, secure)
		client.send(text("PROXY-CONNECTION: "+prefix+"/asked HTTP/1.1", "Proxy-Connection: close"))
		wantFault(t, client.readAll(), "400", "token")
		client, prefix = h.to(o, secure)
		client.send(
			text("PROXY-GET "+prefix+"/asked HTTP/1.1", "GET /hidden HTTP/1.1", "Proxy-Connection: close"))
		client.readUntil(len(numbered(1)))
		want := text("PROXY-GET /asked HTTP/1.1", "GET /hidden HTTP/1.1", "Connection: close")
		if got := (<-served).seen.String(); got != want {
			t.Errorf("the origin saw %q, want %q", got, want)
		}
		all := h.records()
		o.close()
		if got := string(of(all, "request")[0].block); got != want {
			t.Errorf("the record holds %q, want %q", got, want)
		}
	})
}

// TestBodyOfA205: browsers look for no body behind a 205. On a connection that leads to any origin,
// what one sends as such a body would be taken for the answer of another that is asked meanwhile.
func TestBodyOfA205(t *testing.T) {
	forged := text("HTTP/1.1 200 OK", "Content-Length: 6") + "forged"
	for name, c := range map[string]struct {
		answer  string
		refused bool
	}{
		"sized":         {text("HTTP/1.1 205 Reset Content", "Content-Length: 44"), true},
		"chunked":       {text("HTTP/1.1 205 Reset Content", "Transfer-Encoding: chunked") + "2c\r\n", true},
		"neither":       {text("HTTP/1.1 205 Reset Content"), false},
		"other coding":  {text("HTTP/1.1 205 Reset Content", "Transfer-Encoding: identity"), false},
		"none, and yet": {text("HTTP/1.1 205 Reset Content", "Content-Length: 0"), false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, config())
			o := newOrigin(t, false, func(o *peer) {
				o.readHead()
				o.send(c.answer + forged)
				o.readAll()
			})
			client := h.dial()
			client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
			got := client.readAll()
			if c.refused {
				wantFault(t, got, "502", "a 205 with a body")
			} else if got != c.answer {
				t.Errorf("the client got %q, want %q", got, c.answer)
			}
			if strings.Contains(got, "forged") {
				t.Errorf("the body came: %q", got)
			}
		})
	}
}

// TestBodyOfA205InATunnel passes as it came: only the origin's own answers follow there.
func TestBodyOfA205InATunnel(t *testing.T) {
	h := newHouse(t, config())
	answer := text("HTTP/1.1 205 Reset Content", "Content-Length: 4") + "body"
	o := newOrigin(t, true, func(o *peer) {
		o.readHead()
		o.send(answer)
		o.readAll()
	})
	client, _ := h.to(o, true)
	client.send(text("GET / HTTP/1.1", "Host: a"))
	if got := client.readN(len(answer)); got != answer {
		t.Errorf("%q", got)
	}
}

// failsOnce is a listener whose first accept fails as the system says.
type failsOnce struct {
	net.Listener
	why  error
	done atomic.Bool
}

func (l *failsOnce) Accept() (net.Conn, error) {
	if !l.done.Swap(true) {
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", l.why)}
	}
	return l.Listener.Accept()
}

// TestAcceptingGoesOn: what is wrong with one connection, or with the machine for a while, does not
// end the proxy.
func TestAcceptingGoesOn(t *testing.T) {
	for _, why := range []error{syscall.ENOBUFS, syscall.ENOMEM, syscall.EPERM, syscall.EPROTO, syscall.EHOSTUNREACH} {
		t.Run(why.Error(), func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			h := newHouseAt(t, config(), recorderConfig, &failsOnce{Listener: ln, why: why})
			o := newOrigin(t, false, sends(numbered(1)))
			client := h.dial()
			client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
			if got := client.readN(len(numbered(1))); got != numbered(1) {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestSocketThatIsNone: a listener that can accept nothing ever again ends it.
func TestSocketThatIsNone(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := newHouseAt(t, config(), recorderConfig, &failsOnce{Listener: ln, why: syscall.EBADF})
	err = <-h.served
	if h.served <- nil; !errors.Is(err, syscall.EBADF) {
		t.Errorf("%v", err)
	}
}

// TestRefusedLinesInTheLog are cut and quoted: an origin may send a MiB of them with each answer.
func TestRefusedLinesInTheLog(t *testing.T) {
	h := newHouse(t, config())
	long := "Content-Length: \u009b31m" + strings.Repeat("\x01", 500_000)
	o := newOrigin(t, false, sends(text("HTTP/1.1 200 OK", long)))
	client := h.dial()
	client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
	wantFault(t, client.readAll(), "502", "Content-Length")
	h.close()
	if log := h.log.String(); len(log) > 20_000 ||
		!strings.Contains(log, `Content-Length: \\u009b31m`) {
		t.Errorf("%d bytes in the log: %.3000q", len(log), log)
	}
}
