package proxy

import (
	"cmp"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"warcorder/proxy/http1"
)

// wire reads one connection through a buffer whose unread bytes can be looked at in place:
//
//	buf  [ read before │ unread, which bytes returns │ room, which fill reads into ]
//	     0             r                             w                       len(buf)
//
// Only one goroutine reads at a time; while watch runs, that is the watcher. Deadlines are set
// seldom, since setting one costs as much as parsing a head: those that are set are remembered, and
// one that is late enough is left as it is.
type wire struct {
	conn net.Conn
	buf  *[]byte // pooled; nil while nothing is buffered and nobody reads
	r, w int     // buf[r:w] is unread
	err  error   // what ended the reading, once the bytes before it are read

	reads, writes time.Time // the deadlines that are set; zero if that is not known

	heads *budget // what a buffer for a large head is taken from; nil: no limit
	share int64   // how much of it buf takes

	watching chan struct{} // closed when the watcher has ended; nil while none runs
	early    []byte        // what the watcher read
	earlyErr error
	broke    *carried // its panic
}

// watchedBytes is how much of what a client sends meanwhile is read ahead. One that sends more is
// not watched any longer.
const watchedBytes = 16 << 10

// readUntil sets the read deadline to a time from at to slack later. One that is set already and
// will do stays.
func (w *wire) readUntil(at time.Time, slack time.Duration) {
	if !within(w.reads, at, slack) {
		w.reads = at.Add(slack)
		w.conn.SetReadDeadline(w.reads)
	}
}

// writeUntil is readUntil for writing.
func (w *wire) writeUntil(at time.Time, slack time.Duration) {
	if !within(w.writes, at, slack) {
		w.writes = at.Add(slack)
		w.conn.SetWriteDeadline(w.writes)
	}
}

// forgetDeadlines is for when others have set them.
func (w *wire) forgetDeadlines() { w.reads, w.writes = time.Time{}, time.Time{} }

func within(set, at time.Time, slack time.Duration) bool {
	return !set.Before(at) && !set.After(at.Add(slack))
}

// bytes are the unread ones, valid until the next fill.
func (w *wire) bytes() []byte {
	if w.buf == nil {
		return nil
	}
	return (*w.buf)[w.r:w.w]
}

func (w *wire) buffered() int { return w.w - w.r }

// consume takes n bytes as read.
func (w *wire) consume(n int) {
	w.r += n
	if w.r == w.w {
		w.r, w.w = 0, 0
	}
}

