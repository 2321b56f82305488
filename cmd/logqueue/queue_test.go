package logqueue

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

func notice(n int64) []byte { return fmt.Appendf(nil, "dropped %d\n", n) }

// valve is a writer that can be shut, and that can refuse.
type valve struct {
	mu      sync.Mutex // held while it is shut
	b       bytes.Buffer
	takes   func(p []byte) (int, error) // nil takes all
	entered chan struct{}               // gets a value when a Write begins; may be nil
}

func (v *valve) Write(p []byte) (int, error) {
	if v.entered != nil {
		v.entered <- struct{}{}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.takes != nil {
		n, err := v.takes(p)
		v.b.Write(p[:n])
		return n, err
	}
	return v.b.Write(p)
}

func (v *valve) text() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.b.String()
}

// TestOrder: what is written comes out, in its order, before Close returns.
func TestOrder(t *testing.T) {
	var v valve
	q := New(&v, 1<<20, notice)
	var want strings.Builder
	for i := range 10_000 {
		line := fmt.Sprintf("line %d\n", i)
		want.WriteString(line)
		if n, err := io.WriteString(q, line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	if !q.Close(time.Minute) || v.text() != want.String() {
		t.Errorf("%d bytes, want %d; %d dropped", len(v.text()), want.Len(), q.Dropped())
	}
}

// TestStalled: nobody waits for a writer that does not go on, what finds no room is counted, and a
// line tells of it when the writer goes on.
func TestStalled(t *testing.T) {
	v := valve{entered: make(chan struct{}, 10)}
	v.mu.Lock()
	q := New(&v, 1000, notice) // 750 of it for such lines
	line := strings.Repeat("x", 99) + "\n"
	io.WriteString(q, line)
	<-v.entered // the line is on its way, and the queue empty
	for range 50 {
		io.WriteString(q, line)
	}
	if n := q.Dropped(); n != 43 {
		t.Errorf("%d dropped, want 43", n)
	}
	io.WriteString(q.Urgent(), "urgent\n")
	if q.Close(time.Millisecond) {
		t.Error("Close waited for nobody")
	}
	v.mu.Unlock()
	<-q.ended
	if want := strings.Repeat(line, 8) + "urgent\ndropped 43\n"; v.text() != want {
		t.Errorf("got %q", v.text())
	}
}

// TestFull: of a disk that was full for a while the log says how many lines are wanting, and no
// line is glued to the rest of another.
func TestFull(t *testing.T) {
	full, room := errors.New("full"), 10
	v := valve{takes: func(p []byte) (int, error) {
		n := min(len(p), room)
		if room -= n; n < len(p) {
			return n, full
		}
		return n, nil
	}}
	q := New(&v, 1<<10, notice)
	say := func(line string, dropped int64) {
		t.Helper()
		io.WriteString(q, line)
		for deadline := time.Now().Add(time.Minute); q.Dropped() < dropped && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
	}
	say("a line of more than ten\n", 1)
	say("another\n", 2)
	v.mu.Lock()
	room = 1 << 20
	v.mu.Unlock()
	say("good\n", 0)
	if q.Close(time.Minute) {
		t.Error("Close forgot what was dropped")
	}
	if want := "a line of \ngood\ndropped 2\n"; v.text() != want {
		t.Errorf("got %q, want %q", v.text(), want)
	}
}

// TestTooLong: a line that is longer than the queue is dropped, and the others pass.
func TestTooLong(t *testing.T) {
	var v valve
	q := New(&v, 100, notice)
	io.WriteString(q, strings.Repeat("x", 101))
	q.Close(time.Minute)
	if v.text() != "dropped 1\n" {
		t.Errorf("got %q", v.text())
	}
}
