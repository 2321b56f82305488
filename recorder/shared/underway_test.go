package shared

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"warcorder/recorder/shared/server"
)

// held is a way to a server on which the first that is told of originals stays until it is let go.
type held struct {
	url   string
	letGo chan bool
	taken atomic.Bool // something was taken back
}

func hold(t *testing.T, s *server.Server) *held {
	t.Helper()
	dir, err := os.MkdirTemp("", "held") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	h := &held{url: "unix://" + filepath.Join(dir, "s"), letGo: make(chan bool)}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(); os.RemoveAll(dir) })
	var first atomic.Bool
	first.Store(true)
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			to, err := net.Dial("unix", s.Path)
			if err != nil {
				c.Close()
				continue
			}
			var takes atomic.Bool
			go func() {
				defer c.Close()
				b := make([]byte, 1<<16)
				for n, err := to.Read(b); err == nil; n, err = to.Read(b) {
					if _, err := c.Write(b[:n]); err != nil {
						return
					}
					if takes.Load() {
						h.taken.Store(true)
					}
				}
			}()
			go func() {
				defer to.Close()
				b := make([]byte, 1<<16)
				for n, err := c.Read(b); err == nil; n, err = c.Read(b) {
					tells := bytes.Contains(b[:n], []byte("\r\nset\r\n")) && bytes.Contains(b[:n], []byte(namespace+"a"))
					if tells && first.CompareAndSwap(true, false) {
						<-h.letGo
					}
					if bytes.Contains(b[:n], []byte("\r\neval\r\n")) {
						takes.Store(true)
					}
					if _, err := to.Write(b[:n]); err != nil {
						return
					}
				}
				io.Copy(io.Discard, c)
			}()
		}
	}()
	return h
}

// TestWithdrawUnderWay: an original that was sent, and of which no answer came, is taken back though it
// comes to the server behind what takes it back.
func TestWithdrawUnderWay(t *testing.T) {
	t.Parallel()
	s, w := server.Start(t), withdrawnIn(t)
	h := hold(t, s)
	o := opened(t, h.url, w)
	until(t, "up", func() bool { return o.Status().Up })
	gone := originalOf(1)
	o.Publish(gone, 0)
	until(t, "given up", func() bool { return o.Status().Dropped == 1 })
	if err := w.Add([]Row{{gone.Key, gone.RecordID}}); err != nil {
		t.Fatal(err)
	}
	o.Withdrawn()
	until(t, "the server has answered", h.taken.Load)
	close(h.letGo)
	until(t, "taken back", func() bool { return o.Status().Withdrawing == 0 })
	if n := originalsIn(s); n != "0" {
		t.Errorf("%s keys are left", n)
	}
}

// originalsIn counts what a server has.
func originalsIn(s *server.Server) string {
	return s.Do("EVAL", "return #redis.call('KEYS', 'warcorder:1:a*')", "0")
}
