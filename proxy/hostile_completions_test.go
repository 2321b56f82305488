package proxy

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warcorder/recorder"
)

// TestFloodOfOnePart: one URL that comes in part again and again takes one place, and no more time
// for all that wait beside it.
func TestFloodOfOnePart(t *testing.T) {
	cfg := hasty()
	cfg.Complete.Quiet, cfg.Complete.Within = time.Hour, time.Hour
	h := newHouse(t, cfg)
	o := newLibrary(t, false, film)
	client := h.dial()
	part := len(film("\r\n" + aPart + "\r\n"))
	for n := range 2000 {
		path := "/one"
		if n%2 == 0 {
			path = fmt.Sprint("/", n%1800)
		}
		client.send(text("GET http://"+o.address+path+" HTTP/1.1", "Host: a", aPart))
		client.readUntil((n + 1) * part)
	}
	until(t, "each URL waits once", func() bool {
		return h.proxy.Completions() == Completions{Waiting: 901}
	})
	h.proxy.completions.stop()
}

// TestHostileCompletions: whatever an origin makes of the request for the whole, it has one
// request, bounded bytes and bounded time, and there is one gap.
func TestHostileCompletions(t *testing.T) {
	const kind = "Content-Type: video/mp4"
	lies := []string{"bytes 0-9/5", "bytes 5-1/10", "bytes -5--1/10", "bytes 0-9/*", "bytes */*",
		"bytes 0-99999999999999999999/99999999999999999999", "bytes 0-9/10, bytes 0-9/10",
		"bytes 0-9/10\r\nContent-Range: bytes 3-5/10", strings.Repeat("bytes ", 1000)}
	for n, lie := range lies {
		t.Run(fmt.Sprint("lie ", n), func(t *testing.T) {
			cfg := hasty()
			cfg.Complete.What = "always"
			h := newHouse(t, cfg)
			o := newLibrary(t, false, func(string) string {
				return text("HTTP/1.1 206 Partial Content", kind, "Content-Length: 3",
					"Content-Range: "+lie) + "345"
			})
			for range 3 {
				h.fetch(o.originServer, false, "/", aPart)
			}
			h.untilCompleted(0, 1)
			h.fetch(o.originServer, false, "/", aPart)
			h.close()
			if got, gaps := len(o.wholes()), h.rec.Status().Gaps; got != 1 || gaps[recorder.GapCut] != 1 {
				t.Errorf("%d requests for the whole, gaps: %v", got, gaps)
			}
		})
	}
	t.Run("a trickle", func(t *testing.T) {
		cfg := hasty()
		cfg.Complete.Timeout = 300 * time.Millisecond
		h := newHouse(t, cfg)
		ended := make(chan struct{})
		o := newOrigin(t, false, func(p *peer) {
			head := p.readHead()
			if strings.Contains(head, "Range:") {
				p.send(film(head))
				return
			}
			defer close(ended)
			p.send(text("HTTP/1.1 200 OK", kind, "Content-Length: 10000000"))
			for {
				if _, err := p.conn.Write([]byte("x")); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
		h.fetch(o, false, "/", aPart)
		wantSoon(t, "the end of the completion", ended)
		h.untilCompleted(0, 1)
		if gaps := h.gaps(); len(gaps) != 1 || !strings.HasSuffix(gaps[0].Detail, "complete-timeout had passed") {
			t.Errorf("%+v", gaps)
		}
	})
}

// TestManyAreAlone: no more fetches go on without their client than complete-running says; the
// others are cut, and asked for later.
func TestManyAreAlone(t *testing.T) {
	cfg := hasty()
	cfg.Complete.Running = 2
	cfg.Complete.Quiet, cfg.Complete.Within = time.Hour, time.Hour
	h := newHouse(t, cfg)
	o := newLibrary(t, false, func(head string) string {
		if answer := film(head); strings.Contains(head, "Connection: close") {
			return answer[:len(answer)-1] + "‖9"
		}
		return film(head)
	})
	const films = 6
	for n := range films {
		client := h.dial()
		client.send(text(fmt.Sprintf("GET http://%s/%d HTTP/1.1", o.address, n), "Host: a",
			"Connection: close"))
		client.readHead()
		client.conn.Close()
	}
	until(t, "each goes on, or waits", func() bool {
		return h.proxy.Completions() == Completions{Alone: 2, Waiting: films - 2}
	})
	close(o.rest)
	until(t, "those that go on have ended", func() bool {
		return h.proxy.Completions() == Completions{Waiting: films - 2}
	})
	h.close()
	if got := h.proxy.Completions(); got != (Completions{Whole: films - 2}) || len(o.wholes()) != 2*films-2 {
		t.Errorf("%+v after %d requests", got, len(o.wholes()))
	}
	if gaps := h.rec.Status().Gaps; len(gaps) != 0 {
		t.Errorf("gaps: %v", gaps)
	}
}

// TestCompletionIsRefused: what a client's request would be refused for, a completion is, too.
func TestCompletionIsRefused(t *testing.T) {
	cfg := hasty()
	cfg.Complete.Quiet, cfg.Complete.Within = time.Hour, time.Hour
	h := newHouse(t, cfg)
	o := newLibrary(t, false, film)
	h.fetch(o.originServer, false, "/", aPart)
	until(t, "the part is recorded", func() bool { return h.rec.Status().Exchanges == 1 })
	h.takeAway()
	client := h.dial()
	client.send(text("GET http://"+o.address+"/other HTTP/1.1", "Host: a", "Connection: close"))
	client.readAll()
	until(t, "nothing can be recorded", func() bool { return h.rec.Ready() != nil })
	h.proxy.completions.hurry()
	h.untilCompleted(0, 1)
	if n := len(o.wholes()); n != 1 { // that of the client
		t.Errorf("%d requests for the whole", n-1)
	}
	gaps := h.gaps()
	if len(gaps) == 0 || !strings.Contains(gaps[0].Detail, "warcorder is not recording at the moment") {
		t.Errorf("%+v", gaps)
	}
	h.once.Do(func() { h.proxy.Shutdown(t.Context()); <-h.served; h.rec.Close() })
}

// TestEachPartAnotherVersion: an origin that gives each part another tag is not asked for one whole
// after the other; what then waits is asked for at the end.
func TestEachPartAnotherVersion(t *testing.T) {
	for name, again := range map[string]time.Duration{"a URL rests": time.Hour, "it does not": 0} {
		t.Run(name, func(t *testing.T) {
			cfg := hasty()
			cfg.Complete.Again = again
			h := newHouse(t, cfg)
			var tags atomic.Int64
			o := newLibrary(t, false, func(head string) string {
				return strings.Replace(film(head), `"1"`, fmt.Sprintf(`"%d"`, tags.Add(1)), 1)
			})
			h.fetch(o.originServer, false, "/", aPart)
			h.untilCompleted(1, 0)
			h.fetch(o.originServer, false, "/", aPart)
			if again == 0 {
				h.untilCompleted(2, 0)
				return
			}
			until(t, "the second waits", func() bool { return h.proxy.Completions().Waiting == 1 })
			q := h.proxy.completions
			q.mu.Lock()
			at, _ := q.due(q.queue[0])
			q.mu.Unlock()
			if rest := time.Until(at); rest < again-time.Minute || rest > again {
				t.Errorf("it is due in %v", rest)
			}
			h.close()
			if n := len(o.wholes()); n != 2 {
				t.Errorf("%d wholes are asked for, want 2", n)
			}
		})
	}
}