// fill reads once, adding to what is buffered. size is the buffer that the caller would like.
func (w *wire) fill(size int) error {
	if w.err != nil {
		return w.err
	}
	if err := w.room(size); err != nil {
		return err
	}
	n, err := w.conn.Read((*w.buf)[w.w:])
	w.w += n
	if n > 0 {
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			w.err = err
		}
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// doze waits for the next byte without a buffer.
func (w *wire) doze() error {
	var b [1]byte
	n, err := w.conn.Read(b[:])
	if n == 0 {
		return cmp.Or(err, io.ErrNoProgress)
	}
	w.unread(b[:])
	return nil
}

// room makes free space behind the unread bytes: by a larger buffer, or by moving them to the
// front.
func (w *wire) room(size int) error {
	if w.buf == nil {
		w.buf = buffer(size)
		return nil
	}
	if len(*w.buf) < size || w.r == 0 && w.w == len(*w.buf) {
		return w.grow(max(size, 2*w.buffered()))
	}
	if w.w == len(*w.buf) {
		w.w = copy(*w.buf, (*w.buf)[w.r:w.w])
		w.r = 0
	}
	return nil
}

// grow makes the buffer one of size bytes. One that is larger than all bodies need is for a large
// head.
func (w *wire) grow(size int) error {
	share := int64(0)
	if size > largeBuffer && w.heads != nil {
		if share = int64(size); !w.heads.take(share) {
			return errCrowdedHeads
		}
	}
	larger := buffer(size)
	n := copy(*larger, w.bytes())
	w.drop()
	w.buf, w.r, w.w, w.share = larger, 0, n, share
	return nil
}

// drop gives the buffer back.
func (w *wire) drop() {
	if w.buf == nil {
		return
	}
	switch len(*w.buf) {
	case smallBuffer:
		smallBuffers.Put(w.buf)
	case largeBuffer:
		largeBuffers.Put(w.buf)
	}
	if w.share > 0 {
		w.heads.give(w.share)
	}
	w.buf, w.r, w.w, w.share = nil, 0, 0, 0
}

// rest gives the buffer back if nothing is in it: a connection that waits holds little memory.
func (w *wire) rest() {
	if w.buffered() == 0 {
		w.drop()
	}
}

// head calls fill until a whole message head is buffered and returns its bytes without consuming
// them. Empty lines before it are skipped (RFC 9112 section 2.2).
func (w *wire) head(limit int, fill func() error) ([]byte, error) {
	w.skipEmptyLines()
	for from := 0; ; {
		b := w.bytes()
		end, next := http1.HeadEnd(b, from)
		if end > limit || end < 0 && len(b) > limit {
			return nil, errHeadTooLarge
		}
		if end > 0 {
			return b[:end], nil
		}
		from = next
		if err := fill(); err != nil {
			return nil, err
		}
		if from <= 1 { // there was nothing, or half the end of an empty line
			w.skipEmptyLines()
			from = 0
		}
	}
}

// skipEmptyLines takes the empty lines before a head as read.
func (w *wire) skipEmptyLines() { w.consume(http1.EmptyLines(w.bytes())) }

// watch reads ahead in the background, to learn at once when the peer goes away: only a read can
// tell. gone is called with the error that ended the connection. What comes meanwhile, such as the
// next pipelined request, is kept for fill. unwatch must be called before anyone else reads, and
// waits until the watcher has ended.
func (w *wire) watch(gone func(error)) {
	if w.watching != nil || w.err != nil {
		return
	}
	ended := make(chan struct{})
	w.watching, w.reads = ended, time.Time{}
	w.conn.SetReadDeadline(time.Time{}) // else that of the last read would end the watching
	go func() {
		defer close(ended)
		defer carry(&w.broke) // of gone
		w.readAhead()
		if w.earlyErr != nil && !errors.Is(w.earlyErr, os.ErrDeadlineExceeded) {
			gone(w.earlyErr)
		}
	}()
}

// readAhead is the watcher's reading. A panic of it is rethrown by unwatch.
func (w *wire) readAhead() {
	defer carry(&w.broke)
	w.earlyErr = errPanic // unless the loop ends
	piece := make([]byte, smallBuffer)
	var err error
	for len(w.early) < watchedBytes && err == nil {
		var n int
		n, err = w.conn.Read(piece)
		w.early = append(w.early, piece[:n]...)
	}
	w.earlyErr = err
}

// unwatch ends the watching; what it read is buffered, its error comes with the next fill.
func (w *wire) unwatch() {
	if w.watching == nil {
		return
	}
	w.conn.SetReadDeadline(time.Unix(1, 0)) // wakes the reader
	<-w.watching
	w.watching = nil
	w.conn.SetReadDeadline(time.Time{})
	w.unread(w.early)
	if !errors.Is(w.earlyErr, os.ErrDeadlineExceeded) {
		w.err = w.earlyErr
	}
	w.early, w.earlyErr = nil, nil
	rethrow(&w.broke)
}

// unread adds to what is buffered. It must succeed, so what it takes is in no budget: watchedBytes
// bounds it.
func (w *wire) unread(b []byte) {
	if len(b) == 0 {
		return
	}
	if w.buf == nil {
		w.buf = buffer(len(b))
	}
	if len(*w.buf)-w.w < len(b) {
		larger := buffer(w.buffered() + len(b))
		n := copy(*larger, w.bytes())
		w.drop()
		w.buf, w.w = larger, n
	}
	w.w += copy((*w.buf)[w.w:], b)
}
