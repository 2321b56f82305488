// Package logqueue lets a program log to a place that may be stalled, broken or full.
//
// A [Queue] stands between the logger and, say, standard error: whoever logs never waits and gets
// no error. Lines that find no room, because nobody reads the pipe, or that cannot be written, are
// dropped and counted, and a later line says how many there were.
//
// Invariant: a Queue holds at most twice its limit in memory, and keeps the order of the lines.
package logqueue

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// Queue passes lines on to a writer. Its methods are safe for concurrent use.
type Queue struct {
	out    io.Writer
	limit  int
	notice func(dropped int64) []byte

	mu      sync.Mutex
	waiting []byte
	dropped int64 // since the last notice
	total   int64
	closed  bool

	wake  chan struct{} // has room for one
	ended chan struct{} // closed when all that can be written is
	torn  bool          // what was written last is no whole line; the writing goroutine's
}

// New returns a Queue in which at most limit bytes wait for out. notice makes the line that says
// how many were dropped.
func New(out io.Writer, limit int, notice func(dropped int64) []byte) *Queue {
	q := &Queue{out: out, limit: limit, notice: notice}
	q.wake, q.ended = make(chan struct{}, 1), make(chan struct{})
	go q.run()
	return q
}

// Write puts a line, or several, into the queue, or drops them if there is no room. It never fails.
// A quarter of the queue is kept for urgent lines.
func (q *Queue) Write(lines []byte) (int, error) { return q.put(lines, q.limit/4*3) }

// Urgent returns the Write for lines that must not be lost in a flood of others.
func (q *Queue) Urgent() io.Writer { return urgent{q} }

type urgent struct{ q *Queue }

func (u urgent) Write(lines []byte) (int, error) { return u.q.put(lines, u.q.limit) }

func (q *Queue) put(lines []byte, limit int) (int, error) {
	q.mu.Lock()
	if q.closed || len(q.waiting)+len(lines) > limit {
		q.drop(max(1, countLines(lines)))
	} else {
		q.waiting = append(q.waiting, lines...)
	}
	q.mu.Unlock()
	q.signal()
	return len(lines), nil
}

// Dropped returns how many lines were dropped in all.
func (q *Queue) Dropped() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.total
}

// Close waits until all lines are written, but no longer than patience, and reports whether they
// are. Later lines are dropped.
func (q *Queue) Close(patience time.Duration) bool {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.signal()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-q.ended:
		return q.Dropped() == 0
	case <-timer.C:
		return false
	}
}

func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// drop counts lines; the caller holds mu.
func (q *Queue) drop(lines int64) {
	q.dropped += lines
	q.total += lines
}

// run writes what waits. It blocks where out does, for good if out never goes on.
func (q *Queue) run() {
	defer close(q.ended)
	var lines []byte
	for range q.wake {
		var dropped int64
		var closed bool
		if lines, dropped, closed = q.take(lines[:0]); q.write(lines) && dropped > 0 {
			q.confess(dropped)
		}
		if closed {
			return
		}
	}
}

// take exchanges an empty buffer for what waits. dropped lines came behind that, or before, and no
// line has told of them yet.
func (q *Queue) take(empty []byte) (lines []byte, dropped int64, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	lines, q.waiting = q.waiting, empty
	return lines, q.dropped, q.closed
}

// write writes lines and counts those that out does not take. It reports whether it took all.
func (q *Queue) write(lines []byte) bool {
	if len(lines) == 0 {
		return true
	}
	if q.torn {
		if _, err := q.out.Write([]byte("\n")); err == nil {
			q.torn = false
		}
	}
	n, err := q.out.Write(lines)
	if n > 0 {
		q.torn = lines[n-1] != '\n'
	}
	if err == nil {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.drop(max(1, countLines(lines[n:])))
	return false
}

// confess says how many lines were dropped. If out does not take that, a later line will say it.
func (q *Queue) confess(dropped int64) {
	written, err := q.out.Write(q.notice(dropped))
	q.torn = q.torn || written > 0 && err != nil
	if err != nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropped -= dropped
}

func countLines(lines []byte) int64 { return int64(bytes.Count(lines, []byte("\n"))) }
