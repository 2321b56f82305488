package shared

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"warcorder/recorder/shared/server"
)

// TestWithdrawEnds: who ends does not wait for a list of thousands; what is left of it is taken back at the
// next start.
func TestWithdrawEnds(t *testing.T) {
	t.Parallel()
	s, w := server.Start(t), withdrawnIn(t)
	const n = 20 * atOnce
	var rows []Row
	for i := range n {
		one := originalOf(i)
		rows = append(rows, Row{one.Key, one.RecordID})
	}
	first, last := originalOf(0), originalOf(n-1)
	a, err := parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	p := newPublishing(&a, 'a', "host/web", w)
	defer p.client.Close()
	ctx, end := context.WithCancel(t.Context())
	p.ctx = ctx
	p.add(published{*first, 0})
	p.add(published{*last, 0})
	if err := errors.Join(p.flush(), w.Add(rows)); err != nil {
		t.Fatal(err)
	}
	batches := 0
	err = p.withdraw(func() error {
		if batches++; batches == 2 {
			end()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || batches != 2 || w.size() != n*rowSize {
		t.Errorf("%v after %d batches; %d bytes are written down", err, batches, w.size())
	}
	if got := originalsIn(s); got != "1" {
		t.Errorf("%s keys are left, and not the last one", got)
	}
	p.add(published{*originalOf(n), 0})
	if err := p.tell(); err != nil || w.size() != n*rowSize {
		t.Errorf("the end: %v; %d bytes are written down", err, w.size())
	}
	if got := originalsIn(s); got != "2" {
		t.Errorf("%s keys: what waited was not told", got)
	}
	o := opened(t, s.URL(), w)
	until(t, "taken back", func() bool { return o.Status().Withdrawing == 0 })
	if got := originalsIn(s); got != "1" {
		t.Errorf("%s keys are left", got)
	}
}

// slow is a server that answers every batch, and each only shortly before it would be too late.
func slow(t *testing.T, takes time.Duration) (url string, batches *atomic.Int64) {
	t.Helper()
	dir, err := os.MkdirTemp("", "slow") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(); os.RemoveAll(dir) })
	batches = new(atomic.Int64)
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			go answerSlowly(c, takes, batches)
		}
	}()
	return "unix://" + path, batches
}

// answerSlowly answers each SET with OK, once all of its batch have come and that long has passed.
func answerSlowly(c net.Conn, takes time.Duration, batches *atomic.Int64) {
	defer c.Close()
	for b := make([]byte, 1<<20); ; {
		commands, n := 0, 0
		for commands < atOnce {
			more, err := c.Read(b[n:])
			if err != nil {
				return
			}
			n += more
			if bytes.Contains(b[:n], []byte("\r\nhello\r\n")) {
				n = 0
				io.WriteString(c, "-ERR unknown command\r\n")
			}
			commands = bytes.Count(b[:n], []byte("\r\nset\r\n"))
		}
		batches.Add(1)
		<-time.After(takes)
		if _, err := c.Write(bytes.Repeat([]byte("+OK\r\n"), commands)); err != nil {
			return
		}
	}
}

// TestFlushEnds: what waits is told within one time, once the line is to end, however many batches it is,
// and before that each batch has a time of its own.
func TestFlushEnds(t *testing.T) {
	t.Parallel()
	takes := telling * 7 / 10
	url, batches := slow(t, takes)
	a, err := parse(url)
	if err != nil {
		t.Fatal(err)
	}
	p := newPublishing(&a, 'a', "host/web", withdrawnIn(t))
	defer p.client.Close()
	ctx, end := context.WithCancel(t.Context())
	p.ctx = ctx
	end()
	for i := range mostWaiting {
		p.add(published{*originalOf(i), 0})
	}
	began := time.Now()
	if err := p.flush(); !errors.Is(err, context.DeadlineExceeded) && !os.IsTimeout(err) {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if n := batches.Load(); n > int64(ending/takes)+1 {
		t.Errorf("%d batches were told", n)
	}
	p.ctx = t.Context()
	if now := time.Now(); p.until(now) != now.Add(telling) {
		t.Error("a line that goes on has another time")
	}
}
