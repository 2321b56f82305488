package supervisor

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestMessage: what systemd reads of each word.
func TestMessage(t *testing.T) {
	for _, c := range []struct {
		name     string
		word     word
		watchdog bool
		want     string
	}{
		{"a start that gets on", word{within: time.Minute, status: "starting"}, true,
			"STATUS=starting\nEXTEND_TIMEOUT_USEC=60000000"},
		{"a start that is stuck", word{}, true, ""},
		{"ready", word{phase: ready, isNew: true, status: "recording", alive: true}, true,
			"READY=1\nSTATUS=recording\nWATCHDOG=1"},
		{"nothing new", word{phase: ready, alive: true}, true, "WATCHDOG=1"},
		{"stuck", word{phase: ready, status: "recording"}, true, "STATUS=recording"},
		{"no watchdog", word{phase: ready, alive: true}, false, ""},
		{"the end", word{phase: stopping, isNew: true, within: time.Second, alive: true}, true,
			"STOPPING=1\nEXTEND_TIMEOUT_USEC=1000000\nWATCHDOG=1"},
		{"an end that takes too long", word{phase: stopping}, true, ""},
	} {
		if got := message(c.word, c.watchdog); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	got := message(word{phase: reloading, isNew: true}, false)
	if got != "RELOADING=1" && !strings.HasPrefix(got, "RELOADING=1\nMONOTONIC_USEC=") ||
		strings.Contains(got, "MONOTONIC") != (runtime.GOOS == "linux") {
		t.Errorf("a reload: %q", got)
	}
}

// TestOneLine: nothing in a status is taken for another word, and it is short.
func TestOneLine(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"as it is", "cannot record: größer", "cannot record: größer"},
		{"a word of the protocol", "x\nMAINPID=1\r\nWATCHDOG=1\x00", "x MAINPID=1  WATCHDOG=1 "},
		{"no text", "\xff\xfe", "?"},
		{"long", strings.Repeat("ä", 1<<20), strings.Repeat("ä", mostStatus/2)},
		{"cut within a letter", "a" + strings.Repeat("ä", mostStatus), "a" + strings.Repeat("ä", mostStatus/2-1)},
	} {
		if got := oneLine(c.text); got != c.want {
			t.Errorf("%s: %.80q (%d bytes), want %.80q", c.name, got, len(got), c.want)
		}
	}
}

// heard is what a supervisor has heard.
type heard struct {
	mu  sync.Mutex
	all []word
}

func (h *heard) tell(w word) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, w)
	return nil
}

// new gives the phases that have begun, in their order.
func (h *heard) begun() (phases []phase) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.all {
		if w.isNew {
			phases = append(phases, w.phase)
		}
	}
	return phases
}

// last is the last word.
func (h *heard) last() word {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all[len(h.all)-1]
}

func well() Look {
	return Look{Status: func() string { return "well" }, Stalled: func() time.Duration { return 0 }}
}

func never(t *testing.T) func(error) { return func(err error) { t.Error(err) } }

// TestPhases: each phase is told once, in the order in which they begin, however soon the next one
// does; and from the end there is no way back.
func TestPhases(t *testing.T) {
	for _, c := range []struct {
		name string
		does func(*Supervisor)
		want []phase
	}{
		{"a life", func(s *Supervisor) {
			s.Ready(well())
			s.Reloading()()
			s.Stopping(time.Second)
			s.Stopping(time.Second)
		}, []phase{ready, reloading, ready, stopping}},
		{"a reload at the end", func(s *Supervisor) {
			s.Ready(well())
			done := s.Reloading()
			s.Stopping(time.Second)
			done()
			s.Reloading()()
		}, []phase{ready, reloading, stopping}},
		{"a start that fails", func(s *Supervisor) {}, nil},
		{"a reload that comes too soon", func(s *Supervisor) { s.Reloading() }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var to heard
			s := watch(to.tell, time.Hour, 0, never(t))
			c.does(s)
			s.Close()
			<-s.ended
			if got := to.begun(); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// TestPatience: a start is waited for as long as it gets on, and an end for as long as it said; who
// is stuck is not alive, and is again when it gets on.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var to heard
		stalled := time.Duration(0)
		s := watch(to.tell, wordEvery, time.Minute, never(t))
		check := func(what string, ok func(word) bool) {
			t.Helper()
			time.Sleep(wordEvery + time.Millisecond)
			synctest.Wait()
			if w := to.last(); !ok(w) {
				t.Errorf("%s: %+v", what, w)
			}
		}
		for range 10 { // some 40 minutes
			s.Progress("index.bolt", 1, 2)
			time.Sleep(4 * time.Minute)
			check("a start that gets on", func(w word) bool { return w.within == wordPatience })
		}
		time.Sleep(startPatience)
		check("a start that is stuck", func(w word) bool { return w.within == 0 })
		var mu sync.Mutex
		s.Ready(Look{Status: func() string { return "" }, Stalled: func() time.Duration {
			mu.Lock()
			defer mu.Unlock()
			return stalled
		}})
		stall := func(d time.Duration) { mu.Lock(); stalled = d; mu.Unlock() }
		check("ready", func(w word) bool { return w.alive })
		stall(time.Minute)
		check("stuck", func(w word) bool { return !w.alive })
		stall(59 * time.Second)
		check("slow", func(w word) bool { return w.alive })
		s.Stopping(time.Hour)
		check("the end", func(w word) bool { return w.alive && w.within > 59*time.Minute })
		time.Sleep(time.Hour)
		check("an end that is stuck", func(w word) bool { return !w.alive && w.within == 0 })
		s.Close()
	})
}

// TestNobodyListens: a supervisor that does not read holds up nobody, and takes bounded memory; the
// first error of one that has gone is told, and no other.
func TestNobodyListens(t *testing.T) {
	block := make(chan struct{})
	s := watch(func(word) error { <-block; return nil }, time.Millisecond, 0, never(t))
	s.Ready(well())
	for range 10 * mostUntold {
		s.Progress("x", 1, 1)
		s.Reloading()()
	}
	s.mu.Lock()
	waiting := len(s.untold)
	s.mu.Unlock()
	if waiting > mostUntold {
		t.Errorf("%d phases wait", waiting)
	}
	s.Close() // which waits a second
	close(block)
	<-s.ended
	if s.phase != ready {
		t.Errorf("phase %d", s.phase)
	}

	var wrong []error
	s = watch(func(word) error { return errors.New("gone") }, time.Hour, 0,
		func(err error) { wrong = append(wrong, err) })
	s.Ready(well())
	s.Stopping(time.Second)
	s.Close()
	<-s.ended // which Close waits for, and not for long
	if len(wrong) != 1 {
		t.Errorf("%v", wrong)
	}
}

// TestNobody: without a supervisor nothing happens.
func TestNobody(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	s := FromSystemd(never(t))
	s.Progress("x", 1, 2)
	s.Ready(well())
	s.Reloading()()
	s.Stopping(time.Second)
	s.Close()
	if s != nil || s.Signals() != nil {
		t.Errorf("%v", s)
	}
}
